// Package command is what the coordinator and the worker share as programs:
// where flags get their values from, logs, signals, how a program ends, and the
// connection to NATS.
package command
