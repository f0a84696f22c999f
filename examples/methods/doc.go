// Package methods has examples of external methods, see docs/methods.md; its test compares them with
// agepath's own methods.
package methods
