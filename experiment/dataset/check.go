package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"
)

// CheckResult describes the state of a data set of the catalog.
type CheckResult struct {
	Name     string
	Path     string // "" if embedded or absent
	Embedded bool
	SHA256   string // of the unzipped content; "" if embedded
	Verified bool   // SHA256 is the catalog's

	Task               Task
	Rows, Features     int
	Digest             string
	Negative, Positive int     // rows per class
	Low, High          float64 // of a regression's target

	// Err says that the data set is absent, unreadable, incomplete or not the catalog's.
	Err error
}

// Check finds, reads and verifies a data set of the catalog.
func (l *Library) Check(ctx context.Context, e Entry) CheckResult {
	result := CheckResult{Name: e.Name, Embedded: e.Embedded, Task: e.Task}
	result.Err = l.check(ctx, e, &result)
	return result
}

func (l *Library) check(ctx context.Context, e Entry, result *CheckResult) error {
	at, err := l.Locate(e)
	if err != nil {
		return err
	}
	result.Path = at.Path
	if !e.Embedded {
		file, err := os.Open(at.Path)
		if err != nil {
			return err
		}
		defer file.Close()
		if result.SHA256, err = contentDigest(ctx, file, sha256.New()); err != nil {
			return fmt.Errorf("read %s: %w", at.Path, err)
		}
		result.Verified = result.SHA256 == at.File.SHA256
	}
	d, err := e.read(ctx, at, Options{}, 0)
	if err != nil {
		return fmt.Errorf("check data set %s: %w", e.Name, err)
	}
	result.Rows, result.Features, result.Task, result.Digest = d.N, d.D, d.Task, d.Digest()
	if d.Task == Classification {
		for _, label := range d.Y {
			if label < 0 {
				result.Negative++
			} else {
				result.Positive++
			}
		}
	} else {
		result.Low, result.High = slices.Min(d.Y), slices.Max(d.Y)
	}
	if known := at.File.SHA256; known != "" && !result.Verified {
		return fmt.Errorf("check data set %s: %s has SHA-256 %s, expected %s: it was changed, or is another version", e.Name, at.Path, result.SHA256, known)
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
