package queue

import (
	"cmp"
	"fmt"
	"math"
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

	// Owner and Priority (1 to [MaxPriority]) of runs that [Queue.Publish] queues, kept in their
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

	// Report receives errors that the queue survives, such as lost connections and retries. It must
	// not block; any goroutine may call it.
	Report func(error)

	servers servers
	window  int // maximum number of unconfirmed tasks or results; with 1 each costs a round trip
}

func (c Config) withDefaults() (Config, error) {
	c.URL, c.Name, c.window = cmp.Or(c.URL, nats.DefaultURL), cmp.Or(c.Name, "agepath"), 1024
	var err error
	if c.servers, err = parseServers(c.URL); err != nil {
		return c, err
	}
	switch c.Replicas {
	case 0, 1, 3, 5:
	default:
		return c, fmt.Errorf("replicas %d; allowed are 1, 3 and 5", c.Replicas)
	}
	if c.AckWait < 0 || c.ConnectWait < 0 {
		return c, fmt.Errorf("ack wait %v, connect wait %v; none may be negative", c.AckWait, c.ConnectWait)
	}
	if err := checkTurns(c.Owner, c.Priority); err != nil {
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

// options bounds an attempt to connect by timeout. It reconnects without a limit, even after
// refused logins: credential files are renewed under running workers.
func (c Config) options(timeout time.Duration) ([]nats.Option, error) {
	states := &link{report: c.Report}
	options := []nats.Option{
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { states.down(err) }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { states.trouble(fmt.Errorf("reconnecting: %w", err)) }),
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
			return nil, fmt.Errorf("nkey file %s: %w", c.NKeyFile, err)
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
