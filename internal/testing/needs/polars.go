package needs

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Polars returns a folder with nodejs-polars and DuckDB, installed once into the user's
// cache as the files in source say.
func Polars(t testing.TB, source string) string {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		Program(t, "reading by polars", tool)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		Lacking(t, "no folder to keep polars in: %v", err)
	}
	hash := sha256.New()
	names := []string{"package.json", "package-lock.json"}
	for _, name := range append(names, "check.mjs") {
		text, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			t.Fatal(err)
		}
		hash.Write(text)
	}
	dir := filepath.Join(cache, "agepath-test", fmt.Sprintf("polars-%x", hash.Sum(nil)[:8]))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		Lacking(t, "no folder to keep polars in: %v", err)
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), "new-") //nolint:usetesting // on the disk where it goes
	if err != nil {
		Lacking(t, "no folder to keep polars in: %v", err)
	}
	defer func() { _ = os.RemoveAll(fresh) }() // it is renamed by then
	if err := os.CopyFS(fresh, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	// npm ci requires every optional package of the lock file, some of which were never published.
	install := exec.CommandContext(ctx, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = fresh
	if out, err := install.CombinedOutput(); err != nil {
		Lacking(t, "polars cannot be installed: %v\n%s", err, out)
	}
	if err := os.Rename(fresh, dir); err != nil && !os.IsExist(err) { // another process may be faster
		t.Fatal(err)
	}
	return dir
}
