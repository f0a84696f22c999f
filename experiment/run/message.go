package run

import "github.com/fxamacker/cbor/v2"

// message is what a worker and its slots' processes exchange, in CBOR.
type message struct {
	_        struct{} `cbor:",toarray"`
	Kind     byte
	Requests []*request // of messageCompute
	Bodies   [][]byte   // of an answer
}

const (
	messageReady   = 'r' // from the slot: ready to compute
	messageCompute = 'c' // to the slot: requests
	messageCancel  = 'x' // to the slot: stop computing
	messageOutcome = 'o' // from the slot: outcomes of the first requests, of all unless it is stopped
	messageLast    = 'l' // from the slot: an outcome, then the process ends
	messageData    = 'd' // from the slot: a digest whose file is unusable
)

// request asks a slot's process for an outcome.
type request struct {
	_    struct{}          `cbor:",toarray"`
	Task []byte            // as published
	Data map[string]string // paths of data sets and files of commands, by digest

	Commands  bool              // whether the task may run one
	Env       map[string]string // for the command
	Signature signature
}

// paths decodes paths, which need not be UTF-8.
var paths = func() cbor.DecMode {
	mode, err := cbor.DecOptions{UTF8: cbor.UTF8DecodeInvalid}.DecMode()
	if err != nil {
		panic(err)
	}
	return mode
}()
