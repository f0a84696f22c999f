// Package notify tells people of what happens to runs, by a webhook or a command, while
// nobody looks at them: that a run ended, that more of its cells fail than a limit
// allows, that workers vanished. docs/schemas/notify.json describes what is sent.
//
// A [Notifier] decides what is told and tells it once. Telling never blocks who
// watches a run and never fails it: events wait in a bounded queue for each way, and
// what became of them is logged.
package notify
