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
)

// Fetcher downloads data sets of the catalog into a folder. The zero value is ready to use.
type Fetcher struct {
	Client  *http.Client // default [http.DefaultClient]
	BaseURL string       // default [OpenML]
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
	var content []byte
	url, md5Hex, err := f.origin(ctx, e)
	if err == nil {
		content, err = f.get(ctx, url)
	}
	if err != nil {
		return fmt.Errorf("%w; a copy of the file from elsewhere goes to %s", err, at)
	}
	if err := e.verify(ctx, file, content, md5Hex); err != nil {
		return fmt.Errorf("%s: %w", url, err)
	}
	return disk.WriteFile(disk.OS{}, at, content)
}

// get downloads a file within fetchTimeout.
func (f *Fetcher) get(ctx context.Context, url string) ([]byte, error) {
	timed, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	content, err := f.download(timed, url)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && timed.Err() != nil:
		err = fmt.Errorf("the answer is not whole after %v", fetchTimeout)
	case err == nil && len(content) > maxDownload:
		err = fmt.Errorf("the download is larger than %d bytes", maxDownload)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", url, err)
	}
	return content, nil
}

func (f *Fetcher) download(ctx context.Context, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json, */*")
	response, err := cmp.Or(f.Client, http.DefaultClient).Do(request)
	if wrapped, ok := errors.AsType[*neturl.Error](err); ok {
		err = wrapped.Err // without the URL, which get adds
	}
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("server answers %s", response.Status)
	}
	return io.ReadAll(io.LimitReader(response.Body, maxDownload+1))
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

func describe(raw []byte, base string, id int) (url, md5Hex string, err error) {
	var answer struct {
		Description struct {
			ID     string `json:"id"`
			FileID string `json:"file_id"`
			URL    any    `json:"url"`          // an empty list for none
			MD5    any    `json:"md5_checksum"` // likewise
		} `json:"data_set_description"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return "", "", fmt.Errorf("description of the data set: %w", err)
	}
	about := answer.Description
	if about.ID != fmt.Sprint(id) {
		return "", "", fmt.Errorf("description is of data set %q, expected %d", about.ID, id)
	}
	md5Hex, _ = about.MD5.(string)
	if url, _ = about.URL.(string); url == "" {
		if about.FileID == "" {
			return "", "", fmt.Errorf("description of data set %d names no file", id)
		}
		url = fmt.Sprintf("%s/data/v1/download/%s", base, about.FileID)
	}
	return url, strings.ToLower(md5Hex), nil
}
