package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
)

// CheckResult describes the state of a data set of the catalog.
type CheckResult struct {
	Path           string // "" if embedded or absent
	Task           Task
	Rows, Features int
	Digest         string

	// Err says that the data set is absent, unreadable, incomplete or not the catalog's.
	Err error
}

// Check finds, reads and verifies a data set of the catalog.
func (l *Library) Check(ctx context.Context, e Entry) CheckResult {
	result := CheckResult{Task: e.Task}
	result.Err = l.check(ctx, e, &result)
	return result
}

func (l *Library) check(ctx context.Context, e Entry, result *CheckResult) error {
	at, err := l.Locate(e)
	if err != nil {
		return err
	}
	result.Path = at.Path
	d, err := e.read(ctx, at, Options{}, 0)
	if err != nil {
		return fmt.Errorf("check data set %s: %w", e.Name, err)
	}
	result.Rows, result.Features, result.Task, result.Digest = d.N, d.D, d.Task, d.Digest()
	if at.File.SHA256 == "" {
		return nil
	}
	file, err := os.Open(at.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	digest, err := contentDigest(ctx, file, sha256.New())
	if err != nil {
		return fmt.Errorf("read %s: %w", at.Path, err)
	}
	if digest != at.File.SHA256 {
		return fmt.Errorf("check data set %s: %s has SHA-256 %s, expected %s: it was changed, or is another version", e.Name, at.Path, digest, at.File.SHA256)
	}
	return nil
}

func contentDigest(ctx context.Context, r io.Reader, digest hash.Hash) (string, error) {
	contents, err := unpacked(ctx, r)
	if err == nil {
		_, err = io.Copy(digest, contents)
	}
	return hex.EncodeToString(digest.Sum(nil)), err
}
