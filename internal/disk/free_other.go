//go:build !(darwin || freebsd || linux || windows)

package disk

// Free returns how many bytes this user can still write to the disk that holds
// a folder; [Unknown] where the system does not tell.
func Free(string) (int64, error) { return Unknown, nil }
