package needs

import (
	"net"
	"slices"
	"testing"
)

// TestFreePorts listens on all ports of a long list.
func TestFreePorts(t *testing.T) {
	t.Parallel()
	list := FreePorts(t, 50)
	for _, address := range list {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		listener.Close()
	}
	slices.Sort(list)
	if different := slices.Compact(list); len(different) != 50 {
		t.Errorf("%d different addresses, want 50", len(different))
	}
}
