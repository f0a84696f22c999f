package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// looseText is a JSON string or number, otherwise "": OpenML writes an empty list for nothing.
type looseText string

func (t *looseText) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*t = looseText(text)
	} else if raw = bytes.TrimSpace(raw); len(raw) > 0 && raw[0] != '[' && raw[0] != '{' {
		*t = looseText(raw)
	}
	return nil
}

func describe(raw []byte, base string, id int) (origin, error) {
	var answer struct {
		Description struct {
			ID     looseText `json:"id"`
			FileID looseText `json:"file_id"`
			URL    looseText `json:"url"`
			MD5    looseText `json:"md5_checksum"`
		} `json:"data_set_description"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return origin{}, fmt.Errorf("description of the data set: %w", err)
	}
	about := answer.Description
	if about.ID != looseText(fmt.Sprint(id)) {
		return origin{}, fmt.Errorf("description is of data set %q, expected %d", about.ID, id)
	}
	from := origin{URL: string(about.URL), MD5: strings.ToLower(string(about.MD5))}
	if from.URL == "" {
		if about.FileID == "" {
			return origin{}, fmt.Errorf("description of data set %d names no file", id)
		}
		from.URL = fmt.Sprintf("%s/data/v1/download/%s", base, about.FileID)
	}
	return from, nil
}
