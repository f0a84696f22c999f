package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
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
	client.HTTPClient.Timeout = answerWait
	client.HTTPClient.CheckRedirect = func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // a POST would become a GET
	}
	return &webhook{url: text, host: u.Host, agent: "agepath/" + version, client: client}, nil
}

func (h *webhook) send(ctx context.Context, body []byte) error {
	request, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, h.url, bytes.NewReader(body))
	if err != nil {
		return errors.New("the webhook's URL cannot be used")
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", h.agent)
	answer, err := h.client.Do(request)
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

const (
	commandWait = 30 * time.Second
	// saidBytes of a failed command's output are logged.
	saidBytes = 1 << 10
)

// shellCommand runs for each event, given on standard input.
type shellCommand string

func (c shellCommand) send(ctx context.Context, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, commandWait)
	defer cancel()
	command := exec.CommandContext(ctx, shell[0], shell[1], string(c))
	command.Stdin = bytes.NewReader(append(body, '\n'))
	var said head
	command.Stdout, command.Stderr = &said, &said
	command.WaitDelay = 2 * time.Second
	withGroup(command)
	err := command.Run()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("it did not end within %v and was killed", commandWait)
	case err != nil:
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(said)))
	}
	return nil
}

type head []byte

func (h *head) Write(p []byte) (int, error) {
	*h = append(*h, p[:min(len(p), saidBytes-len(*h))]...)
	return len(p), nil
}
