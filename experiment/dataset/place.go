package dataset

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// Place returns the absolute path that Load reads, "" if embedded.
func (l *Library) Place(s Source) (string, error) {
	path := s.Path
	if path == "" {
		entry, err := known(s.Name)
		if err != nil {
			return "", err
		}
		at, err := l.Locate(entry)
		if err != nil || at.Embedded {
			return "", err
		}
		path = at.Path
	}
	return filepath.Abs(path)
}

// LoadFrom is Load with the file at another path.
func (l *Library) LoadFrom(ctx context.Context, s Source, path string) (*Dataset, error) {
	if s.Path != "" {
		s.Name, s.Path = s.DatasetName(), path
		return l.Load(ctx, s)
	}
	entry, err := known(s.Name)
	if err != nil {
		return nil, err
	}
	for _, file := range entry.Files {
		if strings.HasSuffix(strings.TrimSuffix(filepath.ToSlash(path), ".gz"), "/"+file.Path) {
			return entry.load(ctx, Location{Path: path, File: file}, s)
		}
	}
	return nil, fmt.Errorf("load data set %s: %s is none of its files", entry.Name, path)
}
