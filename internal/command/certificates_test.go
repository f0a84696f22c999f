package command

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// authority signs certificates.
type authority struct {
	t    *testing.T
	key  *ecdsa.PrivateKey
	own  *x509.Certificate
	file string // with its certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der := a.sign(template, nil)
	var err error
	if a.own, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.file = filepath.Join(t.TempDir(), "ca.pem")
	writePEM(t, a.file, "CERTIFICATE", der)
	return a
}

// sign makes a key and signs its certificate, the authority's own without one
// for whom.
func (a *authority) sign(template *x509.Certificate, whom *ecdsa.PrivateKey) []byte {
	a.t.Helper()
	if whom == nil {
		var err error
		if a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
			a.t.Fatal(err)
		}
		a.own, whom = template, a.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.own, whom.Public(), a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	return der
}

// issue writes a certificate for a host, for servers and clients, that is valid
// for a time from an hour ago on.
func (a *authority) issue(host string, valid time.Duration) (cert, key string) {
	a.t.Helper()
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	from := time.Now().Add(-time.Hour)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: host}, NotBefore: from, NotAfter: from.Add(valid),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{host}
	}
	dir := a.t.TempDir()
	cert, key = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	writePEM(a.t, cert, "CERTIFICATE", a.sign(template, own))
	der, err := x509.MarshalPKCS8PrivateKey(own)
	if err != nil {
		a.t.Fatal(err)
	}
	writePEM(a.t, key, "PRIVATE KEY", der)
	return cert, key
}

// serve returns a server's TLS configuration with a certificate. With clients,
// those need one of the authority too.
func (a *authority) serve(cert, key string, clients bool) *tls.Config {
	a.t.Helper()
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		a.t.Fatal(err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	if clients {
		config.ClientCAs = x509.NewCertPool()
		config.ClientCAs.AddCert(a.own)
		config.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return config
}

func writePEM(t *testing.T, path, kind string, der []byte) {
	t.Helper()
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
}
