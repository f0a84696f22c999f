package outside

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Protocol is the version of what is said to commands. It is part of the identity of
// their cells.
const Protocol = 2

// What a command can use of a cell besides its data.
const (
	UsesModel       = "model"
	UsesRegularizer = "regularizer"
	UsesAge         = "age"
)

// Uses lists what a command can use, in the order of its canonical form.
var Uses = []string{UsesModel, UsesRegularizer, UsesAge}

const (
	maxWords    = 64       // of a command line
	maxFiles    = 64       // of a program
	maxText     = 4 << 10  // bytes of a word, a version and a file's name
	MaxFileSize = 64 << 20 // bytes of a file of a program
)

// Program is a command with everything that its numbers depend on.
type Program struct {
	Run     []string `json:"run"`               // the command line; a program with a slash is one of the files
	Version string   `json:"version,omitempty"` // raised when what is no file changes the numbers
	Uses    []string `json:"uses,omitempty"`    // in the order of [Uses]
	Files   []File   `json:"files,omitempty"`   // in the order of their names
	Env     []string `json:"env,omitempty"`     // names of environment variables that it gets besides [Base], sorted
}

// File is a file of a program.
type File struct {
	Name   string `json:"name"`   // its path in the command's folder, with slashes
	Digest string `json:"digest"` // SHA-256 in hex
}

// Canonical returns the JSON that [ReadProgram] reads.
func (p *Program) Canonical() (string, error) {
	if err := p.check(); err != nil {
		return "", err
	}
	text, err := json.Marshal(p)
	return string(text), err
}

// ReadProgram reads the canonical form of a program, and nothing else.
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

// check returns what is wrong with a program, which may come from anywhere.
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

// CheckFileName returns an error unless a file of a program may have the name: a
// path with slashes that stays in the command's folder, as it is there.
func CheckFileName(name string) error {
	local := filepath.IsLocal(filepath.FromSlash(name)) && !strings.ContainsAny(name, "\\\x00") &&
		name != "." && name == filepath.ToSlash(filepath.Clean(name)) && len(name) <= maxText
	if !local || strings.HasPrefix(name, dataName) || strings.HasPrefix(name, answerName) {
		return fmt.Errorf("%.200q is no name of a command's file; a path below the grid's folder is, without .. and %s*, %s*",
			name, dataName, answerName)
	}
	return nil
}

// FilesOf returns the digests of the files of a program in canonical form, sorted; nil for
// "", which is none, and for a text that is no program.
func FilesOf(canonical string) (digests []string) {
	if program, err := ReadProgram(canonical); err == nil {
		for _, file := range program.Files {
			digests = append(digests, file.Digest)
		}
	}
	slices.Sort(digests)
	return slices.Compact(digests)
}

// EnvOf returns the names of the variables that a program in canonical form gets.
func EnvOf(canonical string) []string {
	if program, err := ReadProgram(canonical); err == nil {
		return program.Env
	}
	return nil
}

// WithoutFiles returns the program before its files were read.
func (p *Program) WithoutFiles() *Program {
	bare := *p
	bare.Files = nil
	return &bare
}

// Has reports whether the program uses something of a cell.
func (p *Program) Has(use string) bool { return slices.Contains(p.Uses, use) }

// Digest returns the digest of a file's content.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func compact(text []byte) ([]byte, error) {
	var line bytes.Buffer
	err := json.Compact(&line, text)
	return line.Bytes(), err
}
