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
	"net/http"
	neturl "net/url"
	"os"
	"path"
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
// A network error, a timeout after ten minutes, and the answers 408, 429 and 5xx are retried once
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
	at := filepath.Join(dir, filepath.FromSlash(file.Path))
	if content, err := os.ReadFile(at); err == nil && e.verify(ctx, file, content, "") == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	url, md5Hex, err := f.origin(ctx, e)
	if err != nil {
		return err
	}
	content, err := f.get(ctx, url)
	if err != nil {
		return err
	}
	if err := e.verify(ctx, file, content, md5Hex); err != nil {
		return fmt.Errorf("%s: %w", url, err)
	}
	return disk.WriteFile(disk.OS{}, at, content)
}

// get retries once.
func (f *Fetcher) get(ctx context.Context, url string) ([]byte, error) {
	content, again, err := f.try(ctx, url)
	if again && ctx.Err() == nil {
		if f.Retry != nil {
			f.Retry(url, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(fetchPause):
			content, _, err = f.try(ctx, url)
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err == nil && len(content) > maxDownload {
		err = fmt.Errorf("the download is larger than %d bytes", maxDownload)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", url, err)
	}
	return content, nil
}

// try reports whether a retry may help.
func (f *Fetcher) try(ctx context.Context, url string) (content []byte, again bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	defer func() {
		if again && ctx.Err() != nil {
			err = fmt.Errorf("the answer is not whole after %v", fetchTimeout)
		}
	}()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, false, err
	}
	request.Header.Set("Accept", "application/json, */*")
	response, err := cmp.Or(f.Client, http.DefaultClient).Do(request)
	if wrapped, ok := errors.AsType[*neturl.Error](err); ok {
		err = wrapped.Err // without the URL, which get adds
	}
	if err != nil {
		return nil, true, err
	}
	defer response.Body.Close()
	if code := response.StatusCode; code != http.StatusOK {
		return nil, code == http.StatusRequestTimeout || code == http.StatusTooManyRequests || code >= 500, refusal(response)
	}
	content, err = io.ReadAll(io.LimitReader(response.Body, maxDownload+1))
	return content, err != nil, err
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

// origin also returns the MD5 in hex that OpenML states, or "".
func (f *Fetcher) origin(ctx context.Context, e Entry) (url, md5Hex string, err error) {
	if e.URL != "" {
		return e.URL, "", nil
	}
	base := cmp.Or(f.BaseURL, OpenML)
	about := fmt.Sprintf("%s/api/v1/json/data/%d", base, e.OpenML)
	raw, err := f.get(ctx, about)
	if err == nil {
		if url, md5Hex, err = describe(raw, base, e.OpenML); err != nil {
			err = fmt.Errorf("%s: %w", about, err)
		}
	}
	return url, md5Hex, err
}

// verify checks the bytes of a file.
func (e Entry) verify(ctx context.Context, file File, content []byte, md5Hex string) error {
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
		got, err := contentDigest(ctx, bytes.NewReader(content), known.hash)
		if err != nil {
			return err
		}
		if got != known.digest {
			return fmt.Errorf("wrong bytes: %s is %s, %s %s", known.name, got, known.by, known.digest)
		}
	}
	d, err := Read(ctx, bytes.NewReader(content), path.Base(file.Path), file.Options)
	if err != nil {
		return err
	}
	return e.checkShape(d, Options{})
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

func describe(raw []byte, base string, id int) (url, md5Hex string, err error) {
	var answer struct {
		Description struct {
			ID     looseText `json:"id"`
			FileID looseText `json:"file_id"`
			URL    looseText `json:"url"`
			MD5    looseText `json:"md5_checksum"`
		} `json:"data_set_description"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return "", "", fmt.Errorf("description of the data set: %w", err)
	}
	about := answer.Description
	if about.ID != looseText(fmt.Sprint(id)) {
		return "", "", fmt.Errorf("description is of data set %q, expected %d", about.ID, id)
	}
	if url = string(about.URL); url == "" {
		if about.FileID == "" {
			return "", "", fmt.Errorf("description of data set %d names no file", id)
		}
		url = fmt.Sprintf("%s/data/v1/download/%s", base, about.FileID)
	}
	return url, strings.ToLower(string(about.MD5)), nil
}
