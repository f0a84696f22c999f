// Package outside runs commands, methods outside this module, which read and answer each cell as a
// line of JSON, with a file of data. docs/methods.md describes the protocol.
//
// A [Host] starts a command in its own folder with copies of its files, keeps it for further cells,
// and ends it with all processes that it started. On Linux these include processes that left their
// group or session and whose parents have ended, see [Own] and [EndMarked]; elsewhere the process
// group is ended.
package outside
