package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// bootFile names the start of the system in which a server's store was last opened.
const bootFile = "boot"

// forgetAfterBoot deletes the store of an embedded server that was last opened before the
// system started, or before a start that is not known: a power cut may have taken parts
// of it that others count on, and a server on such a store keeps tasks from workers. What
// it had confirmed is computed again, unless it is in the folder of the run.
func forgetAfterBoot(dir string, report func(error)) error {
	now := bootID()
	path := filepath.Join(dir, bootFile)
	before, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if now != "" && string(before) == now {
		return nil
	}
	store := filepath.Join(dir, storeDir)
	if _, err := os.Stat(store); err == nil {
		report(fmt.Errorf("this system has started since %s was last used: cells that were queued there are queued again", store))
	}
	if err := os.RemoveAll(store); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(now), 0o600)
}
