// Package command has what the coordinator and the worker share as programs: sources of flag
// values, logs, signals, exit statuses, and the connection to NATS.
package command
