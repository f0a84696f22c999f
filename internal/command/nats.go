package command

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/spf13/pflag"

	"github.com/agepath/agepath/experiment/queue"
)

// natsFlag is set by AGEPATH_NATS_URL and, as by the rule for names, AGEPATH_NATS.
const natsFlag = "nats"

// connectWaits are the waits for a server at the start, by default 0. Workers start unattended, in
// any order.
var connectWaits = map[string]time.Duration{"worker": queue.Forever}

// NATS has the flags of a connection.
type NATS struct {
	queue.Config
	program string
}

// AddTo adds the flags of a connection. A user need only subscribe to its program's own inbox.
func (n *NATS) AddTo(flags *pflag.FlagSet) {
	flags.StringVar(&n.URL, natsFlag, "", "`URL` of the NATS server, or several separated by commas")
	Path(flags, &n.CredentialsFile, "creds", "`file` with a NATS user's credentials (JWT and key)")
	Path(flags, &n.NKeyFile, "nkey", "`file` with a NATS user's nkey seed")
	flags.StringVar(&n.User, "user", "", "`name` of a NATS user with a password")
	Path(flags, &n.PasswordFile, "password-file", "`file` with the password of --user")
	Path(flags, &n.CAFile, "tls-ca", "`file` with the certificates that sign the NATS server's (default: the system's)")
	Path(flags, &n.CertFile, "tls-cert", "`file` with this client's certificate, for servers that ask for one")
	Path(flags, &n.KeyFile, "tls-key", "`file` with the key of --tls-cert")
	flags.StringVar(&n.Domain, "jetstream-domain", "", "`name` of the JetStream domain that keeps the runs, where an account or a leaf node leads to it (default: the server's own)")
	flags.StringVar(&n.InboxPrefix, "inbox-prefix", "_INBOX_agepath_"+n.program, "first part of the `subjects` of replies, to which the NATS user must be allowed to subscribe")
	Wait(flags, &n.ConnectWait, "connect-wait", connectWaits[n.program], "`time` to wait for a NATS server that does not answer at the start, or forever; later a lost connection is restored however long it takes")
}

// AddStreams adds the flags for making streams and runs.
func (n *NATS) AddStreams(flags *pflag.FlagSet) {
	flags.IntVar(&n.Replicas, "replicas", 0, "`N` servers that keep each data set, task and result: 1, 3 or 5 (default: what the streams have, 1 for new ones)")
	flags.DurationVar(&n.AckWait, "ack-wait", 0, "`time` that a worker may be silent before others get its cells; 0s keeps the run's value, 30s for a new run")
	flags.StringVar(&n.Owner, "owner", "", "`name` whose turns the run takes: workers give each owner the same time (default: what the run has, the user of this machine for a new one)")
	Count(flags, &n.Priority, "priority", 0, 0, queue.MaxPriority, fmt.Sprintf("`N` parts that the run has of its owner's time, 1 to %d; 0 is what the run has, and %d for a new one", queue.MaxPriority, queue.DefaultPriority))
}

// Connect connects to the server; report gets errors that the connection survives, and a warning
// for each secret that everyone can read. Wrong flags or files are a [*Refusal]. Errors have
// advice.
func (n *NATS) Connect(ctx context.Context, name string, report func(error)) (*queue.Queue, error) {
	if err := n.Check(); err != nil {
		return nil, err
	}
	for _, warning := range exposed(n.secrets()) {
		report(warning)
	}
	config := n.Config
	config.Name, config.Report = name, func(err error) { report(n.Advise(err)) }
	q, err := queue.Connect(ctx, config)
	return q, n.Advise(err)
}

func (n *NATS) logins() []string {
	var given []string
	for _, login := range []struct{ flag, value string }{{"--creds", n.CredentialsFile}, {"--nkey", n.NKeyFile}, {"--user", n.User}} {
		if login.value != "" {
			given = append(given, login.flag)
		}
	}
	return given
}

// CheckAckWait refuses times so short that any pause would have cells delivered again.
func (n *NATS) CheckAckWait() error {
	if n.AckWait != 0 && n.AckWait < time.Second {
		return Refusef("--ack-wait: \"%v\" is not allowed; a time from 1s is", n.AckWait)
	}
	return nil
}

// Check returns a [*Refusal] of wrong flags, without a connection.
func (n *NATS) Check() error {
	logins := n.logins()
	switch {
	case n.URL == "":
		return Refusef("no NATS server is given; --nats URL, %s or the key %s of the config file does", EnvName(natsFlag), natsFlag)
	case len(logins) > 1:
		return Refusef("%s are given; only one of them is allowed", strings.Join(logins, " and "))
	case (n.User == "") != (n.PasswordFile == ""):
		return Refusef("--user and --password-file go together; both or none are allowed")
	case (n.CertFile == "") != (n.KeyFile == ""):
		return Refusef("--tls-cert and --tls-key go together; both or none are allowed")
	case n.InboxPrefix == "" || strings.ContainsAny(n.InboxPrefix, "*> ") || strings.HasSuffix(n.InboxPrefix, "."):
		return Refusef("--inbox-prefix: %q is not allowed; a subject without wildcards is, as in _INBOX", n.InboxPrefix)
	case strings.ContainsAny(n.Domain, ".*> "):
		return Refusef("--jetstream-domain: %q is not allowed; a name without dots, spaces and wildcards is", n.Domain)
	case !slices.Contains([]int{0, 1, 3, 5}, n.Replicas):
		return Refusef("--replicas: \"%d\" is not allowed; 1, 3 and 5 are", n.Replicas)
	}
	if err := n.CheckAckWait(); err != nil {
		return err
	}
	if err := queue.CheckOwner(n.Owner); err != nil {
		return Refusef("--owner: %w", err)
	}
	if err := queue.CheckServers(n.URL); err != nil {
		return Refusef("--%s: %w", natsFlag, err)
	}
	for _, file := range append(n.secrets(), natsFile{"tls-ca", n.CAFile}, natsFile{"tls-cert", n.CertFile}) {
		if file.path == "" {
			continue
		}
		opened, err := os.Open(file.path)
		if err != nil {
			return Refusef("--%s: %w", file.flag, err)
		}
		opened.Close()
	}
	return cmp.Or(n.checkCredentials(time.Now()), n.checkCertificates(time.Now()))
}

// checkCredentials refuses expired credentials: servers do not report expiry.
func (n *NATS) checkCredentials(now time.Time) error {
	if n.CredentialsFile == "" {
		return nil
	}
	text, err := os.ReadFile(n.CredentialsFile)
	if err != nil {
		return Refusef("--creds: %w", err)
	}
	token, err := jwt.ParseDecoratedJWT(text)
	if err != nil {
		return Refusef("--creds: %s: %w; a file as `nsc generate creds` makes it is allowed", n.CredentialsFile, err)
	}
	user, err := jwt.DecodeUserClaims(token)
	if err != nil {
		return Refusef("--creds: %s: %w; a file as `nsc generate creds` makes it is allowed", n.CredentialsFile, err)
	}
	if expires := time.Unix(user.Expires, 0); user.Expires != 0 && now.After(expires) {
		return Refusef("--creds: the credentials in %s expired at %s; ask the server's administrator for new ones", n.CredentialsFile, expires.Format(time.RFC3339))
	}
	return nil
}

// checkCertificates refuses certificates for which a server would just close the connection.
func (n *NATS) checkCertificates(now time.Time) error {
	if n.CAFile != "" {
		text, err := os.ReadFile(n.CAFile)
		if err != nil {
			return Refusef("--tls-ca: %w", err)
		}
		if !x509.NewCertPool().AppendCertsFromPEM(text) {
			return Refusef("--tls-ca: %s has no certificate; a file in PEM format with BEGIN CERTIFICATE is allowed", n.CAFile)
		}
	}
	if n.CertFile == "" {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(n.CertFile, n.KeyFile)
	if err != nil {
		return Refusef("--tls-cert %s with --tls-key %s: %w", n.CertFile, n.KeyFile, err)
	}
	if own := pair.Leaf; now.After(own.NotAfter) || now.Before(own.NotBefore) {
		return Refusef("--tls-cert: %s is valid from %s to %s; a certificate that is valid now is allowed, have it renewed, or set this machine's clock",
			n.CertFile, own.NotBefore.Format(time.RFC3339), own.NotAfter.Format(time.RFC3339))
	}
	return nil
}

// Unauthorized reports whether the server accepted the login but refused an operation.
func Unauthorized(err error) bool { return errors.Is(err, nats.ErrPermissionViolation) }

// Advise adds a remedy, if known, to an error of a connection or its use.
func (n *NATS) Advise(err error) error {
	if err == nil {
		return nil
	}
	if advice := n.advice(err); advice != "" {
		return fmt.Errorf("%w: %s", err, advice)
	}
	return err
}

func (n *NATS) advice(err error) string {
	var (
		invalid   x509.CertificateInvalidError
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		record    tls.RecordHeaderError
		op        *net.OpError
	)
	switch {
	case errors.Is(err, nats.ErrAuthorization):
		logins := n.logins()
		if len(logins) == 0 && strings.Contains(n.URL, "@") {
			logins = []string{"the user and password of --nats"}
		}
		if len(logins) > 0 {
			return fmt.Sprintf("the server does not accept %s; ask its administrator for a user of agepath", logins[0])
		}
		return "the server wants to know who this is; give --creds FILE, --nkey FILE, or --user NAME with --password-file FILE"
	case errors.Is(err, nats.ErrNoServers):
		return "no server answers there; start it or correct the URL"
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return "the server has lost streams, or this user's account has none; `coordinator submit GRID` makes them again"
	case errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAccountAuthExpired), errors.Is(err, nats.ErrAuthRevoked):
		return "ask the server's administrator for new credentials and replace the file; a running program takes them from there"
	case errors.Is(err, nats.ErrNkeysNotSupported):
		return "the server has no users with nkeys or credentials; leave --nkey out, or give --user NAME with --password-file FILE"
	case errors.Is(err, nats.ErrPermissionViolation):
		return "this user lacks a permission; deploy/k8s/nats/permissions.conf has those of each program, where workers and viewers need --jetstream-domain agepath"
	case errors.Is(err, nats.ErrSecureConnWanted):
		return "TLS is asked for by --tls-ca, --tls-cert or a tls:// URL, and the server has none; turn it on there, or leave them out"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return fmt.Sprintf("the server's certificate is valid from %s to %s; have it renewed, or set this machine's clock", invalid.Cert.NotBefore, invalid.Cert.NotAfter)
	case errors.As(err, &authority):
		return "--tls-ca FILE has to hold the certificate of the authority that signed the server's"
	case errors.As(err, &host):
		return "--nats has to name the server as its certificate does"
	case errors.As(err, &record), strings.Contains(err.Error(), "invalid websocket"), strings.Contains(err.Error(), "malformed HTTP"):
		return "correct the URL: nats or tls goes to the port for clients, ws, or wss with TLS, to that for WebSocket"
	case errors.As(err, &op) && op.Op == "remote error", errors.Is(err, nats.ErrTLS): // the alert, or that the connection was closed before
		return "the server does not take this client's certificate; --tls-cert FILE and --tls-key FILE have to hold one that is valid and signed by an authority the server trusts"
	}
	return jetStreamAdvice(err)
}

func jetStreamAdvice(err error) string {
	switch {
	case errors.As(err, new(*queue.NoJetStreamError)):
		return "start the server with JetStream (nats-server -js), or give --jetstream-domain NAME where a leaf node leads to the JetStream of another server"
	case errors.As(err, new(*queue.NoStreamsError)):
		return "if yours is elsewhere, give its server by --nats URL, or its domain by --jetstream-domain NAME"
	case errors.As(err, new(*queue.PayloadError)):
		return "raise max_payload in the server's configuration; 1MB, its default, is a good value"
	}
	return ""
}

type natsFile struct{ flag, path string }

func (n *NATS) secrets() []natsFile {
	return []natsFile{{"creds", n.CredentialsFile}, {"nkey", n.NKeyFile}, {"password-file", n.PasswordFile}, {"tls-key", n.KeyFile}}
}

// exposed warns of files that every user can read or change. It does not refuse them because
// Kubernetes gives Secrets mode 0644 by default, and group access to users other than root. Windows
// has no such bits.
func exposed(files []natsFile) []error {
	if runtime.GOOS == "windows" {
		return nil
	}
	var warnings []error
	for _, file := range files {
		if file.path == "" {
			continue
		}
		info, err := os.Stat(file.path)
		if err != nil {
			continue // opening it says so
		}
		what := ""
		switch mode := info.Mode().Perm(); {
		case mode&0o002 != 0:
			what = "change"
		case mode&0o004 != 0:
			what = "read"
		default:
			continue
		}
		warnings = append(warnings, fmt.Errorf("--%s %s: every user of this machine can %s the secret in it (mode %04o); `chmod o= %[2]s` takes that away, and so does defaultMode 0440 for a Secret of Kubernetes",
			file.flag, file.path, what, info.Mode().Perm()))
	}
	return warnings
}
