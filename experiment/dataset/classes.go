package dataset

import (
	"math"
	"strconv"
)

// label is one label of a target. Labels are equal when their texts are, or
// their numbers: 1, 1.0 and +1 are one label.
type label struct {
	text   string  // "" for a number
	number float64 // 0 for a text
}

func parseLabel(text string) label {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return label{text: text}
	}
	return label{number: v + 0}
}
