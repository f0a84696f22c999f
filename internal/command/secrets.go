package command

import (
	"fmt"
	"os"
	"runtime"
)

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
