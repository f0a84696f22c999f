package queue

import (
	"fmt"
	"math"
	"time"

	"github.com/nats-io/nats.go"
)

// Forever is a time that does not end.
const Forever time.Duration = math.MaxInt64

// Config says which server to use and how. The zero value of every field is a
// usable default.
type Config struct {
	// URL of the server, or several separated by commas, as [CheckServers] says.
	// Default: nats://127.0.0.1:4222. Unused when Server is set.
	URL string

	// Server is an embedded server to connect to without a network.
	Server *Server

	// Name of the connection in the server's own reports. Default: "agepath".
	Name string

	// Domain is the JetStream domain that keeps the streams, for a server that reaches it
	// through a leaf node. Default: the JetStream of the server itself.
	Domain string

	// Replicas of streams, data sets and large outcomes when [Queue.EnsureStreams]
	// creates them: 1, 3 or 5. Default: 1, or what existing streams have. With
	// 1, a lost server takes its tasks and results with it.
	Replicas int

	// AckWait is how long the server waits for a word about a task in flight
	// before it gives the task to another worker; workers report every third
	// of it. It is written into a run's consumer by [Queue.Publish]. Default:
	// what the run has; for a new one 30 s, or 5 s on an embedded server that does not
	// listen, whose workers die with it. Too
	// short, and a pause of the network has cells computed twice; too long,
	// and the cells of a lost worker wait for it.
	AckWait time.Duration

	// Owner is whose turns the runs take that [Queue.Publish] queues, and Priority, 1 to
	// [MaxPriority], their part among those of their owner. Workers divide their time among
	// owners evenly, and among the runs of an owner by priority. Both are written into a
	// run's consumer. Default: what the run has; for a new one the user that runs this
	// program, and [DefaultPriority].
	Owner    string
	Priority int

	// Window is how many published tasks may wait for the server's
	// confirmation at a time. Default: 1024. A window of 1 costs a round trip
	// a task.
	Window int

	// CredentialsFile holds a user's JWT and key, NKeyFile a user's nkey seed,
	// PasswordFile the password of User. At most one of them. User and password
	// can also go into URL.
	CredentialsFile, NKeyFile string
	User, PasswordFile        string

	// CAFile holds the certificates (PEM) that sign the server's; default: the
	// system's. CertFile and KeyFile hold the client's own certificate and key
	// for servers that ask for one. Any of them turns TLS on.
	CAFile, CertFile, KeyFile string

	// InboxPrefix is the first part of the subjects on which replies arrive.
	// Default: "_INBOX". Give each NATS user its own, or users can read each
	// other's replies.
	InboxPrefix string

	// ConnectWait is how long the first connection is tried while no server
	// answers; [Forever] is allowed. Default: one attempt. Later a lost
	// connection is restored however long it takes.
	ConnectWait time.Duration

	// Report is told of what the queue survives: a connection lost and
	// restored, a refused permission, an operation that is tried again. It
	// must not block and may be called from any goroutine. Default: nothing is
	// told.
	Report func(error)

	servers servers // those of URL
}

func (c Config) withDefaults() (Config, error) {
	if c.URL == "" {
		c.URL = nats.DefaultURL
	}
	if c.Name == "" {
		c.Name = "agepath"
	}
	var err error
	if c.servers, err = parseServers(c.URL); err != nil {
		return c, err
	}
	switch c.Replicas {
	case 0, 1, 3, 5:
	default:
		return c, fmt.Errorf("replicas %d; allowed are 1, 3 and 5", c.Replicas)
	}
	if c.Window == 0 {
		c.Window = 1024
	}
	if c.AckWait < 0 || c.Window < 0 || c.ConnectWait < 0 {
		return c, fmt.Errorf("ack wait %v, window %d, connect wait %v; none may be negative", c.AckWait, c.Window, c.ConnectWait)
	}
	if err := checkTurns(c.Owner, c.Priority); err != nil {
		return c, err
	}
	logins := 0
	for _, given := range []bool{c.CredentialsFile != "", c.NKeyFile != "", c.User != ""} {
		if given {
			logins++
		}
	}
	if logins > 1 {
		return c, fmt.Errorf("credentials file %q, nkey file %q, user %q; only one of them is allowed", c.CredentialsFile, c.NKeyFile, c.User)
	}
	if (c.User == "") != (c.PasswordFile == "") {
		return c, fmt.Errorf("user %q and password file %q; both or none are allowed", c.User, c.PasswordFile)
	}
	if (c.CertFile == "") != (c.KeyFile == "") {
		return c, fmt.Errorf("certificate file %q and key file %q; both or none are allowed", c.CertFile, c.KeyFile)
	}
	if c.Report == nil {
		c.Report = func(error) {}
	}
	return c, nil
}

// options translates c for the client library, with a bound of one attempt to connect. Once connected it reconnects
// for as long as it takes, also past refused logins: credentials files are
// renewed under running workers.
func (c Config) options(timeout time.Duration) ([]nats.Option, error) {
	states := &link{report: c.Report}
	options := append(states.options(),
		nats.Name(c.Name),
		nats.Timeout(timeout),
		nats.MaxReconnects(-1),
		// A connection whose other end vanished without a word is noticed in
		// half a minute; the library's two minutes are for idle chats.
		nats.PingInterval(10*time.Second),
		nats.MaxPingsOutstanding(2),
		nats.IgnoreAuthErrorAbort(),
		nats.CustomReconnectDelay(backoff),
	)
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
