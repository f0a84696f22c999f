package queue

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
)

// The first is the default.
var schemes = []string{"nats", "tls", "ws", "wss"}

const serversAllowed = "nats://HOST:PORT is allowed, several with commas between them, with tls, ws or wss for nats, and with USER:PASSWORD@ or TOKEN@ before HOST; " +
	"in a password or token write % as %25, @ as %40, : as %3A, / as %2F, # as %23, ? as %3F, a comma as %2C and a space as %20"

// CheckServers checks [Config.URL]. The error quotes none of it: what is wrong with a URL is often
// a character of its password.
func CheckServers(list string) error {
	_, err := parseServers(list)
	return err
}

// servers omit passwords and tokens as text.
type servers []*url.URL

// parseServers is stricter than the client library: accepted URLs hold secrets only as user
// information, which [servers] hides, so that no error can quote them.
func parseServers(list string) (servers, error) {
	parts := strings.Split(list, ",")
	parsed := make(servers, 0, len(parts))
	for i, part := range parts {
		server, err := parseServer(strings.TrimSpace(part), i == 0)
		if err != nil {
			which := "the URL"
			if len(parts) > 1 {
				which = fmt.Sprintf("URL %d of %d", i+1, len(parts))
			}
			return nil, fmt.Errorf("%s %w; %s", which, err, serversAllowed)
		}
		parsed = append(parsed, server)
	}
	return parsed, nil
}

func parseServer(text string, first bool) (*url.URL, error) {
	if text == "" {
		return nil, errors.New("is empty")
	}
	if !strings.Contains(text, "://") {
		if !first && strings.Contains(text, "@") {
			return nil, errors.New("has a user and no scheme, or is the rest of a password with a comma")
		}
		text = schemes[0] + "://" + text
	}
	server, err := url.Parse(text)
	switch {
	case err != nil: // quotes the URL
		return nil, errors.New("cannot be read")
	case !slices.Contains(schemes, server.Scheme):
		return nil, errors.New("has another scheme")
	case server.Hostname() == "":
		return nil, errors.New("has no host")
	case strings.Contains(server.Hostname(), ":") && !strings.HasPrefix(server.Host, "["):
		return nil, errors.New("has an IPv6 address without brackets, as in [::1]")
	case server.Path != "" && server.Path != "/", server.RawQuery != "", server.ForceQuery, server.Fragment != "":
		return nil, errors.New("has more after the host and port")
	}
	if text := server.Port(); text != "" {
		if port, err := strconv.Atoi(text); err != nil || port < 1 || port > 65535 {
			return nil, errors.New("has a port that is not from 1 to 65535")
		}
	}
	return server, nil
}

func connectedTo(conn *nats.Conn) servers {
	server, err := url.Parse(conn.ConnectedUrl())
	if err != nil {
		return nil // the library made it from a parsed one
	}
	return servers{server}
}

func (s servers) String() string {
	texts := make([]string, len(s))
	for i, server := range s {
		shown := *server
		if user := server.User; user != nil {
			if password, _ := user.Password(); password == "" { // a token
				shown.User = url.User("xxxxx")
			}
		}
		texts[i] = shown.Redacted()
	}
	return strings.Join(texts, ",")
}
