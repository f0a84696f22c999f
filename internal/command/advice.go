package command

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/agepath/agepath/experiment/queue"
)

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
		return "nothing has been submitted to this server, or to this user's account of it"
	case errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAccountAuthExpired), errors.Is(err, nats.ErrAuthRevoked):
		return "ask the server's administrator for new credentials and replace the file; a running program takes them from there"
	case errors.Is(err, nats.ErrNkeysNotSupported):
		return "the server has no users with nkeys; --creds FILE, or --user NAME with --password-file FILE, may do"
	case errors.Is(err, nats.ErrPermissionViolation):
		return "this user lacks a permission; deploy/k8s/nats/permissions.conf has those of coordinator and worker"
	case errors.Is(err, nats.ErrSecureConnWanted):
		return "TLS is asked for by --tls-ca, --tls-cert or a tls:// URL, and the server has none; turn it on there, or leave them out"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return fmt.Sprintf("the server's certificate is valid from %s to %s; have it renewed, or set this machine's clock", invalid.Cert.NotBefore, invalid.Cert.NotAfter)
	case errors.As(err, &authority):
		return "--tls-ca FILE has to hold the certificate of the authority that signed the server's"
	case errors.As(err, &host):
		return "--nats has to name the server as its certificate does"
	case errors.As(err, &record):
		return "what answers there is no NATS server with TLS"
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
