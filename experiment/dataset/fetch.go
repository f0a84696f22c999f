package dataset

import (
	"bytes"
	"cmp"
	"context"
	"crypto/md5" //nolint:gosec // the digest that OpenML states; it guards against damage, not against malice
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/http"
	neturl "net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agepath/agepath/internal/disk"
)

const (
	OpenML = "https://www.openml.org"

	maxDownload  = 1 << 30 // bytes
	fetchTimeout = 10 * time.Minute
	fetchPause   = 5 * time.Second // before a retry
)

// Fetcher downloads data sets of the catalog into a folder. The zero value is ready to use.
//
// Two processes must not fetch the same data set at once: they would share the file .part. A
// network error, a timeout after ten minutes, and the answers 408, 429 and 5xx are retried once
// after five seconds.
type Fetcher struct {
	Client  *http.Client // default [http.DefaultClient]
	BaseURL string       // default [OpenML]
	// Retry, if any, is called before each retry.
	Retry func(url string, err error)
}

// Fetch downloads a data set to where a [Library] with folder dir finds it. It verifies digests
// (OpenML's and the catalog's) and shape before it renames the file. A valid existing file is kept.
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
	part := path + ".part"
	if err := f.get(ctx, from.URL, func(r io.Reader) error { return save(part, r) }); err != nil {
		_ = os.Remove(part) // otherwise the next fetch replaces it
		return err
	}
	if err := e.verify(ctx, file, part, path, from.MD5); err != nil {
		_ = os.Remove(part)
		return fmt.Errorf("%s: %w", from.URL, err)
	}
	return finish(part, path)
}

func save(path string, r io.Reader) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	size, err := io.Copy(file, io.LimitReader(r, maxDownload+1))
	if err == nil && size > maxDownload {
		err = &fs.PathError{Op: "write", Path: path, Err: fmt.Errorf("the download is larger than %d bytes", maxDownload)}
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// get retries once.
func (f *Fetcher) get(ctx context.Context, url string, take func(io.Reader) error) error {
	again, err := f.try(ctx, url, take)
	if again && ctx.Err() == nil {
		if f.Retry != nil {
			f.Retry(url, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(fetchPause):
			_, err = f.try(ctx, url, take)
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", url, err)
	}
	return nil
}

// try reports whether a retry may help.
func (f *Fetcher) try(ctx context.Context, url string, take func(io.Reader) error) (again bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	defer func() {
		if again && ctx.Err() != nil {
			err = fmt.Errorf("the answer is not whole after %v", fetchTimeout)
		}
	}()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false, err
	}
	request.Header.Set("Accept", "application/json, */*")
	response, err := cmp.Or(f.Client, http.DefaultClient).Do(request)
	if wrapped, ok := errors.AsType[*neturl.Error](err); ok {
		err = wrapped.Err // without the URL, which get adds
	}
	if err != nil {
		return true, err
	}
	defer response.Body.Close()
	if code := response.StatusCode; code != http.StatusOK {
		return code == http.StatusRequestTimeout || code == http.StatusTooManyRequests || code >= 500, refusal(response)
	}
	err = take(response.Body)
	_, disk := errors.AsType[*fs.PathError](err)
	return err != nil && !disk, err
}

func refusal(response *http.Response) error {
	text := fmt.Sprintf("server answers %d %s", response.StatusCode, http.StatusText(response.StatusCode))
	var body struct {
		Error struct{ Message string }
	}
	if json.NewDecoder(io.LimitReader(response.Body, 1<<12)).Decode(&body) == nil && body.Error.Message != "" {
		text += ": " + body.Error.Message
	}
	return errors.New(text)
}

type origin struct {
	URL string
	MD5 string // hex, or ""
}

func (f *Fetcher) origin(ctx context.Context, e Entry) (origin, error) {
	if e.URL != "" {
		return origin{URL: e.URL}, nil
	}
	base := cmp.Or(f.BaseURL, OpenML)
	url := fmt.Sprintf("%s/api/v1/json/data/%d", base, e.OpenML)
	var raw []byte
	err := f.get(ctx, url, func(r io.Reader) (err error) {
		raw, err = io.ReadAll(io.LimitReader(r, 1<<24))
		return err
	})
	if err != nil {
		return origin{}, err
	}
	from, err := describe(raw, base, e.OpenML)
	if err != nil {
		return origin{}, fmt.Errorf("%s: %w", url, err)
	}
	return from, nil
}

// verify checks the file at path, later final.
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
			return fmt.Errorf("wrong bytes: %s is %s, %s %s", known.name, got, known.by, known.digest)
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

// finish renames a verified download durably.
func finish(part, path string) error {
	if err := os.Rename(part, path); err != nil {
		return err
	}
	return disk.OS{}.SyncDir(filepath.Dir(path))
}

// looseText is a JSON string or number, otherwise "": OpenML writes an empty list for nothing.
type looseText string

func (t *looseText) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*t = looseText(text)
	} else if raw = bytes.TrimSpace(raw); len(raw) > 0 && raw[0] != '[' && raw[0] != '{' {
		*t = looseText(raw)
	}
	return nil
}

func describe(raw []byte, base string, id int) (origin, error) {
	var answer struct {
		Description struct {
			ID     looseText `json:"id"`
			FileID looseText `json:"file_id"`
			URL    looseText `json:"url"`
			MD5    looseText `json:"md5_checksum"`
		} `json:"data_set_description"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return origin{}, fmt.Errorf("description of the data set: %w", err)
	}
	about := answer.Description
	if about.ID != looseText(fmt.Sprint(id)) {
		return origin{}, fmt.Errorf("description is of data set %q, expected %d", about.ID, id)
	}
	from := origin{URL: string(about.URL), MD5: strings.ToLower(string(about.MD5))}
	if from.URL == "" {
		if about.FileID == "" {
			return origin{}, fmt.Errorf("description of data set %d names no file", id)
		}
		from.URL = fmt.Sprintf("%s/data/v1/download/%s", base, about.FileID)
	}
	return from, nil
}
