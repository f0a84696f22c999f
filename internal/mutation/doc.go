// Package mutation tests that removing what keeps results safe makes some test fail.
package mutation
