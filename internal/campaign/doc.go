// Package campaign holds tests of whole deployments: coordinators and workers as
// processes, on clusters of NATS servers, under faults that a seed decides
// (TestCampaign) and at scale (TestScale).
package campaign
