package command

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/agepath/agepath/experiment/queue"
)

// natsFlag names the flag with the server's URL. Its environment variable is
// AGEPATH_NATS_URL; AGEPATH_NATS, which the rule for names gives, works too.
const natsFlag = "nats"

// NATS is the server that a program works with and how to get in.
type NATS struct {
	URL           string // "" for none
	creds, nkey   string
	ca, cert, key string

	replicas int           // of streams
	ackWait  time.Duration // of runs
}

func (n *NATS) addTo(flags *pflag.FlagSet) {
	flags.StringVar(&n.URL, natsFlag, "", "`URL` of the NATS server, or several separated by commas")
	flags.StringVar(&n.creds, "creds", "", "`file` with a NATS user's credentials (JWT and key)")
	flags.StringVar(&n.nkey, "nkey", "", "`file` with a NATS user's nkey seed")
	flags.StringVar(&n.ca, "tls-ca", "", "`file` with the certificates that sign the NATS server's (default: the system's)")
	flags.StringVar(&n.cert, "tls-cert", "", "`file` with this client's certificate, for servers that ask for one")
	flags.StringVar(&n.key, "tls-key", "", "`file` with the key of --tls-cert")
}

// AddStreams adds the flags of commands that make streams and runs.
func (n *NATS) AddStreams(flags *pflag.FlagSet) {
	flags.IntVar(&n.replicas, "replicas", 0, "`N` servers that keep each task and result: 1, 3 or 5 (default: what the streams have, 1 for new ones)")
	flags.DurationVar(&n.ackWait, "ack-wait", 30*time.Second, "`time` that a worker may be silent before its cells are given to others")
}

// Connect connects to the server. report is told of what the connection
// survives. Flags that do not go together are a [*Refusal], and so is a
// missing URL.
func (n *NATS) Connect(ctx context.Context, name string, report func(error)) (*queue.Queue, error) {
	if err := n.check(); err != nil {
		return nil, err
	}
	return queue.Connect(ctx, queue.Config{
		URL: n.URL, Name: name, Report: report,
		CredentialsFile: n.creds, NKeyFile: n.nkey,
		CAFile: n.ca, CertFile: n.cert, KeyFile: n.key,
		Replicas: n.replicas, AckWait: n.ackWait,
	})
}

// check tells what is wrong with the flags without asking the server.
func (n *NATS) check() error {
	switch {
	case n.URL == "":
		return Refusef("no NATS server is given; --nats URL, %s or the key %s of the config file does", EnvName(natsFlag), natsFlag)
	case n.creds != "" && n.nkey != "":
		return Refusef("--creds and --nkey are both given; only one of them is allowed")
	case (n.cert == "") != (n.key == ""):
		return Refusef("--tls-cert and --tls-key go together; both or none are allowed")
	case !slices.Contains([]int{0, 1, 3, 5}, n.replicas):
		return Refusef("--replicas: \"%d\" is not allowed; 1, 3 and 5 are", n.replicas)
	case n.ackWait != 0 && n.ackWait < time.Second:
		return Refusef("--ack-wait: \"%v\" is not allowed; a time from 1s is", n.ackWait)
	}
	for _, file := range []struct{ flag, path string }{
		{"creds", n.creds}, {"nkey", n.nkey}, {"tls-ca", n.ca}, {"tls-cert", n.cert}, {"tls-key", n.key},
	} {
		if file.path == "" {
			continue
		}
		opened, err := os.Open(file.path)
		if err != nil {
			return Refusef("--%s: %w", file.flag, err)
		}
		opened.Close()
	}
	return nil
}
