package command

import (
	"bytes"
	"context"
	"crypto/tls"
	"net"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/testing/needs"
)

// use runs a program that makes its streams at a server and leaves.
func use(t *testing.T, args ...string) (code int, message string) {
	t.Helper()
	return doConnected(t, func(ctx context.Context, n *NATS, q *queue.Queue) error { return n.Advise(q.EnsureStreams(ctx)) }, args...)
}

var (
	// advisedFlags are flags of one remedy, joined by words that ask for all of them.
	advisedFlags = regexp.MustCompile(`--[a-z-]+ (?:FILE|NAME|URL)(?:(?: with| and) --[a-z-]+ (?:FILE|NAME))*`)
	advisedFlag  = regexp.MustCompile(`(--[a-z-]+) [A-Z]+`)
)

// follow returns the arguments after each remedy of flags that a message names, with the given values.
func follow(message string, args []string, values map[string]string) (ways [][]string) {
	for _, remedy := range advisedFlags.FindAllString(message, -1) {
		way := slices.Clone(args)
		for _, flag := range advisedFlag.FindAllStringSubmatch(remedy, -1) {
			value, known := values[flag[1]]
			if at := slices.Index(way, flag[1]); known && at >= 0 {
				way[at+1] = value
			} else if known {
				way = append(way, flag[1], value)
			} else {
				way = nil
				break
			}
		}
		if way != nil {
			ways = append(ways, way)
		}
	}
	return ways
}

// failure is one of a connection, with what ends it.
type failure struct {
	args   []string
	says   string                   // the remedy, or a part of it
	values map[string]string        // of the flags that the message names, for those that this server takes
	ways   int                      // how many remedies the values are for
	change func(t *testing.T)       // in place of flags: what somebody else does
	others func() (args [][]string) // in place of flags: command lines
}

// try wants a failure, and success with each of its remedies.
func (f failure) try(t *testing.T) {
	t.Helper()
	code, message := use(t, f.args...)
	if code == ExitDone || !strings.Contains(message, f.says) {
		t.Fatalf("%q: exit status %d, want %q in %s", f.args, code, f.says, message)
	}
	var ways [][]string
	switch {
	case f.change != nil:
		f.change(t)
		ways = [][]string{f.args}
	case f.others != nil:
		ways = f.others()
	default:
		if ways = follow(message, f.args, f.values); len(ways) != f.ways {
			t.Errorf("%d remedies, want %d: %s", len(ways), f.ways, message)
		}
	}
	for _, way := range ways {
		if code, after := use(t, way...); code != ExitDone {
			t.Errorf("of %s%q gives %d: %s", message, way, code, after)
		}
	}
}

// overwrite puts the text of one file into another.
func overwrite(file, with string) func(t *testing.T) {
	return func(t *testing.T) {
		t.Helper()
		text, err := os.ReadFile(with)
		if err == nil {
			err = os.WriteFile(file, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestRemediesOfLogins tries each remedy that the failure of a login names.
func TestRemediesOfLogins(t *testing.T) {
	t.Parallel()
	public, seed := newUser(t)
	_, strange := newUser(t)
	options, creds, expired := operated(t)
	anna := []*server.User{{Username: "anna", Password: "secret"}}
	password := write(t, "secret\n")
	users := "nats://" + serve(t, &server.Options{Users: anna, Nkeys: []*server.NkeyUser{{Nkey: public}}})
	passwords := "nats://" + serve(t, &server.Options{Users: anna})
	jwts := "nats://" + serve(t, options)
	open := "nats://" + serve(t, &server.Options{})
	user := map[string]string{"--user": "anna", "--password-file": password}
	own := map[string]string{"--user": "anna", "--password-file": password, "--nkey": seed}
	wrong, empty, noCreds, noSeed := write(t, "guess"), write(t, "\n"), write(t, "text"), write(t, public)
	_, accountSeed := newKeys(t, nkeys.CreateAccount)
	noUser := write(t, accountSeed)
	lines := func(args ...[]string) func() [][]string { return func() [][]string { return args } }
	for name, f := range map[string]failure{
		"nobody":              {args: []string{"--nats", users}, says: "give --creds FILE, --nkey FILE, or --user NAME with", values: own, ways: 2},
		"nobody with JWTs":    {args: []string{"--nats", jwts}, says: "give --creds FILE", values: map[string]string{"--creds": creds}, ways: 1},
		"no nkeys":            {args: []string{"--nats", passwords, "--nkey", seed}, says: "leave --nkey out, or give --user", others: lines([]string{"--nats", passwords, "--user", "anna", "--password-file", password})},
		"nkey for nothing":    {args: []string{"--nats", open, "--nkey", seed}, says: "leave --nkey out", others: lines([]string{"--nats", open})},
		"wrong password":      {args: []string{"--nats", users, "--user", "anna", "--password-file", wrong}, says: "ask its administrator for a user", change: overwrite(wrong, password)},
		"strange nkey":        {args: []string{"--nats", users, "--nkey", strange}, says: "ask its administrator for a user", change: overwrite(strange, seed)},
		"no seed":             {args: []string{"--nats", users, "--nkey", noSeed}, says: "a seed as `nk -gen user` makes it is allowed", change: overwrite(noSeed, seed)},
		"no user's seed":      {args: []string{"--nats", users, "--nkey", noUser}, says: "a seed as `nk -gen user` makes it is allowed", change: overwrite(noUser, seed)},
		"empty password":      {args: []string{"--nats", users, "--user", "anna", "--password-file", empty}, says: "is empty; write the password into it", change: overwrite(empty, password)},
		"expired credentials": {args: []string{"--nats", jwts, "--creds", expired}, says: "ask the server's administrator for new ones", change: overwrite(expired, creds)},
		"no credentials":      {args: []string{"--nats", jwts, "--creds", noCreds}, says: "a file as `nsc generate creds` makes it is allowed", change: overwrite(noCreds, creds)},
		"two logins": {args: []string{"--nats", users, "--nkey", seed, "--user", "anna"}, says: "--nkey and --user are given; only one",
			others: lines([]string{"--nats", users, "--nkey", seed}, []string{"--nats", users, "--user", "anna", "--password-file", password})},
		"user alone": {args: []string{"--nats", users, "--user", "anna"}, says: "go together; both", others: lines(follow("--user NAME with --password-file FILE", []string{"--nats", users}, user)...)},
		"inbox":      {args: []string{"--nats", open, "--inbox-prefix", "a.*"}, says: "without wildcards is, as in _INBOX", others: lines([]string{"--nats", open, "--inbox-prefix", "_INBOX"})},
		"domain":     {args: []string{"--nats", open, "--jetstream-domain", "a b"}, says: "a name without dots", others: lines([]string{"--nats", open})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f.try(t)
		})
	}
}

// TestRemediesOfCertificates tries each remedy that the failure of a TLS connection names.
func TestRemediesOfCertificates(t *testing.T) {
	t.Parallel()
	const host = "127.0.0.1"
	ours, others := newAuthority(t), newAuthority(t)
	cert, key := ours.issue(host, 24*time.Hour)
	oldCert, oldKey := ours.issue(host, time.Minute)
	namedCert, namedKey := ours.issue("localhost", 24*time.Hour)
	strangeCert, strangeKey := others.issue(host, 24*time.Hour)
	secure := func(config *tls.Config) string { return "nats://" + serve(t, &server.Options{TLSConfig: config}) }
	one, mutual := secure(ours.serve(cert, key, false)), secure(ours.serve(cert, key, true))
	named := secure(ours.serve(namedCert, namedKey, false))
	renewed := ours.serve(oldCert, oldKey, false)
	var current atomic.Pointer[tls.Certificate]
	current.Store(&renewed.Certificates[0])
	renewed.Certificates, renewed.GetCertificate = nil, func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return current.Load(), nil }
	old := secure(renewed)
	plain := "nats://" + serve(t, &server.Options{})
	noPEM := write(t, "text")
	ca := map[string]string{"--tls-ca": ours.file}
	both := map[string]string{"--tls-cert": cert, "--tls-key": key}
	lines := func(args ...[]string) func() [][]string { return func() [][]string { return args } }
	for name, f := range map[string]failure{
		"wrong authority": {args: []string{"--nats", one, "--tls-ca", others.file}, says: "--tls-ca FILE has to hold", values: ca, ways: 1},
		"no authority":    {args: []string{"--nats", one}, says: "--tls-ca FILE has to hold", values: ca, ways: 1},
		"no PEM":          {args: []string{"--nats", one, "--tls-ca", noPEM}, says: "a file in PEM format with BEGIN CERTIFICATE", change: overwrite(noPEM, ours.file)},
		"expired": {args: []string{"--nats", old, "--tls-ca", ours.file}, says: "have it renewed", change: func(t *testing.T) {
			pair, err := tls.LoadX509KeyPair(cert, key)
			if err != nil {
				t.Fatal(err)
			}
			current.Store(&pair)
		}},
		"another host": {args: []string{"--nats", named, "--tls-ca", ours.file}, says: "--nats has to name the server as its certificate does",
			others: lines([]string{"--nats", strings.Replace(named, host, "localhost", 1), "--tls-ca", ours.file})},
		"no TLS": {args: []string{"--nats", plain, "--tls-ca", ours.file}, says: "turn it on there, or leave them out",
			others: lines([]string{"--nats", one, "--tls-ca", ours.file}, []string{"--nats", plain})},
		"no TLS for the URL": {args: []string{"--nats", strings.Replace(plain, "nats:", "tls:", 1)}, says: "turn it on there, or leave them out",
			others: lines([]string{"--nats", strings.Replace(one, "nats:", "tls:", 1), "--tls-ca", ours.file}, []string{"--nats", plain})},
		"no certificate": {args: []string{"--nats", mutual, "--tls-ca", ours.file}, says: "have to hold one that is valid", values: both, ways: 1},
		"strange": {args: []string{"--nats", mutual, "--tls-ca", ours.file, "--tls-cert", strangeCert, "--tls-key", strangeKey}, says: "signed by an authority the server trusts",
			values: both, ways: 1},
		"own expired": {args: []string{"--nats", mutual, "--tls-ca", ours.file, "--tls-cert", oldCert, "--tls-key", oldKey}, says: "have it renewed", change: func(t *testing.T) {
			overwrite(oldCert, cert)(t)
			overwrite(oldKey, key)(t)
		}},
		"key alone": {args: []string{"--nats", mutual, "--tls-ca", ours.file, "--tls-key", key}, says: "both or none are allowed",
			others: lines([]string{"--nats", mutual, "--tls-ca", ours.file, "--tls-key", key, "--tls-cert", cert}, []string{"--nats", one, "--tls-ca", ours.file})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f.try(t)
		})
	}
}

// TestRemediesOfSchemes tries every scheme that a message names for a server's ports, with TLS and without.
func TestRemediesOfSchemes(t *testing.T) {
	t.Parallel()
	ours := newAuthority(t)
	cert, key := ours.issue("127.0.0.1", 24*time.Hour)
	start := func(secure bool) (clients, webSocket string) {
		webSocket = needs.FreePorts(t, 1)[0]
		at, err := net.ResolveTCPAddr("tcp", webSocket)
		if err != nil {
			t.Fatal(err)
		}
		options := &server.Options{Websocket: server.WebsocketOpts{Host: "127.0.0.1", Port: at.Port, NoTLS: !secure}}
		if secure {
			options.TLSConfig, options.Websocket.TLSConfig = ours.serve(cert, key, false), ours.serve(cert, key, false)
		}
		return serve(t, options), webSocket
	}
	plain, plainSocket := start(false)
	secure, secureSocket := start(true)
	for wrong, c := range map[string]struct {
		ca    bool
		wants map[string]string // addresses for the schemes
	}{
		"wss://" + plainSocket: {false, map[string]string{"nats": plain, "ws": plainSocket}},
		"wss://" + plain:       {false, map[string]string{"nats": plain, "ws": plainSocket}},
		"ws://" + plain:        {false, map[string]string{"nats": plain, "ws": plainSocket}},
		"ws://" + secureSocket: {true, map[string]string{"tls": secure, "wss": secureSocket}},
		"ws://" + secure:       {true, map[string]string{"tls": secure, "wss": secureSocket}},
		"wss://" + secure:      {true, map[string]string{"tls": secure, "wss": secureSocket}},
	} {
		t.Run(wrong, func(t *testing.T) {
			t.Parallel()
			code, message := use(t, "--nats", wrong)
			match := regexp.MustCompile(`correct the URL: (nats) or (tls) goes to the port for clients, (ws), or (wss) with TLS, to that for WebSocket`).FindStringSubmatch(message)
			if code != ExitFailed || match == nil {
				t.Fatalf("exit status %d: %s", code, message)
			}
			tried := 0
			for _, scheme := range match[1:] {
				if address := c.wants[scheme]; address != "" {
					tried++
					args := []string{"--nats", scheme + "://" + address}
					if c.ca {
						args = append(args, "--tls-ca", ours.file)
					}
					if code, after := use(t, args...); code != ExitDone {
						t.Errorf("of %s%q gives %d: %s", message, args, code, after)
					}
				}
			}
			if tried != len(c.wants) {
				t.Errorf("%d schemes are tried", tried)
			}
		})
	}
}

// TestRemedyOfClock sets the clock of a machine that is years slow, as the message asks for: in the bubble all but
// the server have another clock. It runs in a process of its own, since clients of NATS share a pool of timers, and a
// timer of the bubble must not leave it.
func TestRemedyOfClock(t *testing.T) {
	t.Parallel()
	const alone = "AGEPATH_TEST_ALONE"
	if os.Getenv(alone) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRemedyOfClock$", "-test.v")
		cmd.Env = append(os.Environ(), alone+"=1")
		if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS: TestRemedyOfClock")) {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	ours := newAuthority(t)
	cert, key := ours.issue("127.0.0.1", 24*time.Hour)
	args := []string{"--nats", "nats://" + serve(t, &server.Options{TLSConfig: ours.serve(cert, key, false)}), "--tls-ca", ours.file}
	own := append(slices.Clone(args), "--tls-cert", cert, "--tls-key", key)
	now := time.Now()
	synctest.Test(t, func(t *testing.T) {
		for _, args := range [][]string{args, own} {
			if code, message := use(t, args...); code == ExitDone || !strings.Contains(message, "have it renewed, or set this machine's clock") {
				t.Errorf("%v: exit status %d: %s", time.Now(), code, message)
			}
		}
		time.Sleep(time.Until(now))
		for _, args := range [][]string{args, own} {
			if code, message := use(t, args...); code != ExitDone {
				t.Errorf("%v: exit status %d: %s", time.Now(), code, message)
			}
		}
	})
}

// TestRemediesOfNoServer corrects the URL and starts the server.
func TestRemediesOfNoServer(t *testing.T) {
	t.Parallel()
	address := needs.FreePorts(t, 1)[0]
	at, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	open := "nats://" + serve(t, &server.Options{})
	const says = "no server answers there; start it or correct the URL"
	args := []string{"--nats", "nats://" + address}
	failure{args: args, says: says, others: func() [][]string { return [][]string{{"--nats", open}} }}.try(t)
	failure{args: args, says: says, change: func(t *testing.T) {
		t.Helper()
		serve(t, &server.Options{Port: at.Port})
	}}.try(t)
}

// TestRemediesOfURLs writes a password as the refusal of a URL says, and tries each of its forms.
func TestRemediesOfURLs(t *testing.T) {
	t.Parallel()
	const password = "%@:/#?, all"
	guarded := serve(t, &server.Options{Users: []*server.User{{Username: "anna", Password: password}}})
	token := serve(t, &server.Options{Authorization: password})
	socket := needs.FreePorts(t, 1)[0]
	at, err := net.ResolveTCPAddr("tcp", socket)
	if err != nil {
		t.Fatal(err)
	}
	open := serve(t, &server.Options{Websocket: server.WebsocketOpts{Host: "127.0.0.1", Port: at.Port, NoTLS: true}})
	code, message := use(t, "--nats", "nats://anna:"+password+"@"+guarded)
	if code != ExitRefused {
		t.Fatalf("exit status %d: %s", code, message)
	}
	var pairs []string
	for _, match := range regexp.MustCompile(`(a comma|a space|\S) as (%[0-9A-F]{2})`).FindAllStringSubmatch(message, -1) {
		pairs = append(pairs, strings.NewReplacer("a comma", ",", "a space", " ").Replace(match[1]), match[2])
	}
	escaped := strings.NewReplacer(pairs...).Replace(password)
	if plain, err := url.PathUnescape(escaped); err != nil || plain != password || len(pairs) != 16 {
		t.Fatalf("%q of %q: %v", escaped, pairs, err)
	}
	form := regexp.MustCompile(`nats://HOST:PORT is allowed, several with commas between them, with tls, (ws) or wss for nats, and with (USER:PASSWORD@) or (TOKEN@) before HOST`).FindStringSubmatch(message)
	if form == nil {
		t.Fatal(message)
	}
	for _, list := range []string{
		"nats://" + open, form[1] + "://" + socket, "nats://127.0.0.1:1,nats://" + open,
		"nats://" + strings.NewReplacer("USER", "anna", "PASSWORD", escaped).Replace(form[2]) + guarded,
		"nats://" + strings.Replace(form[3], "TOKEN", escaped, 1) + token,
	} {
		if code, message := use(t, "--nats", list); code != ExitDone {
			t.Errorf("%s: exit status %d: %s", list, code, message)
		}
	}
}

// TestRemediesOfJetStream tries those for servers whose JetStream is off, is elsewhere, has no runs, or takes small messages only.
func TestRemediesOfJetStream(t *testing.T) {
	t.Parallel()
	link := needs.FreePorts(t, 1)[0]
	at, err := net.ResolveTCPAddr("tcp", link)
	if err != nil {
		t.Fatal(err)
	}
	hub := "nats://" + serve(t, &server.Options{ServerName: "hub", JetStreamDomain: "hub", LeafNode: server.LeafNodeOpts{Host: "127.0.0.1", Port: at.Port}})
	remote := &server.RemoteLeafOpts{URLs: []*url.URL{{Scheme: "nats-leaf", Host: link}}}
	leaf := "nats://" + serve(t, &server.Options{ServerName: "leaf", JetStreamDomain: "leaf", LeafNode: server.LeafNodeOpts{Remotes: []*server.RemoteLeafOpts{remote}}})
	off := failure{args: []string{"--nats", leaf, "--jetstream-domain", "nowhere"}, says: "or give --jetstream-domain NAME", values: map[string]string{"--jetstream-domain": "hub"}, ways: 1}
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) { // until the leaf has its link
		if code, _ := use(t, "--nats", leaf, "--jetstream-domain", "hub"); code == ExitDone || time.Since(began) > 20*time.Second {
			break
		}
	}
	off.try(t)
	small := "nats://" + serve(t, &server.Options{MaxPayload: 4 << 10})
	large := "nats://" + serve(t, &server.Options{MaxPayload: 1 << 20}) // as 1MB is written
	failure{args: []string{"--nats", small}, says: "raise max_payload in the server's configuration; 1MB", others: func() [][]string { return [][]string{{"--nats", large}} }}.try(t)
	t.Run("off", func(t *testing.T) {
		needs.Patience(t, "4 s")
		t.Parallel()
		address := needs.FreePorts(t, 1)[0]
		at, err := net.ResolveTCPAddr("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: at.Port, NoSigs: true, NoLog: true})
		if err != nil {
			t.Fatal(err)
		}
		s.Start()
		t.Cleanup(s.Shutdown)
		failure{args: []string{"--nats", "nats://" + address, "--connect-wait", "10s"}, says: "start the server with JetStream (nats-server -js), or", change: func(t *testing.T) {
			t.Helper()
			s.Shutdown()
			s.WaitForShutdown()
			serve(t, &server.Options{Port: at.Port})
		}}.try(t)
	})
	t.Run("no runs", func(t *testing.T) {
		needs.Patience(t, "6 s")
		t.Parallel()
		ways := follow(idle(t, "--nats", leaf), []string{"--nats", leaf}, map[string]string{"--nats": hub, "--jetstream-domain": "hub"})
		if len(ways) != 2 {
			t.Errorf("the ways are %q", ways)
		}
		code, message := doConnected(t, func(ctx context.Context, _ *NATS, q *queue.Queue) error {
			_, _, err := q.Publish(ctx, func(yield func(experiment.Task, error) bool) { yield(experiment.Task{Run: "run", Cell: "cell"}, nil) })
			return err
		}, "--nats", hub)
		if code != ExitDone {
			t.Fatal(message)
		}
		for _, way := range ways {
			if message := idle(t, way...); message != "" {
				t.Errorf("%q: %s", way, message)
			}
		}
	})
}

// idle has a worker wait for a task, "", or for what the program says.
func idle(t *testing.T, args ...string) (message string) {
	t.Helper()
	_, _ = doConnected(t, func(ctx context.Context, n *NATS, _ *queue.Queue) error {
		ctx, end := context.WithCancel(ctx)
		defer end()
		q, err := n.Connect(ctx, "idle", func(err error) {
			message = err.Error()
			end()
		})
		if err != nil {
			return err
		}
		defer q.Close()
		worker, err := q.Worker(queue.WorkerConfig{Idle: 100 * time.Millisecond})
		if err != nil {
			return err
		}
		defer worker.Close()
		task, err := worker.Pull(ctx)
		if err != nil && message == "" {
			message = err.Error()
		}
		if err == nil {
			err = task.Release(ctx, 0)
		}
		return err
	}, args...)
	return message
}

// TestRemedyOfAccount has a stream of another program in the way: another account of the server has none.
func TestRemedyOfAccount(t *testing.T) {
	t.Parallel()
	config := write(t, "accounts {\n  A {jetstream: enabled, users: [{user: a, password: a}]}\n  B {jetstream: enabled, users: [{user: b, password: b}]}\n}\n")
	options, err := server.ProcessConfigFile(config)
	if err != nil {
		t.Fatal(err)
	}
	at := serve(t, options)
	conn, err := nats.Connect("nats://a:a@" + at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err == nil {
		_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "AGEPATH_TASKS", Subjects: []string{"other"}})
	}
	if err != nil {
		t.Fatal(err)
	}
	failure{args: []string{"--nats", "nats://a:a@" + at}, says: ", or use another NATS account", others: func() [][]string { return [][]string{{"--nats", "nats://b:b@" + at}} }}.try(t)
}

// TestRemedyOfExpiry has credentials expire under a connection. With new ones in the file, as the message asks for,
// the running program is connected again.
func TestRemedyOfExpiry(t *testing.T) {
	needs.Patience(t, "4 s")
	t.Parallel()
	options, user := operator(t)
	var n NATS
	n.URL, n.InboxPrefix = "nats://"+serve(t, options), "_INBOX"
	n.CredentialsFile = user(time.Now().Add(3 * time.Second))
	said := make(chan string, 1000)
	q, err := n.Connect(t.Context(), "test", func(err error) { said <- err.Error() })
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	await := func(text string) {
		t.Helper()
		for timeout := time.After(30 * time.Second); ; {
			select {
			case line := <-said:
				if strings.Contains(line, text) {
					return
				}
			case <-timeout:
				t.Fatalf("%q is not said", text)
			}
		}
	}
	await("ask the server's administrator for new credentials and replace the file; a running program takes them from there")
	overwrite(n.CredentialsFile, user(time.Now().Add(time.Hour)))(t)
	await("connection restored")
}

// TestRemedyOfExposure takes the rights of a secret's file away as the warning says.
func TestRemedyOfExposure(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such rights")
	}
	address := "nats://" + serve(t, &server.Options{Users: []*server.User{{Username: "anna", Password: "secret"}}})
	file := write(t, "secret")
	for _, mode := range []os.FileMode{0o644, 0o646} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		args := []string{"--nats", address, "--user", "anna", "--password-file", file}
		code, message := use(t, args...)
		if code != ExitDone || !strings.Contains(message, "`chmod o= "+file+"`") || !strings.Contains(message, "defaultMode 0440") {
			t.Errorf("exit status %d: %s", code, message)
		}
		for _, remedy := range []os.FileMode{mode &^ 0o007, 0o440} {
			if err := os.Chmod(file, remedy); err != nil {
				t.Fatal(err)
			}
			if code, message := use(t, args...); code != ExitDone || strings.Contains(message, "secret in it") {
				t.Errorf("mode %o: exit status %d: %s", remedy, code, message)
			}
		}
	}
}

// TestRemediesOfConfig tries what the refusal of a config file names.
func TestRemediesOfConfig(t *testing.T) {
	t.Parallel()
	address := "nats://" + serve(t, &server.Options{})
	for bad, form := range map[string]string{
		"- 4\n":                `as in (.+)\n`,
		"log-levle: debug\n":   `did you mean ()(\S+)\?`,
		"log-level: {a: b}\n":  `(a) value or a list is`,
		"log-level: [a, b]\n":  `(one) value is`,
		"log-level: verbose\n": `allowed are (debug)`,
	} {
		code, message := use(t, "--nats", address, "--config", write(t, bad))
		match := regexp.MustCompile(form).FindStringSubmatch(message)
		if code != ExitRefused || match == nil {
			t.Errorf("%q: exit status %d: %s", bad, code, message)
			continue
		}
		good := "log-level: debug\n"
		if strings.Contains(match[1], ":") {
			good = match[1] + "\n"
		} else if len(match) > 2 {
			good = match[2] + ": debug\n"
		}
		if code, message := use(t, "--nats", address, "--config", write(t, good)); code != ExitDone {
			t.Errorf("%q: exit status %d: %s", good, code, message)
		}
	}
}
