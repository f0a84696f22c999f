package run

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"
)

// TestMessages reads messages back, paths that are not UTF-8 among them, and refuses what is none.
func TestMessages(t *testing.T) {
	t.Parallel()
	var stream bytes.Buffer
	want := []message{
		{Kind: messageReady},
		{Kind: messageCompute, Requests: []*request{
			{Task: []byte("task"), Data: map[string]string{"a": "/b\xff", strings.Repeat("x", 300): ""}},
			{Task: []byte("other")},
		}},
		{Kind: messageOutcome, Bodies: [][]byte{bytes.Repeat([]byte("x"), 1<<20), nil, []byte("y")}},
		{Kind: messageCancel},
	}
	to, from := cbor.NewEncoder(&stream), paths.NewDecoder(&stream)
	for _, m := range want {
		if err := to.Encode(&m); err != nil {
			t.Fatal(err)
		}
	}
	for i, m := range want {
		var got message
		if err := from.Decode(&got); err != nil || got.Kind != m.Kind || !slices.EqualFunc(got.Bodies, m.Bodies, bytes.Equal) || len(got.Requests) != len(m.Requests) {
			t.Fatalf("message %d: %q, %v", i, got.Kind, err)
		}
		for k, r := range m.Requests {
			if read := got.Requests[k]; string(read.Task) != string(r.Task) || fmt.Sprint(read.Data) != fmt.Sprint(r.Data) {
				t.Errorf("%+v, want %+v", read, r)
			}
		}
	}
	for _, bad := range []string{"", "\x01", "\x01\x02a", "an answer", "\x83\x01\x02\x03", "\x83\x19", "\xff\xff\xff\xff"} {
		if err := paths.NewDecoder(strings.NewReader(bad)).Decode(new(message)); err == nil {
			t.Errorf("%q is read as a message", bad)
		}
	}
}
