package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/results"
)

// foldersName is the file, in the folder of the cache for downloads, that remembers
// folders of results.
const foldersName = "folders.jsonl"

type knownFlag struct{ off bool }

func (k *knownFlag) addTo(flags *pflag.FlagSet) {
	flags.BoolVar(&k.off, "no-reuse", false, "take no cells of folders that this machine has made, and do not remember this one")
}

// known returns the folders that this machine has made; nil where they are not remembered,
// or the user has no folder for that, as in a container.
func (a *app) known(k *knownFlag) *results.Folders {
	if k.off {
		return nil
	}
	cache := a.library.cache
	if cache == "" {
		var err error
		if cache, err = dataset.DefaultCache(); err != nil {
			a.Log.Debug("folders of results are not remembered: " + err.Error())
			return nil
		}
	}
	folders := &results.Folders{Path: filepath.Join(filepath.Dir(cache), foldersName)}
	if results.Committed(a.Version) {
		return folders
	}
	var err error
	if folders.Build, err = thisProgram(); err != nil {
		a.warn(fmt.Errorf("folders of results are not remembered: %w", err))
		return nil
	}
	return folders
}

// thisProgram returns a digest of this program, which tells it from others without a
// version.
func thisProgram() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding this program: %w", err)
	}
	digest, err := disk.Digest(path)
	if err != nil {
		return "", err
	}
	return digest[:32], nil
}

type reuseFlags struct {
	dirs  []string
	alone bool
	known knownFlag
}

func (r *reuseFlags) addTo(flags *pflag.FlagSet) {
	command.List(flags, &r.dirs, "reuse", "`folders` of results whose cells are taken instead of being computed", nil, func(text string) (string, error) {
		if text == "" {
			return "", errors.New("the name of a folder is empty")
		}
		return command.InHome(text)
	})
	flags.BoolVar(&r.alone, "no-share", false, "take no results of other runs at --nats")
	r.known.addTo(flags)
}

// reuse returns where outcomes of other runs are. Folders without results of the kind are
// refused.
func (a *app) reuse(r *reuseFlags, kind string) (run.Reuse, error) {
	for _, dir := range r.dirs {
		m, err := results.ReadManifest(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return run.Reuse{}, command.Refusef("--reuse %s: %w; allowed are folders with results of `coordinator run` or `coordinator collect`", dir, err)
		}
		if err != nil {
			return run.Reuse{}, command.Refusef("--reuse %s: %w", dir, err)
		}
		if m.Kind != kind {
			return run.Reuse{}, command.Refusef("--reuse %s: its cells are of the kind %s; those of the grid are %s", dir, m.Kind, kind)
		}
	}
	return run.Reuse{Dirs: r.dirs, Known: a.known(&r.known), Alone: r.alone, Report: a.warn}, nil
}
