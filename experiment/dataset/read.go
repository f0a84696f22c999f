package dataset

import (
	"context"
	"errors"
	"io"
)

// Read reads a table. name is the file name used in errors and for telling
// the format.
func Read(ctx context.Context, r io.Reader, name string, o Options) (*Dataset, error) {
	return nil, errors.ErrUnsupported
}

// ReadFile reads the table in a file.
func ReadFile(ctx context.Context, path string, o Options) (*Dataset, error) {
	return nil, errors.ErrUnsupported
}
