// Package outside runs commands, methods outside this module, which read and answer each cell as a
// line of JSON, with a file of data. docs/methods.md describes the protocol.
//
// A [Host] starts a command in its own folder with copies of its files, keeps it for further cells,
// and ends it with all processes that it started. On Linux these include processes that left their
// group or session and whose parents have ended, see [Own] and [EndMarked]; elsewhere the process
// group is ended.
package outside

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// Protocol is the protocol's version. It enters the identity of commands' cells.
const Protocol = 2

// What a command may use of a cell apart from its data.
const (
	UsesModel       = "model"
	UsesRegularizer = "regularizer"
	UsesAge         = "age"
)

// Uses lists these in canonical order.
var Uses = []string{UsesModel, UsesRegularizer, UsesAge}

const (
	maxWords    = 64       // per command line
	maxFiles    = 64       // per program
	maxText     = 4 << 10  // bytes of a word, version or file name
	MaxFileSize = 64 << 20 // bytes
)

// Program is a command with everything that determines its numbers.
type Program struct {
	Run     []string `json:"run"`               // command line; a relative path with a slash is one of the files
	Version string   `json:"version,omitempty"` // raised when numbers change for reasons other than files
	Uses    []string `json:"uses,omitempty"`    // in the order of [Uses]
	Files   []File   `json:"files,omitempty"`   // sorted by name
	Env     []string `json:"env,omitempty"`     // variables other than [Base], sorted
}

// File is a program's file.
type File struct {
	Name   string `json:"name"`   // slash-separated path in the command's folder
	Digest string `json:"digest"` // SHA-256 in hex
}

func (p *Program) Canonical() (string, error) {
	if err := p.check(); err != nil {
		return "", err
	}
	text, err := json.Marshal(p)
	return string(text), err
}

// ReadProgram reads a program's canonical form and rejects any other.
func ReadProgram(text string) (*Program, error) {
	p := new(Program)
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(p); err != nil {
		return nil, fmt.Errorf("reading a command: %w", err)
	}
	again, err := p.Canonical()
	if err != nil {
		return nil, err
	}
	if again != text {
		return nil, errors.New("reading a command: it is not in its canonical form")
	}
	return p, nil
}

// check validates a program of unknown origin.
func (p *Program) check() error {
	if len(p.Run) == 0 || p.Run[0] == "" {
		return errors.New("a command without a command line")
	}
	if len(p.Run) > maxWords || len(p.Files) > maxFiles || len(p.Env) > maxFiles {
		return fmt.Errorf("a command of %d words, %d files and %d variables; at most %d, %d and %[5]d are allowed",
			len(p.Run), len(p.Files), len(p.Env), maxWords, maxFiles)
	}
	if err := p.checkEnv(); err != nil {
		return err
	}
	for _, text := range append(slices.Clone(p.Run), p.Version) {
		if len(text) > maxText || strings.ContainsRune(text, 0) {
			return fmt.Errorf("the word %.100q of a command; allowed are at most %d bytes, none of them zero", text, maxText)
		}
	}
	last := -1
	for _, use := range p.Uses {
		at := slices.Index(Uses, use)
		if at <= last {
			return fmt.Errorf("uses %.200q; allowed are %s in this order", p.Uses, strings.Join(Uses, ", "))
		}
		last = at
	}
	for i, file := range p.Files {
		if err := CheckFileName(file.Name); err != nil {
			return err
		}
		if i > 0 && file.Name <= p.Files[i-1].Name {
			return fmt.Errorf("the file %q comes twice or not in the order of names", file.Name)
		}
		if digest, err := hex.DecodeString(file.Digest); err != nil || len(digest) != sha256.Size ||
			strings.ToLower(file.Digest) != file.Digest {
			return fmt.Errorf("the file %q: %.100q is no digest", file.Name, file.Digest)
		}
	}
	return nil
}

func (p *Program) checkEnv() error {
	for i, name := range p.Env {
		if err := CheckVariable(name); err != nil {
			return err
		}
		if i > 0 && name <= p.Env[i-1] {
			return fmt.Errorf("the variable %q comes twice or not in the order of names", name)
		}
	}
	return nil
}

// CheckFileName requires a clean slash-separated path in the command's folder.
func CheckFileName(name string) error {
	local := filepath.IsLocal(filepath.FromSlash(name)) && !strings.ContainsAny(name, "\\\x00") &&
		name != "." && name == filepath.ToSlash(filepath.Clean(name)) && len(name) <= maxText
	if !local || strings.HasPrefix(name, dataName) || strings.HasPrefix(name, answerName) {
		return fmt.Errorf("%.200q is no name of a command's file; a path below the grid's folder is, without .. and %s*, %s*",
			name, dataName, answerName)
	}
	return nil
}

// Requires returns the sorted digests of a canonical program's files, and its variables, nil if it
// is invalid or "".
func Requires(canonical string) (digests, env []string) {
	if canonical == "" { // most cells: reading says so slowly
		return nil, nil
	}
	program, err := ReadProgram(canonical)
	if err != nil {
		return nil, nil
	}
	for _, file := range program.Files {
		digests = append(digests, file.Digest)
	}
	slices.Sort(digests)
	return slices.Compact(digests), program.Env
}

func (p *Program) WithoutFiles() *Program {
	bare := *p
	bare.Files = nil
	return &bare
}

func (p *Program) Has(use string) bool { return slices.Contains(p.Uses, use) }

// Digest returns the SHA-256 of a file's content in hex.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

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

// Python is agepath.py, the module for methods in Python, results as data frames and calls of runs.
//
//go:embed agepath.py
var Python string
