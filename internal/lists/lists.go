// Package lists makes lists of others.
package lists

// Map returns what of makes of each value.
func Map[T, R any](values []T, of func(value T) R) []R {
	list := make([]R, len(values))
	for i, value := range values {
		list[i] = of(value)
	}
	return list
}
