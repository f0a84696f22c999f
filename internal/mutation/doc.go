// Package mutation holds tests alone: changes to the code that take away what
// keeps results safe, each of which some test has to notice.
package mutation
