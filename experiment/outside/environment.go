package outside

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// baseNames are a worker's variables for commands and slots. Others can hold secrets.
var baseNames = []string{"PATH", "HOME", "LANG", "LANGUAGE", "TMPDIR", "TZ", "USER", "LOGNAME"}

var windowsNames = []string{
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP",
	"USERPROFILE", "USERNAME", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES",
}

// Base returns a program's basic entries: paths and language.
func Base(environment []string) (base []string) {
	for _, entry := range environment {
		name, _, _ := strings.Cut(entry, "=")
		if runtime.GOOS == "windows" {
			name = strings.ToUpper(name)
		}
		if slices.Contains(baseNames, name) || strings.HasPrefix(name, "LC_") ||
			runtime.GOOS == "windows" && slices.Contains(windowsNames, name) {
			base = append(base, entry)
		}
	}
	return base
}

const ownPrefix = "AGEPATH_"

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,199}$`)

// CheckVariable returns an error unless a program may get the variable.
func CheckVariable(name string) error {
	if !variableName.MatchString(name) || strings.HasPrefix(strings.ToUpper(name), ownPrefix) {
		return fmt.Errorf("%.200q is no variable that a command gets; names of letters, digits and _ are, which do not begin with %s", name, ownPrefix)
	}
	return nil
}
