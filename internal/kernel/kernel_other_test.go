//go:build !amd64 || purego

package kernel

func levels() []bool { return []bool{false} }

func setLevel(bool) {}
