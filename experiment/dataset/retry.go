package dataset

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxWait is the longest time a server may ask to be left alone.
const maxWait = 10 * time.Minute

// fatalError is an error that another attempt would not mend.
type fatalError struct{ error }

func (e fatalError) Unwrap() error { return e.error }

// statusError is an answer that is not the data.
type statusError struct {
	status  int
	message string        // what the server says, "" for nothing
	after   time.Duration // its Retry-After
}

func (e *statusError) Error() string {
	text := fmt.Sprintf("server answers %d %s", e.status, http.StatusText(e.status))
	if e.message != "" {
		text += ": " + e.message
	}
	return text
}

// worthRetry tells whether another attempt may succeed.
func worthRetry(err error) bool {
	var fatal fatalError
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &fatal) || errors.As(err, &certificate) {
		return false
	}
	if status, ok := errors.AsType[*statusError](err); ok {
		return status.status == http.StatusRequestTimeout || status.status == http.StatusTooManyRequests || status.status >= 500
	}
	return true
}

// retry calls try until it succeeds, fails for good, or fails too often in a
// row without having advanced. It reports failures with what try has put into
// progress.
func (f *Fetcher) retry(ctx context.Context, progress *FetchProgress, try func() (advanced bool, err error)) error {
	limit := f.Attempts
	if limit == 0 {
		limit = 6
	}
	for failures := 0; ; {
		advanced, err := try()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !worthRetry(err) {
			return fmt.Errorf("%s: %w", progress.URL, err)
		}
		if advanced {
			failures = 0
		}
		failures++
		if failures >= limit {
			return fmt.Errorf("%s: %w; gave up after %d failures in a row", progress.URL, err, failures)
		}
		wait := f.backoff(failures)
		if status, ok := errors.AsType[*statusError](err); ok {
			wait = max(wait, status.after)
		}
		if wait > maxWait {
			return fmt.Errorf("%s: %w; the server asks to wait %v", progress.URL, err, wait)
		}
		failure := *progress
		failure.Failures, failure.Wait, failure.Err = failures, wait, err
		f.report(failure)
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

func (f *Fetcher) backoff(failures int) time.Duration {
	if f.Backoff != nil {
		return f.Backoff(failures)
	}
	full := min(time.Second<<min(failures-1, 6), time.Minute)
	return full - time.Duration(rand.Int64N(int64(full/2)+1))
}

func (f *Fetcher) report(progress FetchProgress) {
	if f.Progress != nil {
		f.Progress(progress)
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// errStalled is a server that went silent.
var errStalled = errors.New("the server went silent")

// get sends a request whose answer ends with [errStalled] when nothing comes
// for the stall time. The caller closes the body.
func (f *Fetcher) get(ctx context.Context, url string, header http.Header) (*http.Response, error) {
	if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
		return nil, fatalError{fmt.Errorf("address %q is not http or https", url)}
	}
	client, stall := f.Client, f.Stall
	if client == nil {
		client = http.DefaultClient
	}
	if stall == 0 {
		stall = 30 * time.Second
	}
	ctx, cancel := context.WithCancelCause(ctx)
	watch := &watchedBody{ctx: ctx, cancel: cancel, stall: stall,
		timer: time.AfterFunc(stall, func() { cancel(fmt.Errorf("%w for %v", errStalled, stall)) })}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		watch.stop()
		return nil, fatalError{err}
	}
	request.Header = header
	response, err := client.Do(request)
	if err != nil {
		err = watch.explain(err)
		watch.stop()
		return nil, err
	}
	watch.body = response.Body
	response.Body = watch
	return response, nil
}

// watchedBody is the body of an answer that must not go silent.
type watchedBody struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	stall  time.Duration
	body   io.ReadCloser
}

func (w *watchedBody) Read(p []byte) (int, error) {
	n, err := w.body.Read(p)
	if err != nil && err != io.EOF {
		return n, w.explain(err)
	}
	w.timer.Reset(w.stall)
	return n, err
}

func (w *watchedBody) Close() error {
	w.stop()
	return w.body.Close()
}

func (w *watchedBody) stop() {
	w.timer.Stop()
	w.cancel(nil)
}

// explain puts the reason for which the request was cancelled before what
// net/http makes of it.
func (w *watchedBody) explain(err error) error {
	if cause := context.Cause(w.ctx); cause != nil {
		return cause
	}
	return err
}

// refusal turns an answer that is not the data into an error.
func refusal(response *http.Response) error {
	refused := &statusError{status: response.StatusCode}
	if text := response.Header.Get("Retry-After"); text != "" {
		if seconds, err := strconv.Atoi(text); err == nil {
			refused.after = time.Duration(min(max(seconds, 0), 1e6)) * time.Second
		} else if at, err := http.ParseTime(text); err == nil {
			refused.after = time.Until(at)
		}
	}
	var body struct {
		Error struct{ Message string }
	}
	// The message is an extra: a body that is something else has none.
	if json.NewDecoder(io.LimitReader(response.Body, 1<<12)).Decode(&body) == nil {
		refused.message = body.Error.Message
	}
	return refused
}
