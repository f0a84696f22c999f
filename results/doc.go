// Package results stores the outcomes of a run as Arrow tables in a folder, so that a crash loses
// nothing durable, with a manifest, and reads them back. Package analysis evaluates the files,
// figure draws them, report writes them as text.
package results
