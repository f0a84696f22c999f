// Package gridfile reads grid files strictly. A [Reader] reports everything that is wrong
// with its line, what is allowed and what may be meant. It knows lists, ranges, things
// with settings of which a cell is made for each value, and no kind of experiment.
package gridfile
