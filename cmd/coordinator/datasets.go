package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/lists"
)

func (a *catalog) datasetsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "datasets",
		Short:   "List, download and check the data sets of the catalog",
		Example: command.Examples("coordinator datasets list\ncoordinator datasets fetch digits"),
	}
	list := a.onEntries("list [NAME...]", "List data sets and where they are", "", "coordinator datasets list", a.listDatasets)
	check := a.onEntries("check [NAME...]", "Read data sets and compare them with the catalog",
		`Read data sets and compare them with the catalog: digest, shape, missing values.
Without names, check all that are on this machine. The exit status is 1 if one
does not pass.`,
		"coordinator datasets check --datasets data", a.checkDatasets)
	var openML string
	fetch := a.onEntries("fetch [NAME...]", "Download data sets to the cache",
		`Download data sets to the cache (--cache): without names, all that can be
downloaded and are not on this machine.`,
		"coordinator datasets fetch digits",
		func(ctx context.Context, library *dataset.Library, entries []dataset.Entry, on entriesOptions) error {
			return a.fetchDatasets(ctx, openML, library, entries, on)
		})
	fetch.Flags().StringVar(&openML, "openml", dataset.OpenML, "`URL` of OpenML or of a mirror of it")
	return command.Group(cmd, list, fetch, check)
}

func completeName(_ *cobra.Command, args []string, begin string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names := lists.Map(dataset.Catalog(), func(entry dataset.Entry) string { return entry.Name })
	return command.Words(slices.DeleteFunc(names, func(name string) bool { return slices.Contains(args, name) }), begin)
}

type entriesOptions struct {
	named  bool
	asJSON jsonFlag
}

func (a *catalog) onEntries(
	use, short, long, examples string,
	do func(ctx context.Context, library *dataset.Library, entries []dataset.Entry, on entriesOptions) error,
) *cobra.Command {
	var asJSON jsonFlag
	cmd := command.Command(use, short, long, examples, func(ctx context.Context, args []string) error {
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
		return do(ctx, library, entries, entriesOptions{len(args) > 0, asJSON})
	})
	a.library.addTo(cmd.Flags())
	asJSON.addTo(cmd.Flags())
	return cmd
}

// dataObject is a data set in docs/schemas/datasets.json. State is embedded, here, absent, ok, bad,
// fetched or failed; unknown fields are "" or 0.
type dataObject struct {
	Name     string       `json:"name"`
	State    string       `json:"state"`
	Task     dataset.Task `json:"task"`
	Rows     int          `json:"rows"`
	Features int          `json:"features"`
	Origin   string       `json:"origin"`
	CanFetch bool         `json:"can_fetch"`
	Path     string       `json:"path"`
	Digest   string       `json:"digest"`
	Error    string       `json:"error"`
}

func catalogObject(e dataset.Entry, state string) dataObject {
	return dataObject{Name: e.Name, State: state, Task: e.Task, Rows: e.Rows, Features: e.Features, Origin: origin(e), CanFetch: canFetch(e)}
}

func (a *catalog) writeData(sets []dataObject, table textTable, asJSON jsonFlag) error {
	if asJSON {
		return a.writeJSON(object{"datasets": sets})
	}
	return table.write(a.Out)
}

func lookup(names []string) ([]dataset.Entry, error) {
	var entries []dataset.Entry
	for _, name := range names {
		entry, ok := dataset.Lookup(name)
		if !ok {
			known := lists.Map(dataset.Catalog(), func(e dataset.Entry) string { return e.Name })
			return nil, command.Refusef("%w %q; the catalog has %s%s",
				dataset.ErrUnknown, name, strings.Join(known, ", "), dataset.Meant(name))
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

func (a *catalog) listDatasets(_ context.Context, library *dataset.Library, entries []dataset.Entry, on entriesOptions) error {
	sets := []dataObject{}
	table := textTable{{"name", "task", ">rows", ">features", "from", "where"}}
	for _, entry := range entries {
		at, err := library.Locate(entry)
		set, where := catalogObject(entry, "here"), at.Path
		switch set.Path = at.Path; {
		case errors.Is(err, dataset.ErrAbsent):
			set.State, where = "absent", "absent"
			if !set.CanFetch {
				where = "absent, no place to download it from is known"
			}
		case err != nil:
			return err
		case entry.Embedded:
			set.State, where = "embedded", "embedded"
		}
		table.add(set.Name, string(set.Task), strconv.Itoa(set.Rows), strconv.Itoa(set.Features), set.Origin, where)
		sets = append(sets, set)
	}
	return a.writeData(sets, table, on.asJSON)
}

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

func (a *catalog) checkDatasets(ctx context.Context, library *dataset.Library, entries []dataset.Entry, on entriesOptions) error {
	sets := []dataObject{}
	table := textTable{{"name", "result", "task", ">rows", ">features", "digest", "where"}}
	bad := 0
	for _, entry := range entries {
		result := library.Check(ctx, entry)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !on.named && errors.Is(result.Err, dataset.ErrAbsent) {
			continue
		}
		set, where := catalogObject(entry, "ok"), result.Path
		set.Task, set.Rows, set.Features, set.Digest, set.Path = result.Task, result.Rows, result.Features, result.Digest, result.Path
		if entry.Embedded {
			where = "embedded"
		}
		if result.Err != nil {
			set.State, set.Error = "bad", result.Err.Error()
			where = set.Error
			bad++
		}
		rows, features, digest := "", "", ""
		if set.Digest != "" {
			rows, features, digest = strconv.Itoa(set.Rows), strconv.Itoa(set.Features), set.Digest[:16]
		}
		table.add(set.Name, set.State, string(set.Task), rows, features, digest, where)
		sets = append(sets, set)
	}
	if err := a.writeData(sets, table, on.asJSON); err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d data sets do not pass", bad, len(sets))
	}
	return nil
}

func (a *catalog) fetchDatasets(ctx context.Context, openML string, library *dataset.Library, entries []dataset.Entry, on entriesOptions) error {
	if library.Cache == "" {
		_, err := dataset.DefaultCache()
		return command.Refusef("%w; --cache DIR names it", err)
	}
	sets := []dataObject{}
	fetcher := &dataset.Fetcher{BaseURL: openML}
	var errs []error
	for _, entry := range entries {
		if !on.named {
			if _, err := library.Locate(entry); !canFetch(entry) || err == nil {
				continue
			}
		}
		a.Log.Info("fetching", "dataset", entry.Name)
		set := catalogObject(entry, "fetched")
		if err := fetcher.Fetch(ctx, entry, library.Cache); err == nil {
			set.Path = library.Cache
			if !on.asJSON {
				fmt.Fprintf(a.Out, "%s is in %s\n", entry.Name, library.Cache)
			}
		} else if ctx.Err() == nil {
			set.State, set.Error = "failed", err.Error()
			errs = append(errs, err)
		} else {
			return err
		}
		sets = append(sets, set)
	}
	if on.asJSON {
		errs = append(errs, a.writeData(sets, nil, true))
	}
	return errors.Join(errs...)
}
