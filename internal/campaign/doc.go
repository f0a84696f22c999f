// Package campaign tests whole deployments: coordinators and workers as processes, on clusters of
// NATS servers, under seeded faults (TestCampaign) and at scale (TestScale).
package campaign
