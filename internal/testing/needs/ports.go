package needs

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// From 32768 on systems assign ports: another process may take one before the server listens.
const first, last = 10240, 32767

// FreePorts returns n different free addresses 127.0.0.1:PORT that the system does not assign, for
// servers whose ports must be known before they listen.
func FreePorts(t testing.TB, n int) []string {
	t.Helper()
	var list []string
	for tries := 0; len(list) < n; tries++ {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(first+rand.IntN(last-first+1)))
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
		if err != nil {
			if tries > 100 {
				t.Fatalf("looking for free ports: %v", err)
			}
			continue
		}
		defer listener.Close() // at the end: all are different
		list = append(list, address)
	}
	return list
}
