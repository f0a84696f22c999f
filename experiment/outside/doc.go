// Package outside runs methods that are not part of this module: commands that are
// given a cell as a line of JSON with a file of data, and answer in the same way.
// docs/methods.md describes the protocol.
//
// A [Host] starts a command in a folder of its own that holds copies of the
// command's files, keeps it for the cells that follow, and ends it with every
// process that it started. On Linux that holds for processes that left their group
// or session and whose parents have ended: see [Own] and [EndMarked]. Elsewhere the
// command's process group is ended.
package outside
