package dataset

import (
	"context"
	"crypto/md5" //nolint:gosec // the digest that OpenML states; it guards against damage, not against malice
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// OpenML is where descriptions of data sets come from by default.
const OpenML = "https://www.openml.org"

// Fetcher downloads data sets of the catalog into a folder. The zero value is
// ready to use.
//
// A download goes to a file that ends in .part and is taken up again where it
// ended, also by a later process (but not by two at a time), as long as the server confirms by ETag or
// date that the file is still the same. Network errors, silence and the
// answers 408, 429 and 5xx are tried again after a growing, jittered time,
// which is never shorter than the server's Retry-After; other answers such as
// 404 and 410 end the fetch at once.
type Fetcher struct {
	Client  *http.Client // nil is http.DefaultClient
	BaseURL string       // of OpenML; "" is [OpenML]
	// Attempts is how many failures in a row that bring no further byte end
	// the fetch; 0 is 6.
	Attempts int
	// Stall is how long a server may be silent before the attempt is broken
	// off; 0 is 30 s.
	Stall time.Duration
	// Backoff is the time to wait after the given number of failures in a row,
	// from 1. nil doubles from 1 s to 60 s and takes off up to a half at random.
	Backoff func(failures int) time.Duration
	// Progress, if not nil, is told of every piece received and every failure.
	Progress func(FetchProgress)
}

// FetchProgress is how far a fetch is.
type FetchProgress struct {
	Name        string // of the data set
	URL         string
	Done, Total int64         // bytes; Total is -1 where the server does not tell
	Failures    int           // in a row
	Wait        time.Duration // until the next attempt, after a failure
	Err         error         // the failure
}

// Fetch downloads a data set to the folder dir, at the place where a
// [Library] with that folder finds it. It checks the digest that OpenML
// states and the catalog's where it knows one, reads the data and compares
// the shape; only then the file gets its name. A file that is there already
// and passes is left alone.
func (f *Fetcher) Fetch(ctx context.Context, e Entry, dir string) error {
	if err := f.fetch(ctx, e, dir); err != nil {
		return fmt.Errorf("fetch data set %s: %w", e.Name, err)
	}
	return nil
}

func (f *Fetcher) fetch(ctx context.Context, e Entry, dir string) error {
	if e.Embedded {
		return errors.New("it is embedded in the program, there is nothing to fetch")
	}
	file, ok := e.Download()
	if !ok || e.URL == "" && e.OpenML == 0 {
		return errors.New("the catalog knows no place to download it from")
	}
	path := filepath.Join(dir, filepath.FromSlash(file.Path))
	if _, err := os.Stat(path); err == nil && e.verify(ctx, file, path, path, "") == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	from, err := f.origin(ctx, e)
	if err != nil {
		return err
	}
	part := partial{path: path + ".part", url: from.URL}
	for {
		if err := f.download(ctx, e.Name, &part); err != nil {
			return err
		}
		err := e.verify(ctx, file, part.path, path, from.MD5)
		if err == nil {
			return part.finish(path)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if removed := part.remove(); removed != nil {
			return errors.Join(err, removed)
		}
		// A file put together from pieces may hold those of two versions.
		// One that came in one piece is what the server has.
		if !part.pieced || !errors.Is(err, errDigest) {
			return fmt.Errorf("%s: %w", from.URL, err)
		}
	}
}

// origin is where a download comes from.
type origin struct {
	URL string
	MD5 string // hex, "" where it is not stated
}

func (f *Fetcher) origin(ctx context.Context, e Entry) (origin, error) {
	if e.URL != "" {
		return origin{URL: e.URL}, nil
	}
	var from origin
	base := f.BaseURL
	if base == "" {
		base = OpenML
	}
	url := fmt.Sprintf("%s/api/v1/json/data/%d", base, e.OpenML)
	err := f.retry(ctx, &FetchProgress{Name: e.Name, URL: url, Total: -1}, func() (advanced bool, err error) {
		from, err = f.describe(ctx, base, url, e.OpenML)
		return false, err
	})
	return from, err
}

// errDigest is a file whose bytes are not the expected ones.
var errDigest = errors.New("wrong bytes")

// verify checks digests and shape of the downloaded file at path, which is
// going to be named final.
func (e Entry) verify(ctx context.Context, file File, path, final, md5Hex string) error {
	for _, known := range []struct {
		name, digest, by string
		hash             hash.Hash
	}{
		{"MD5", md5Hex, "OpenML states", md5.New()}, //nolint:gosec // as above
		{"SHA-256", file.SHA256, "the catalog knows", sha256.New()},
	} {
		if known.digest == "" {
			continue
		}
		got, err := contentDigest(ctx, path, known.hash)
		if err != nil {
			return err
		}
		if got != known.digest {
			return fmt.Errorf("%w: %s is %s, %s %s", errDigest, known.name, got, known.by, known.digest)
		}
	}
	r, err := os.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	d, err := Read(ctx, r, filepath.Base(final), file.Options)
	if err != nil {
		return err
	}
	return e.checkShape(d, Options{})
}

// finish gives the verified download its name, durably.
func (p *partial) finish(path string) error {
	if err := os.Rename(p.path, path); err != nil {
		return err
	}
	if err := os.Remove(p.statePath()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if runtime.GOOS == "windows" { // cannot sync a folder
		return nil
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
