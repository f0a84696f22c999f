package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

const (
	// retries come after firstPause, then twice as long each time, or as Retry-After says.
	retries    = 5
	firstPause = time.Second
	answerWait = 10 * time.Second
	// answerBytes are read, so that the connection can be reused.
	answerBytes = 64 << 10
)

type webhook struct {
	url, host, agent string
	client           *retryablehttp.Client
}

// newWebhook's errors do not quote the URL, which may contain a secret.
func newWebhook(text, version string, pause time.Duration) (*webhook, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" {
		return nil, errors.New("not a webhook URL; use https://HOST/PATH or http://HOST/PATH")
	}
	client := retryablehttp.NewClient()
	client.Logger = nil
	client.RetryMax, client.RetryWaitMin, client.RetryWaitMax = retries, pause, 20*pause
	client.ErrorHandler = retryablehttp.PassthroughErrorHandler
	client.ResponseLogHook = func(_ retryablehttp.Logger, answer *http.Response) {
		if last, ok := answer.Request.Context().Value(lastAnswer{}).(*string); ok {
			*last = answer.Status
		}
	}
	client.HTTPClient.Timeout = answerWait
	client.HTTPClient.CheckRedirect = func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // a POST would become a GET
	}
	return &webhook{url: text, host: u.Host, agent: "agepath/" + version, client: client}, nil
}

// lastAnswer is the context key of the newest status.
type lastAnswer struct{}

func (h *webhook) send(ctx context.Context, body []byte) error {
	request, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, h.url, bytes.NewReader(body))
	if err != nil {
		return errors.New("the webhook's URL cannot be used")
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", h.agent)
	last := "" // newest status that is retried
	request = request.WithContext(context.WithValue(ctx, lastAnswer{}, &last))
	answer, err := h.client.Do(request)
	if err != nil && last != "" {
		return fmt.Errorf("the answer is %s, and there was no time to try again", last)
	}
	if err != nil {
		if inner := new(url.Error); errors.As(err, &inner) {
			err = inner.Err // without the URL
		}
		return fmt.Errorf("no answer, %d attempts at most: %w", retries+1, err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, answerBytes)) // its content does not matter
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return fmt.Errorf("the answer is %s", answer.Status)
	}
	return nil
}
