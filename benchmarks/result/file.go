package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// A File is the form of results.json: what each of the programs that measure has
// measured last. What was not measured is nil.
type File struct {
	Calls    *Run         `json:"calls,omitempty"`
	Streams  *Run         `json:"streams,omitempty"`
	Ring     *RingRun     `json:"ring,omitempty"`
	Pressure *PressureRun `json:"pressure,omitempty"`
}

// Read reads results.
func Read(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := new(File)
	if err := json.Unmarshal(data, f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// Update changes results, of which there need not be any yet.
func Update(path string, change func(*File)) error {
	f, err := Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = new(File), nil
	}
	if err != nil {
		return err
	}
	change(f)
	data, err := json.MarshalIndent(f, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}
