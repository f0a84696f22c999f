package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/internal/command"
)

// datasetsCommand is about the catalog of data sets.
func (a *app) datasetsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "datasets",
		Short: "List, download and check the data sets of the catalog",
	}
	list := a.onEntries("list [NAME...]", "List data sets and where they are", "", a.listDatasets)
	check := a.onEntries("check [NAME...]", "Read data sets and compare them with the catalog",
		`Read data sets and compare them with the catalog: digest, shape, missing values.
Without names, all that are on this machine. The exit status is 1 where one does
not pass.`,
		a.checkDatasets)
	var openML string
	fetch := a.onEntries("fetch [NAME...]", "Download data sets to the cache",
		`Download data sets to the cache (--cache). Without names, all that can be
downloaded and are not on this machine. A download that broke off goes on where
it ended.`,
		func(ctx context.Context, library *dataset.Library, entries []dataset.Entry, named bool) error {
			return a.fetchDatasets(ctx, openML, library, entries, named)
		})
	fetch.Flags().StringVar(&openML, "openml", dataset.OpenML, "`URL` of OpenML or of a mirror of it")
	return command.Group(cmd, list, fetch, check)
}

// onEntries makes a command about the entries that its arguments name, all without
// arguments.
func (a *app) onEntries(
	use, short, long string,
	do func(ctx context.Context, library *dataset.Library, entries []dataset.Entry, named bool) error,
) *cobra.Command {
	return command.Command(use, short, long, func(ctx context.Context, args []string) error {
		library, err := a.library.open()
		if err != nil {
			return err
		}
		entries := dataset.Catalog()
		if len(args) > 0 {
			if entries, err = lookup(args); err != nil {
				return err
			}
		}
		return do(ctx, library, entries, len(args) > 0)
	})
}

func lookup(names []string) ([]dataset.Entry, error) {
	var entries []dataset.Entry
	for _, name := range names {
		entry, ok := dataset.Lookup(name)
		if !ok {
			var known []string
			for _, entry := range dataset.Catalog() {
				known = append(known, entry.Name)
			}
			return nil, command.Refusef("%w %q; the catalog has %s%s",
				dataset.ErrUnknown, name, strings.Join(known, ", "), dataset.Meant(name))
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

func (a *app) listDatasets(_ context.Context, library *dataset.Library, entries []dataset.Entry, _ bool) error {
	table := textTable{{"name", "task", ">rows", ">features", "from", "where"}}
	for _, entry := range entries {
		at, err := library.Locate(entry)
		where := at.Path
		switch {
		case errors.Is(err, dataset.ErrAbsent):
			where = "absent"
			if !canFetch(entry) {
				where = "absent, no place to download it from is known"
			}
		case err != nil:
			return err
		case at.Embedded:
			where = "embedded"
		}
		table.add(entry.Name, string(entry.Task), strconv.Itoa(entry.Rows), strconv.Itoa(entry.Features), origin(entry), where)
	}
	return table.write(a.Out)
}

// origin names where a data set is from.
func origin(e dataset.Entry) string {
	switch {
	case e.OpenML != 0:
		return fmt.Sprintf("OpenML %d", e.OpenML)
	case e.UCI != "":
		return "UCI " + e.UCI
	}
	return e.Source
}

func canFetch(e dataset.Entry) bool {
	_, ok := e.Download()
	return ok && (e.URL != "" || e.OpenML != 0)
}

func (a *app) checkDatasets(ctx context.Context, library *dataset.Library, entries []dataset.Entry, named bool) error {
	table := textTable{{"name", "result", "task", ">rows", ">features", "digest", "where"}}
	bad := 0
	for _, entry := range entries {
		result := library.Check(ctx, entry)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !named && errors.Is(result.Err, dataset.ErrAbsent) {
			continue
		}
		verdict, where := "ok", result.Path
		if result.Embedded {
			where = "embedded"
		}
		if result.Err != nil {
			verdict, where = "bad", result.Err.Error()
			bad++
		}
		rows, features, digest := "", "", ""
		if result.Digest != "" {
			rows, features, digest = strconv.Itoa(result.Rows), strconv.Itoa(result.Features), result.Digest[:16]
		}
		table.add(result.Name, verdict, string(result.Task), rows, features, digest, where)
	}
	if err := table.write(a.Out); err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d data sets do not pass", bad, len(table)-1)
	}
	return nil
}

func (a *app) fetchDatasets(ctx context.Context, openML string, library *dataset.Library, entries []dataset.Entry, named bool) error {
	fetcher := &dataset.Fetcher{BaseURL: openML, Progress: a.fetchProgress}
	var errs []error
	for _, entry := range entries {
		if !named {
			if _, err := library.Locate(entry); !canFetch(entry) || err == nil {
				continue
			}
		}
		a.Log.Info("fetching", "dataset", entry.Name)
		if err := fetcher.Fetch(ctx, entry, library.Cache); err != nil {
			if ctx.Err() != nil {
				return err
			}
			errs = append(errs, err)
			continue
		}
		fmt.Fprintf(a.Out, "%s is in %s\n", entry.Name, library.Cache)
	}
	return errors.Join(errs...)
}

// fetchProgress logs the failures that a download survives.
func (a *app) fetchProgress(p dataset.FetchProgress) {
	if p.Err != nil {
		a.Log.Warn("download broke off", "dataset", p.Name, "url", p.URL, "bytes", p.Done, "failures", p.Failures, "wait", p.Wait, "error", p.Err)
	}
}
