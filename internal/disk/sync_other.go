//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package disk

func syncDir(string) error { return nil }
