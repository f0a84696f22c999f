package gaga

import (
	"os"
	"testing"
)

// All paths of the tests are verified.
func TestMain(m *testing.M) {
	if err := os.Setenv("AGEPATH_VERIFY", "1"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
