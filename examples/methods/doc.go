// Package methods has examples of methods from outside, which docs/methods.md
// describes; its test compares them with agepath's own.
package methods
