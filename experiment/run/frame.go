package run

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/fxamacker/cbor/v2"
)

// A worker and its slots' processes exchange frames: a type byte, the body's length in four bytes
// (little endian), the body.
const (
	frameReady   = 'r' // from the slot: ready to compute
	frameCompute = 'c' // to the slot: a request
	frameCancel  = 'x' // to the slot: stop computing
	frameOutcome = 'o' // from the slot: the outcome
	frameLast    = 'l' // from the slot: the outcome, then the process ends
	frameData    = 'd' // from the slot: a digest whose file is unusable
)

// maxFrame bounds what is accepted.
const maxFrame = 1 << 31

// request asks a slot's process for an outcome. It travels as CBOR.
type request struct {
	_    struct{}          `cbor:",toarray"`
	Task []byte            // as published
	Data map[string]string // paths of data sets and files of commands, by digest

	Commands  bool              // whether the task may run one
	Env       map[string]string // for the command
	Signature signature

	ctx context.Context // ends on frameCancel
}

func writeFrame(w io.Writer, kind byte, body []byte) error {
	if len(body) > maxFrame {
		return fmt.Errorf("a message of %d bytes to another process; allowed are at most %d", len(body), maxFrame)
	}
	frame := binary.LittleEndian.AppendUint32(append(make([]byte, 0, 5+len(body)), kind), uint32(len(body)))
	_, err := w.Write(append(frame, body...))
	return err
}

func readFrame(r io.Reader) (kind byte, body []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.LittleEndian.Uint32(head[1:])
	if n > maxFrame {
		return 0, nil, fmt.Errorf("a message of %d bytes from another process; allowed are at most %d", n, maxFrame)
	}
	body = make([]byte, n)
	_, err = io.ReadFull(r, body)
	return head[0], body, err
}

// paths decodes paths, which need not be UTF-8.
var paths = func() cbor.DecMode {
	mode, err := cbor.DecOptions{UTF8: cbor.UTF8DecodeInvalid}.DecMode()
	if err != nil {
		panic(err)
	}
	return mode
}()

func (r *request) encode() ([]byte, error) { return cbor.Marshal(r) }

func decodeRequest(body []byte) (*request, error) {
	r := new(request)
	return r, paths.Unmarshal(body, r)
}
