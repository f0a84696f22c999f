package needs

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// Systems give ports from 32768 on to connections and to listeners that ask for
// any: a port from there can be another's before the server listens on it.
const first, last = 10240, 32767

// FreePorts returns n different addresses, 127.0.0.1:PORT, that nobody listens on
// now and that the system gives to nobody by itself: for servers whose ports have to be
// known before they listen, as those of a cluster, and those that come back.
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
