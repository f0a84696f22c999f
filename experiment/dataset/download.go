package dataset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// maxDownload bounds the bytes of a file that is fetched.
const maxDownload = 1 << 30

// partial is a file on its way: the bytes so far in path, and beside it what
// is needed to go on.
type partial struct {
	path   string
	url    string
	most   int64 // most bytes there ever were
	pieced bool  // what is there came in several answers
}

// partialState is stored beside the bytes.
type partialState struct {
	URL       string `json:"url"`
	Validator string `json:"validator"` // for If-Range: a strong ETag or a date
}

func (p *partial) statePath() string { return p.path + ".json" }

// resume returns where to go on and the validator of what is there; 0 where
// nothing is there or nothing proves what it is.
func (p *partial) resume() (offset int64, validator string) {
	raw, err := os.ReadFile(p.statePath())
	if err != nil {
		return 0, ""
	}
	var state partialState
	if json.Unmarshal(raw, &state) != nil || state.URL != p.url || state.Validator == "" {
		return 0, ""
	}
	info, err := os.Lstat(p.path)
	if err != nil || !info.Mode().IsRegular() {
		return 0, ""
	}
	return info.Size(), state.Validator
}

// restart empties the file and notes what the bytes to come belong to.
func (p *partial) restart(validator string) (*os.File, error) {
	p.pieced = false
	if err := p.remove(); err != nil {
		return nil, err
	}
	if validator != "" {
		raw, err := json.Marshal(partialState{p.url, validator})
		if err != nil {
			return nil, err
		}
		state, err := create(p.statePath())
		if err == nil {
			_, err = state.Write(raw)
			err = errors.Join(err, state.Close())
		}
		if err != nil {
			return nil, err
		}
	}
	return create(p.path)
}

// create creates a file that must not exist, not even as a link.
func create(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
}

// remove deletes the bytes first, so that they never stand beside a state
// that is not theirs.
func (p *partial) remove() error {
	for _, path := range []string{p.path, p.statePath()} {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// download brings the whole file to the disk.
func (f *Fetcher) download(ctx context.Context, name string, p *partial) error {
	progress := &FetchProgress{Name: name, URL: p.url, Total: -1}
	return f.retry(ctx, progress, func() (advanced bool, err error) {
		size, err := f.transfer(ctx, progress, p)
		advanced = size > p.most
		p.most = max(p.most, size)
		return advanced, err
	})
}

// transfer makes one attempt and returns how many bytes are there after it.
func (f *Fetcher) transfer(ctx context.Context, progress *FetchProgress, p *partial) (size int64, err error) {
	offset, validator := p.resume()
	header := http.Header{"Accept-Encoding": {"identity"}} // ranges count the bytes of the file
	if offset > 0 {
		header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
		header.Set("If-Range", validator)
	}
	response, err := f.get(ctx, p.url, header)
	if err != nil {
		return offset, err
	}
	defer response.Body.Close()
	if tag := response.Header.Get("ETag"); response.StatusCode == http.StatusPartialContent && strings.HasPrefix(validator, `"`) && tag != "" && tag != validator {
		return 0, errors.Join(errors.New("the server goes on with another version of the file"), fatal(p.remove()))
	}
	file, offset, total, err := p.open(response, offset)
	if err != nil || file == nil {
		return offset, err
	}
	progress.Done, progress.Total = offset, total
	size, err = f.copy(file, response.Body, progress)
	if err == nil && total >= 0 && size != total {
		err = fmt.Errorf("%d of %d bytes came: %w", size, total, io.ErrUnexpectedEOF)
	}
	if err == nil {
		err = fatal(file.Sync())
	}
	return size, errors.Join(err, fatal(file.Close()))
}

// open readies the file for the answer to a request from offset. It returns
// where the answer goes on and the size of the whole, -1 where that is not
// told; the file is nil when all of it is there already.
func (p *partial) open(response *http.Response, offset int64) (file *os.File, at, total int64, err error) {
	if encoding := response.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return nil, offset, 0, fatalError{fmt.Errorf("the server sends encoding %q unasked", encoding)}
	}
	switch response.StatusCode {
	case http.StatusOK:
		file, err = p.restart(validatorOf(response))
		return file, 0, response.ContentLength, fatal(err)
	case http.StatusPartialContent:
		var from, to int64
		total = -1
		_, err := fmt.Sscanf(response.Header.Get("Content-Range"), "bytes %d-%d/%d", &from, &to, &total)
		if (err != nil && total != -1) || from != offset || offset == 0 {
			return nil, 0, 0, errors.Join(fmt.Errorf("asked for bytes from %d, got range %q", offset, response.Header.Get("Content-Range")), fatal(p.remove()))
		}
		p.pieced = true
		root, err := os.OpenRoot(filepath.Dir(p.path))
		if err != nil {
			return nil, offset, total, fatal(err)
		}
		defer func() { _ = root.Close() }()                                          // it was only looked into
		file, err = root.OpenFile(filepath.Base(p.path), os.O_WRONLY|os.O_APPEND, 0) // not where a link leads
		return file, offset, total, fatal(err)
	case http.StatusRequestedRangeNotSatisfiable:
		if _, err := fmt.Sscanf(response.Header.Get("Content-Range"), "bytes */%d", &total); err == nil && total == offset {
			p.pieced = true
			return nil, offset, total, nil
		}
		return nil, 0, 0, errors.Join(fmt.Errorf("the server has no bytes from %d", offset), fatal(p.remove()))
	}
	return nil, offset, 0, refusal(response)
}

// copy appends the answer to the file.
func (f *Fetcher) copy(file *os.File, body io.Reader, progress *FetchProgress) (size int64, err error) {
	buffer := make([]byte, 1<<16)
	for {
		n, err := body.Read(buffer)
		if _, err := file.Write(buffer[:n]); err != nil {
			return progress.Done, fatalError{err}
		}
		progress.Done += int64(n)
		if progress.Done > maxDownload {
			return progress.Done, fatalError{fmt.Errorf("the file is larger than %d bytes", maxDownload)}
		}
		if n > 0 {
			f.report(*progress)
		}
		if err == io.EOF {
			return progress.Done, nil
		}
		if err != nil {
			return progress.Done, err
		}
	}
}

// validatorOf returns what If-Range may carry for this answer: a strong ETag,
// else the date of the last change, else "".
func validatorOf(response *http.Response) string {
	if tag := response.Header.Get("ETag"); strings.HasPrefix(tag, `"`) {
		return tag
	}
	return response.Header.Get("Last-Modified")
}

// fatal marks an error of the disk, nil stays nil.
func fatal(err error) error {
	if err == nil {
		return nil
	}
	return fatalError{err}
}
