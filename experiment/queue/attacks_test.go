package queue

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/agepath/agepath/internal/testing/needs"
)

// TestAccountsImportTheLists wants an account of workers or viewers to import what its user may
// publish, one by one, and nothing else: an answer that the server sends to a subject of the
// account reaches no more than the user does itself.
func TestAccountsImportTheLists(t *testing.T) {
	t.Parallel()
	options, err := server.ProcessConfigFile(restrictedConfig(t, true))
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range options.Users {
		if domainOf(user.Username) == "" {
			continue
		}
		text := deployed(t, "accounts.conf")
		_, section, _ := strings.Cut(text, user.Account.Name+" {")
		section, _, _ = strings.Cut(section, "\n  }\n")
		var imported []string
		for line := range strings.Lines(section) {
			_, rest, found := strings.Cut(line, "{service: {account: AGEPATH, subject: ")
			if !found {
				continue
			}
			parts := strings.Split(rest, `"`)
			subject := parts[1]
			if len(parts) > 3 {
				if strings.Replace(parts[3], "$JS.agepath.API.", "$JS.API.", 1) != subject {
					t.Errorf("%s is imported as %s", subject, parts[3])
				}
				subject = parts[3]
			}
			imported = append(imported, subject)
		}
		slices.Sort(imported)
		if allowed := slices.Sorted(slices.Values(user.Permissions.Publish.Allow)); !slices.Equal(imported, allowed) {
			t.Errorf("%s imports\n%q\nand may publish\n%q", user.Username, imported, allowed)
		}
	}
}

// TestAttacks has workers and viewers direct answers of the server, and deliveries of their own
// consumers, to subjects where they may not publish. Nothing is removed, replaced or added. The
// same attacks on users in one account succeed, so that the test would see it.
func TestAttacks(t *testing.T) {
	needs.Patience(t, "6 s")
	t.Parallel()
	eachServer(t, func(t *testing.T, start func(string) string) {
		for _, user := range []string{"worker", "viewer"} {
			for _, accounts := range []bool{true, false} {
				b := &bundle{t: t, ctx: t.Context()}
				before, after := b.attack(start(restrictedConfig(t, accounts)), user, accounts)
				if changed := !maps.Equal(before, after); changed == accounts {
					t.Errorf("accounts %v: an attack of the %s changed streams: %v\nbefore %v\nafter %v", accounts, user, changed, before, after)
				}
			}
		}
	})
}

// attack returns what the streams hold before and after the attacks of a user; those that it may
// write to are left out.
func (b *bundle) attack(address, user string, accounts bool) (before, after map[string]string) {
	t := b.t
	t.Helper()
	b.Queue, _ = b.restricted("all", address)
	if err := b.EnsureStreams(b.ctx); err != nil {
		t.Fatal(err)
	}
	b.publish(task("run", "a"), task("run", "b"))
	if err := b.PutData(b.ctx, "abc", bytes.NewReader(noise(1000))); err != nil {
		t.Fatal(err)
	}
	stored := ok()
	stored.Run, stored.Cell = "run", "c"
	if err := b.Queue.results.put(b.ctx, stored, 0, 1); err != nil {
		t.Fatal(err)
	}
	if err := b.Announce(&Presence{Name: "honest", State: Idle}); err != nil {
		t.Fatal(err)
	}
	b.await("the presence is there", func() bool {
		stream, err := b.js.Stream(b.ctx, workersStream)
		return err == nil && stream.CachedInfo().State.Msgs == 1
	})
	before = b.holdings(user)

	api := "$JS.API."
	if accounts {
		api = "$JS.agepath.API."
	}
	conn, err := nats.Connect("nats://"+user+":"+user+"@"+address, nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	heard, err := conn.SubscribeSync("_INBOX_agepath_" + user + ".>")
	if err != nil {
		t.Fatal(err)
	}
	send := func(subject, reply, body string) {
		if err := conn.PublishRequest(subject, reply, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	// Readers of the attacker: one has nothing to deliver, one has a message.
	consume := func(name, filter, config string) {
		send(api+"CONSUMER.CREATE."+workersStream+"."+name+"."+filter, "_INBOX_agepath_"+user+".made",
			fmt.Sprintf(`{"stream_name":%q,"config":{"name":%q,"filter_subject":%q,"deliver_policy":"all","inactive_threshold":60000000000,%s}}`,
				workersStream, name, filter, config))
	}
	consume("empty", string(workerTopic)+"nobody", `"ack_policy":"none"`)
	consume("full", string(workerTopic)+"*", `"ack_policy":"explicit"`)
	for range 2 {
		b.answered(heard, "stream_name")
	}
	for i, target := range b.targets(user) {
		send(api+"CONSUMER.MSG.NEXT."+workersStream+".empty", target, `{"batch":1,"no_wait":true}`)
		send(api+"CONSUMER.MSG.NEXT."+workersStream+".full", target, `{"batch":1,"expires":1000000}`)
		send(api+"STREAM.INFO."+resultsStream, target, "")
		send(api+"CONSUMER.INFO."+workersStream+".full", target, "")
		send(api+"STREAM.MSG.GET."+resultsStream, target, `{"seq":1}`)
		consume(fmt.Sprintf("push%d", i), string(workerTopic)+"*",
			fmt.Sprintf(`"ack_policy":"none","deliver_subject":%q,"idle_heartbeat":100000000,"flow_control":true`, target))
		if user == "worker" {
			for _, word := range []string{"+ACK", "-NAK", "+NXT"} { // of a task that is not there
				send(fmt.Sprintf("$JS.ACK.%s.run.1.900.900.%d.0", tasksStream, time.Now().UnixNano()), target, word)
			}
			send(string(workerTopic)+"hostile", target, "x")
		}
	}
	// Readers of other streams than the subject names.
	for _, stream := range []string{tasksStream, resultsStream, "OBJ_" + dataBucket} {
		send(api+"CONSUMER.CREATE."+workersStream+".spy"+stream+"."+string(workerTopic)+"*", "_INBOX_agepath_"+user+".made",
			fmt.Sprintf(`{"stream_name":%q,"config":{"name":"spy%s","filter_subject":">","ack_policy":"none","deliver_subject":"_INBOX_agepath_%s.spy"}}`, stream, stream, user))
	}
	if err := conn.Flush(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(500 * time.Millisecond); ; { // heartbeats too
		msg, err := heard.NextMsg(time.Until(deadline))
		if errors.Is(err, nats.ErrTimeout) || time.Until(deadline) <= 0 {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(msg.Subject, ".spy") {
			t.Errorf("the %s reads %q", user, msg.Data)
		}
	}
	return before, b.holdings(user)
}

// answered waits for an answer of the API with a text.
func (b *bundle) answered(heard *nats.Subscription, text string) {
	b.t.Helper()
	msg, err := heard.NextMsg(5 * time.Second)
	if err != nil || !strings.Contains(string(msg.Data), text) {
		b.t.Fatalf("answer %+v, error %v", msg, err)
	}
}

// targets are subjects where a user may not publish, under each name of the API.
func (b *bundle) targets(user string) []string {
	list := []string{taskTopic.cell("run", "a"), quarantineTopic.cell("run", "a"), "$O." + dataBucket + ".C.x", "$O." + dataBucket + ".M.x"}
	if user == "viewer" {
		list = append(list, resultTopic.cell("run", "c"), deadTopic.cell("run", "c"), attemptTopic.cell("run", "c"), "$JS.ACK."+tasksStream+".run.1.1.1.1.0")
	}
	for stream := range contents {
		for _, api := range []string{"$JS.API.", "$JS.agepath.API."} {
			list = append(list, api+"STREAM.PURGE."+stream, api+"STREAM.DELETE."+stream)
		}
	}
	return list
}

// holdings returns the state and a digest of the messages of each stream that a user may not write
// to, "missing" for one that was deleted.
func (b *bundle) holdings(user string) map[string]string {
	b.t.Helper()
	list := map[string]string{}
	for name := range contents {
		if user == "worker" && workerMay("publish", name) && name != resultsStream {
			continue
		}
		stream, err := b.js.Stream(b.ctx, name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			list[name] = "missing"
			continue
		}
		if err != nil {
			b.t.Fatal(err)
		}
		state, sum := stream.CachedInfo().State, sha256.New()
		for sequence := state.FirstSeq; sequence <= state.LastSeq; sequence++ {
			if msg, err := stream.GetMsg(b.ctx, sequence); err == nil {
				fmt.Fprintf(sum, "%d %s %x\n", sequence, msg.Subject, msg.Data)
			}
		}
		text, err := json.Marshal([]uint64{state.Msgs, state.FirstSeq, state.LastSeq})
		if err != nil {
			b.t.Fatal(err)
		}
		list[name] = fmt.Sprintf("%s %x", text, sum.Sum(nil)[:6])
	}
	return list
}

// BenchmarkAccounts pulls tasks, stores a result of each and acknowledges it, with a worker in the
// account of the streams and with one in an account of its own.
func BenchmarkAccounts(b *testing.B) {
	for _, accounts := range []bool{false, true} {
		b.Run(map[bool]string{false: "one", true: "three"}[accounts], func(b *testing.B) {
			options, err := server.ProcessConfigFile(restrictedConfig(b, accounts))
			if err != nil {
				b.Fatal(err)
			}
			s := &bundle{t: b, ctx: b.Context()}
			address := startOptions(b, options).Addr().String()
			s.Queue, _ = s.restricted("coordinator", address)
			if err := s.EnsureStreams(s.ctx); err != nil {
				b.Fatal(err)
			}
			config := Config{URL: "nats://worker:worker@" + address, InboxPrefix: "_INBOX_agepath_worker", Report: reports(b)}
			if accounts {
				config.Domain = domainOf("worker")
			}
			q, err := Connect(s.ctx, config)
			if err != nil {
				b.Fatal(err)
			}
			defer q.Close()
			puller, err := q.Worker(WorkerConfig{Name: "bench"})
			if err != nil {
				b.Fatal(err)
			}
			defer puller.Close()
			if _, _, err := s.Publish(s.ctx, generate("run", b.N)); err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			for range b.N {
				s.done(s.pull(puller), ok())
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cells/s")
		})
	}
}
