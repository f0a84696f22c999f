package gaga

import (
	"os"
	"testing"
)

// All paths of the tests are verified, unless AGEPATH_VERIFY=0 says no, for
// times at full size.
func TestMain(m *testing.M) {
	if os.Getenv("AGEPATH_VERIFY") == "" {
		if err := os.Setenv("AGEPATH_VERIFY", "1"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
