// Package notify reports what happens to runs by a webhook or a command: that a run ended, that
// more of its cells fail than a limit allows, that workers vanished. docs/schemas/notify.json
// describes the messages.
//
// A [Notifier] decides what to report and reports it once. It never blocks or fails its caller:
// events wait in a bounded queue per way of sending, and their outcome is logged.
package notify
