// Package gridfile reads grid files strictly. A [Reader] reports every problem with its line, what
// is allowed and what may be meant. It knows lists, ranges and settings, but no kind of experiment.
package gridfile
