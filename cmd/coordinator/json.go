package main

import (
	"encoding/json"

	"github.com/spf13/pflag"
)

type object = map[string]any

type jsonFlag bool

func (j *jsonFlag) addTo(flags *pflag.FlagSet) {
	flags.BoolVar((*bool)(j), "json", false, "print one JSON object instead of text")
}

func (a *app) writeJSON(object any) error {
	encoder := json.NewEncoder(a.Out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(object)
}
