package queue

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// Forever disables a timeout.
const Forever time.Duration = math.MaxInt64

// Config selects a server and its settings. Zero values mean defaults.
type Config struct {
	// URL of the server, or several separated by commas. Default: nats://127.0.0.1:4222.
	URL string

	// Server is an embedded server, used instead of URL without a network.
	Server *Server

	// Name of the connection at the server. Default: "agepath".
	Name string

	// Domain is the JetStream domain of the streams, reached through a leaf node. Default: the
	// server's.
	Domain string

	// Replicas of each stream that [Queue.EnsureStreams] creates: 1, 3 or 5. Default: 1, or that of
	// existing streams. With 1, a lost server takes its tasks and results with it.
	Replicas int

	// AckWait is the time without a heartbeat after which the server redelivers a task; workers
	// send one every third of it. [Queue.Publish] writes it into the run's consumer. Default: the
	// run's value; for a new run 30 s, or 5 s on an embedded server that does not listen, whose
	// workers die with it. If too short, a network pause has cells computed twice; if too long,
	// cells of a lost worker wait.
	AckWait time.Duration

	// Owner (see [CheckOwner]) and Priority (1 to [MaxPriority]) of runs that [Queue.Publish] queues, kept in their
	// consumers. Default: the run's; for a new run the current user and [DefaultPriority].
	Owner    string
	Priority int

	// CredentialsFile holds a JWT and key, NKeyFile an nkey seed, PasswordFile the password of
	// User. The caller sets one of them at most; URL can hold user and password.
	CredentialsFile, NKeyFile string
	User, PasswordFile        string

	// CAFile holds the certificates (PEM) that sign the server's (default: the system's), CertFile
	// and KeyFile the client's own. Any of them turns on TLS.
	CAFile, CertFile, KeyFile string

	// InboxPrefix begins reply subjects. Default: "_INBOX". Users with the same prefix can read
	// each other's replies.
	InboxPrefix string

	// ConnectWait bounds the attempts at the first connection; [Forever] is allowed. Default: one
	// attempt. Later reconnecting has no limit.
	ConnectWait time.Duration

	// Renew returns URL as it is configured now, asked while no server answers; "" keeps it.
	// Default: it stays.
	Renew func() string

	// Report receives errors that the queue survives, such as lost connections and retries. It must
	// not block; any goroutine may call it.
	Report func(error)

	servers servers
}

func (c Config) withDefaults() (Config, error) {
	c.URL, c.Name = cmp.Or(c.URL, nats.DefaultURL), cmp.Or(c.Name, "agepath")
	var err error
	if c.servers, err = parseServers(c.URL); err != nil {
		return c, err
	}
	if c.Report == nil {
		c.Report = func(error) {}
	}
	if c.Server != nil { // the machine can be busy
		c.ConnectWait = max(c.ConnectWait, 2*requestWait)
	}
	return c, nil
}

// renew reports whether other servers are configured now.
func (c *Config) renew() bool {
	if c.Renew == nil {
		return false
	}
	url := c.Renew()
	list, err := parseServers(url)
	if url == c.URL || err != nil {
		return false
	}
	c.URL, c.servers = url, list
	return true
}

// options bounds an attempt to connect by timeout. It reconnects without a limit, even after
// refused logins: credential files are renewed under running workers.
func (c Config) options(timeout time.Duration) ([]nats.Option, error) {
	states := &link{report: c.Report}
	options := []nats.Option{
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { states.down(err) }),
		nats.ReconnectErrHandler(func(conn *nats.Conn, err error) {
			states.trouble(fmt.Errorf("reconnecting: %w", err))
			if c.renew() {
				go func() { _ = conn.SetServerPool(strings.Split(c.URL, ",")) }() // otherwise it is closed
			}
		}),
		nats.ReconnectHandler(func(conn *nats.Conn) { states.up(connectedTo(conn).String()) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { states.trouble(err) }),
		nats.Name(c.Name),
		nats.Timeout(timeout),
		nats.MaxReconnects(-1),
		// Notices a dead connection in half a minute instead of two.
		nats.PingInterval(10 * time.Second),
		nats.MaxPingsOutstanding(2),
		nats.IgnoreAuthErrorAbort(),
		nats.CustomReconnectDelay(backoff),
	}
	if c.Server != nil {
		options = append(options, nats.InProcessServer(c.Server.server), nats.Token(c.Server.config.Token))
	}
	if c.CredentialsFile != "" {
		options = append(options, nats.UserCredentials(c.CredentialsFile))
	}
	if c.NKeyFile != "" {
		option, err := nats.NkeyOptionFromSeed(c.NKeyFile)
		if err != nil {
			return nil, fmt.Errorf("nkey file %s: %w; a seed as `nk -gen user` makes it is allowed", c.NKeyFile, err)
		}
		options = append(options, option)
	}
	if c.User != "" {
		option, err := password(c.User, c.PasswordFile, states.trouble)
		if err != nil {
			return nil, err
		}
		options = append(options, option)
	}
	if c.CAFile != "" {
		options = append(options, nats.RootCAs(c.CAFile))
	}
	if c.CertFile != "" {
		options = append(options, nats.ClientCert(c.CertFile, c.KeyFile))
	}
	if c.InboxPrefix != "" {
		options = append(options, nats.CustomInboxPrefix(c.InboxPrefix))
	}
	return options, nil
}

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
		config.renew()
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
		return "", fmt.Errorf("password of NATS user %s: %s is empty; write the password into it", user, file)
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
