package queue

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

// TestDeployedConfig reads the configuration of the servers in deploy/k8s as the
// newest server does.
func TestDeployedConfig(t *testing.T) {
	const name = "agepath-nats-0"
	t.Setenv("POD_NAME", name)
	dir := t.TempDir()
	for _, file := range []string{"nats.conf", "permissions.conf", "accounts.conf", "cluster.conf", "tls.conf"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(deployed(t, file)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const users = "COORDINATOR_PASSWORD: \"1e3c\"\nWORKER_PASSWORD: \"2k\"\nVIEWER_PASSWORD: \"0x\"\n"
	if err := os.WriteFile(filepath.Join(dir, "users.conf"), []byte(users), 0o600); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "nats.conf")
	options, err := server.ProcessConfigFile(config)
	if err != nil {
		t.Fatal(err)
	}
	if options.ServerName != name || len(options.Routes) != 3 || options.StoreDir != "/data" || !options.JetStream || !options.SyncAlways {
		t.Errorf("name %q, routes %v, store %q", options.ServerName, options.Routes, options.StoreDir)
	}
	accounts := map[string]string{"coordinator": "AGEPATH", "worker": "WORKERS", "viewer": "VIEWERS"}
	passwords := map[string]string{}
	for _, user := range options.Users {
		passwords[user.Username] = user.Password
		if user.Account == nil || user.Account.Name != accounts[user.Username] || user.Permissions == nil || len(user.Permissions.Publish.Allow) < 20 ||
			len(user.Permissions.Subscribe.Allow) != 1 || user.Permissions.Subscribe.Allow[0] != "_INBOX_agepath_"+user.Username+".>" {
			t.Errorf("user %s: account %v, permissions %+v", user.Username, user.Account, user.Permissions)
		}
	}
	// The only server of the overlay small waits for no others.
	if err := os.WriteFile(filepath.Join(dir, "cluster.conf"), []byte(deployed(t, "../overlays/small/nats/cluster.conf")), 0o600); err != nil {
		t.Fatal(err)
	}
	if options, err := server.ProcessConfigFile(config); err != nil || len(options.Routes) > 0 || options.Cluster.Port != 0 || len(options.Users) != 3 {
		t.Errorf("small: %+v, error %v", options, err)
	}
	if len(passwords) != 3 || passwords["coordinator"] != "1e3c" || passwords["worker"] != "2k" || passwords["viewer"] != "0x" {
		t.Errorf("users %v", passwords)
	}
}
