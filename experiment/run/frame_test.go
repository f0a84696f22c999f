package run

import (
	"fmt"
	"strings"
	"testing"
)

func TestRequest(t *testing.T) {
	t.Parallel()
	for _, want := range []*request{
		{Task: []byte("task"), Data: map[string]string{}},
		{Task: []byte{}, Data: map[string]string{"a": "/b", strings.Repeat("x", 300): ""}},
	} {
		body, err := want.encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeRequest(body)
		if err != nil || string(got.Task) != string(want.Task) || fmt.Sprint(got.Data) != fmt.Sprint(want.Data) {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
	for _, bad := range []string{"", "\x01", "\x01\x02a", "\x01\x01a\x05", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
		if r, err := decodeRequest([]byte(bad)); err == nil {
			t.Errorf("%q is read as %+v", bad, r)
		}
	}
}
