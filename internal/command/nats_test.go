package command

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"github.com/spf13/cobra"

	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/testing/needs"
)

// connect runs a program that connects with the given flags and leaves.
func connect(t *testing.T, args ...string) (code int, message string) {
	t.Helper()
	return doConnected(t, func(context.Context, *NATS, *queue.Queue) error { return nil }, args...)
}

// doConnected runs a program that connects with the given flags, does something and leaves.
func doConnected(t *testing.T, do func(context.Context, *NATS, *queue.Queue) error, args ...string) (code int, message string) {
	t.Helper()
	var stderr bytes.Buffer
	root := &cobra.Command{Use: "coordinator"}
	base := New(root, Streams{Out: &bytes.Buffer{}, Err: &stderr, Env: func(string) (string, bool) { return "", false }})
	base.NATS.AddTo(root.PersistentFlags())
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		q, err := base.NATS.Connect(cmd.Context(), "test", func(err error) { base.Log.Warn(err.Error()) })
		if err != nil {
			return err
		}
		defer q.Close()
		return do(cmd.Context(), &base.NATS, q)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	code = base.Execute(ctx, root, args)
	return code, stderr.String()
}

// serve starts a server and returns its address.
func serve(t *testing.T, options *server.Options) string {
	t.Helper()
	options.Host, options.NoSigs, options.NoLog = "127.0.0.1", true, true
	if options.Port == 0 {
		options.Port = server.RANDOM_PORT
	}
	if options.TLSConfig != nil {
		options.TLS, options.TLSTimeout = true, 10 // the default of 2 s is short on a busy machine
	}
	options.JetStream, options.StoreDir = true, t.TempDir()
	s, err := server.NewServer(options)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server is not ready")
	}
	return s.Addr().String()
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// newUser returns a new user's public key and the file with its seed.
func newUser(t *testing.T) (public, seedFile string) {
	t.Helper()
	public, seed := newKeys(t, nkeys.CreateUser)
	return public, write(t, seed)
}

func newKeys(t *testing.T, create func() (nkeys.KeyPair, error)) (public, seed string) {
	t.Helper()
	pair, err := create()
	if err != nil {
		t.Fatal(err)
	}
	text, err := pair.Seed()
	if err != nil {
		t.Fatal(err)
	}
	if public, err = pair.PublicKey(); err != nil {
		t.Fatal(err)
	}
	return public, string(text)
}

// operated returns the options of a server whose users have JWTs, and the
// credentials files of a user that is valid and of one that has expired.
func operated(t *testing.T) (options *server.Options, valid, expired string) {
	t.Helper()
	options, user := operator(t)
	return options, user(time.Now().Add(time.Hour)), user(time.Now().Add(-time.Hour))
}

// operator returns the options of a server whose users have JWTs, and what makes the credentials
// file of one.
func operator(t *testing.T) (options *server.Options, user func(expires time.Time) (file string)) {
	t.Helper()
	public, operatorSeed := newKeys(t, nkeys.CreateOperator)
	account, accountSeed := newKeys(t, nkeys.CreateAccount)
	sign := func(claims interface {
		Encode(pair nkeys.KeyPair) (string, error)
	}, seed string) string {
		pair, err := nkeys.FromSeed([]byte(seed))
		if err != nil {
			t.Fatal(err)
		}
		text, err := claims.Encode(pair)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	resolver := &server.MemAccResolver{}
	claimed := jwt.NewAccountClaims(account)
	claimed.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: jwt.NoLimit, DiskStorage: jwt.NoLimit, Streams: jwt.NoLimit, Consumer: jwt.NoLimit}
	system, _ := newKeys(t, nkeys.CreateAccount)
	for name, claims := range map[string]*jwt.AccountClaims{account: claimed, system: jwt.NewAccountClaims(system)} {
		if err := resolver.Store(name, sign(claims, operatorSeed)); err != nil {
			t.Fatal(err)
		}
	}
	user = func(expires time.Time) string {
		public, seed := newKeys(t, nkeys.CreateUser)
		claims := jwt.NewUserClaims(public)
		claims.Expires = expires.Unix()
		creds, err := jwt.FormatUserConfig(sign(claims, accountSeed), []byte(seed))
		if err != nil {
			t.Fatal(err)
		}
		return write(t, string(creds))
	}
	claims := jwt.NewOperatorClaims(public)
	return &server.Options{TrustedOperators: []*jwt.OperatorClaims{claims}, AccountResolver: resolver, SystemAccount: system}, user
}

// TestLogins wants every kind of user to get in as itself alone, and the
// others to be told what to do.
func TestLogins(t *testing.T) {
	t.Parallel()
	public, seed := newUser(t)
	_, strange := newUser(t)
	options, creds, expired := operated(t)
	nats := "nats://" + serve(t, &server.Options{
		Users: []*server.User{{Username: "anna", Password: "secret"}}, Nkeys: []*server.NkeyUser{{Nkey: public}},
	})
	jwts := "nats://" + serve(t, options)
	plain := "nats://" + serve(t, &server.Options{})
	for name, c := range map[string]struct {
		args []string
		code int
		want []string
	}{
		"password":         {[]string{nats, "--user", "anna", "--password-file", write(t, "secret\n")}, ExitDone, nil},
		"password in URL":  {[]string{strings.Replace(nats, "//", "//anna:secret@", 1)}, ExitDone, nil},
		"nkey":             {[]string{nats, "--nkey", seed}, ExitDone, nil},
		"credentials":      {[]string{jwts, "--creds", creds}, ExitDone, nil},
		"nobody":           {[]string{nats}, ExitFailed, []string{nats, "Authorization Violation", "--creds FILE", "--nkey FILE", "--password-file FILE"}},
		"nobody with JWTs": {[]string{jwts}, ExitFailed, []string{"Authorization Violation", "--creds FILE"}},
		"wrong password":   {[]string{nats, "--user", "anna", "--password-file", write(t, "guess")}, ExitFailed, []string{"Authorization Violation", "does not accept --user"}},
		"wrong in URL":     {[]string{strings.Replace(nats, "//", "//anna:guess@", 1)}, ExitFailed, []string{"anna:xxxxx@", "does not accept the user and password of --nats"}},
		"strange nkey":     {[]string{nats, "--nkey", strange}, ExitFailed, []string{"Authorization Violation", "does not accept --nkey"}},
		"no nkeys":         {[]string{plain, "--nkey", seed}, ExitFailed, []string{"nkeys not supported", "leave --nkey out"}},
		"expired":          {[]string{jwts, "--creds", expired}, ExitRefused, []string{"--creds", expired, "expired at", "new ones"}},
		"no credentials":   {[]string{jwts, "--creds", write(t, "text")}, ExitRefused, []string{"--creds", "nsc generate creds"}},
		"two logins":       {[]string{nats, "--creds", creds, "--user", "anna"}, ExitRefused, []string{"--creds and --user", "only one"}},
		"user alone":       {[]string{nats, "--user", "anna"}, ExitRefused, []string{"--user and --password-file go together"}},
		"no password":      {[]string{nats, "--user", "anna", "--password-file", write(t, "\n")}, ExitFailed, []string{"password of NATS user anna", "is empty"}},
		"gone password":    {[]string{nats, "--user", "anna", "--password-file", "/gone"}, ExitRefused, []string{"--password-file", "/gone"}},
		"inbox":            {[]string{nats, "--inbox-prefix", "a.>"}, ExitRefused, []string{"--inbox-prefix", `"a.>" is not allowed`}},
		"wait":             {[]string{nats, "--connect-wait", "-1s"}, ExitRefused, []string{"--connect-wait", "from 0s", "forever"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantConnection(t, c.code, c.want, c.args)
		})
	}
}

// TestCertificates wants the right certificates to be taken, and the others
// to be refused, by either side, with what to do about it.
func TestCertificates(t *testing.T) {
	t.Parallel()
	const host = "127.0.0.1"
	ours, others := newAuthority(t), newAuthority(t)
	cert, key := ours.issue(host, 24*time.Hour)
	oldCert, oldKey := ours.issue(host, time.Minute)
	elsewhereCert, elsewhereKey := ours.issue("nats.example.org", 24*time.Hour)
	strangeCert, strangeKey := others.issue(host, 24*time.Hour)
	secure := func(config *tls.Config) string { return "nats://" + serve(t, &server.Options{TLSConfig: config}) }
	one := secure(ours.serve(cert, key, false))
	mutual := secure(ours.serve(cert, key, true))
	old := secure(ours.serve(oldCert, oldKey, false))
	elsewhere := secure(ours.serve(elsewhereCert, elsewhereKey, false))
	plain := "nats://" + serve(t, &server.Options{})
	for name, c := range map[string]struct {
		args []string
		code int
		want []string
	}{
		"server":            {[]string{one, "--tls-ca", ours.file}, ExitDone, nil},
		"both":              {[]string{mutual, "--tls-ca", ours.file, "--tls-cert", cert, "--tls-key", key}, ExitDone, nil},
		"wrong authority":   {[]string{one, "--tls-ca", others.file}, ExitFailed, []string{"unknown authority", "--tls-ca FILE has to hold"}},
		"no authority":      {[]string{one}, ExitFailed, []string{"unknown authority", "--tls-ca FILE has to hold"}},
		"expired":           {[]string{old, "--tls-ca", ours.file}, ExitFailed, []string{"certificate has expired", "have it renewed"}},
		"another host":      {[]string{elsewhere, "--tls-ca", ours.file}, ExitFailed, []string{"127.0.0.1", "--nats has to name the server"}},
		"no TLS":            {[]string{plain, "--tls-ca", ours.file}, ExitFailed, []string{"secure connection not available", "leave them out"}},
		"no certificate":    {[]string{mutual, "--tls-ca", ours.file}, ExitFailed, []string{"tls", "--tls-cert FILE and --tls-key FILE"}},
		"strange":           {[]string{mutual, "--tls-ca", ours.file, "--tls-cert", strangeCert, "--tls-key", strangeKey}, ExitFailed, []string{"certificate", "signed by an authority the server trusts"}},
		"own expired":       {[]string{mutual, "--tls-ca", ours.file, "--tls-cert", oldCert, "--tls-key", oldKey}, ExitRefused, []string{"--tls-cert", oldCert, "have it renewed"}},
		"another's key":     {[]string{mutual, "--tls-cert", cert, "--tls-key", oldKey}, ExitRefused, []string{"--tls-cert", "private key does not match"}},
		"key alone":         {[]string{mutual, "--tls-key", key}, ExitRefused, []string{"--tls-cert and --tls-key go together"}},
		"no PEM":            {[]string{one, "--tls-ca", write(t, "text")}, ExitRefused, []string{"--tls-ca", "has no certificate", "BEGIN CERTIFICATE"}},
		"key for authority": {[]string{one, "--tls-ca", key}, ExitRefused, []string{"has no certificate"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantConnection(t, c.code, c.want, c.args)
		})
	}
}

func wantConnection(t *testing.T, code int, want, args []string) {
	t.Helper()
	have, message := connect(t, append([]string{"--nats"}, args...)...)
	if have != code {
		t.Errorf("exit status %d, want %d: %s", have, code, message)
	}
	for _, part := range want {
		if !strings.Contains(message, part) {
			t.Errorf("the message does not say %q: %s", part, message)
		}
	}
}

// TestConnectWait has a program wait for a server that comes later, and give
// up where none comes.
func TestConnectWait(t *testing.T) {
	t.Parallel()
	address := needs.FreePorts(t, 1)[0]
	at, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	url := "nats://" + address
	if code, message := connect(t, "--nats", url, "--connect-wait", "100ms"); code != ExitFailed || !strings.Contains(message, url) {
		t.Errorf("exit status %d: %s", code, message)
	}
	var n NATS
	n.URL, n.InboxPrefix, n.ConnectWait = url, "_INBOX", queue.Forever
	waits := make(chan error, 10)
	connected := make(chan error, 1)
	go func() { // ends with the connection
		q, err := n.Connect(t.Context(), "test", func(err error) { waits <- err })
		if err == nil {
			q.Close()
		}
		connected <- err
	}()
	if err := <-waits; !strings.Contains(err.Error(), "trying again") {
		t.Error(err)
	}
	serve(t, &server.Options{Port: at.Port})
	if err := <-connected; err != nil {
		t.Error(err)
	}
	if err := <-waits; !strings.Contains(err.Error(), "connected to NATS at "+url) {
		t.Error(err)
	}
	if len(waits) > 0 {
		t.Errorf("told again: %v", <-waits)
	}
}

// TestAbort wants the cause of a command's end to be told, not what followed
// from it.
func TestAbort(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	root := &cobra.Command{Use: "program"}
	base := New(root, Streams{Out: &bytes.Buffer{}, Err: &stderr, Env: func(string) (string, bool) { return "", false }})
	base.NATS.AddTo(root.PersistentFlags())
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		base.Abort(base.NATS.Advise(fmt.Errorf("%w: publish to x", nats.ErrPermissionViolation)))
		<-cmd.Context().Done()
		return errors.New("a consequence")
	}
	code := base.Execute(t.Context(), root, nil)
	const want = "program: nats: permissions violation: publish to x: this user lacks a permission"
	if code != ExitFailed || !strings.HasPrefix(stderr.String(), want) {
		t.Errorf("exit status %d: %s", code, &stderr)
	}
}
