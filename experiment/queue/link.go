package queue

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// link reports loss and restoration of a connection and each different error between them once:
// hours without a server are a few lines.
type link struct {
	report func(error)

	mu   sync.Mutex
	lost map[string]bool
}

func (l *link) down(err error) {
	if err == nil { // closed by ourselves
		return
	}
	l.mu.Lock()
	l.lost = map[string]bool{}
	l.mu.Unlock()
	l.report(fmt.Errorf("connection lost, restoring it: %w", err))
}

func (l *link) up(url string) {
	l.mu.Lock()
	l.lost = nil
	l.mu.Unlock()
	l.report(fmt.Errorf("connection restored: %s", url))
}

func (l *link) trouble(err error) {
	l.mu.Lock()
	told := l.lost[err.Error()]
	if l.lost != nil {
		l.lost[err.Error()] = true
	}
	l.mu.Unlock()
	if !told {
		l.report(err)
	}
}

// dial retries for config.ConnectWait while no server answers; a refusal is final.
func dial(ctx context.Context, config Config, options []nats.Option) (*nats.Conn, error) {
	began, said, long := time.Now(), "", "for "+config.ConnectWait.String()
	if config.ConnectWait == Forever {
		long = "for as long as it takes"
	}
	for attempt := 1; ; attempt++ {
		conn, err := nats.Connect(config.URL, options...)
		if err == nil && said != "" {
			config.Report(fmt.Errorf("connected to NATS at %s after %v", connectedTo(conn), time.Since(began).Round(time.Millisecond)))
		}
		wait := backoff(attempt)
		if err == nil || !transient(err) || time.Since(began)+wait > config.ConnectWait {
			return conn, err
		}
		if err.Error() != said {
			said = err.Error()
			config.Report(fmt.Errorf("connecting to NATS at %s, trying again %s: %w", config.servers, long, err))
		}
		if err := Sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// password reads the file for every connection, so that it can be renewed.
func password(user, file string, trouble func(error)) (nats.Option, error) {
	read := func() (string, error) {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("password of NATS user %s: %w", user, err)
		}
		if text := strings.TrimRight(string(text), "\r\n"); text != "" {
			return text, nil
		}
		return "", fmt.Errorf("password of NATS user %s: %s is empty", user, file)
	}
	if _, err := read(); err != nil {
		return nil, err
	}
	return nats.UserInfoHandler(func() (string, string) {
		text, err := read()
		if err != nil {
			trouble(err)
		}
		return user, text
	}), nil
}
