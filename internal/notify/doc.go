// Package notify reports by a webhook or a command that a run ended, that more of its cells fail
// than a limit allows, or that workers vanished. docs/schemas/notify.json describes the messages.
//
// A [Notifier] reports once, and never blocks or fails its caller: events wait in a bounded queue
// per way of sending, and their outcome is logged.
package notify
