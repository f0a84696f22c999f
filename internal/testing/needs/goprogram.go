package needs

import (
	"context"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// GoProgram returns the path of a program: from the PATH, else version from the user's cache, where
// AGEPATH_REQUIRE_ALL=1 builds it once. takes says how long that takes.
func GoProgram(t testing.TB, purpose, pkg, version, takes string) string {
	t.Helper()
	name := path.Base(pkg)
	if found, err := exec.LookPath(name); err == nil {
		return found
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		Lacking(t, "%s: no folder to keep %s in: %v", purpose, name, err)
	}
	dir := filepath.Join(cache, "agepath-test", name+"-"+version)
	program := filepath.Join(dir, name)
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if _, err := os.Stat(program); err == nil {
		return program
	}
	if os.Getenv(requireAll) != "1" {
		Lacking(t, "%s: no %s in the PATH; %s=1 builds it once, %s, as does go install %s@%s", purpose, name, requireAll, takes, pkg, version)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	install := exec.CommandContext(ctx, "go", "install", pkg+"@"+version)
	install.Env = append(os.Environ(), "GOBIN="+dir, "CGO_ENABLED=0")
	install.Dir = filepath.Dir(cache) // of no module
	if out, err := install.CombinedOutput(); err != nil {
		Lacking(t, "%s: %s cannot be built: %v\n%s", purpose, name, err, out)
	}
	return program
}
