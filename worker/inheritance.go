package worker

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/tenon-go/tenon/internal/proc"
)

// inheritance is what a worker got from its parent. The variable that tells it
// reads
//
//	v1 control:3 shm:4,5 files:6,7 polling:50us
type inheritance struct {
	control *os.File
	kind    Link
	link    []*os.File
	files   []*os.File     // of option Files
	polling *time.Duration // of option Polling
}

// describe is the value of the variable, for a link of so many files.
func describe(kind Link, link, files int, polling *time.Duration) string {
	s := fmt.Sprintf("v1 control:%d %s:%s", controlFD, kind, numbers(firstLinkFD, link))
	if files > 0 {
		s += " files:" + numbers(firstLinkFD+link, files)
	}
	if polling != nil {
		s += fmt.Sprintf(" polling:%v", *polling)
	}
	return s
}

func numbers(first, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = strconv.Itoa(first + i)
	}
	return strings.Join(list, ",")
}

// inherit parses what describe wrote and takes over the descriptors. What it
// returns beside an error is what it got before that.
func inherit(s string) (got inheritance, err error) {
	fields := strings.Fields(s)
	// The control socket vouches for the rest: without it the variable came from
	// somebody who is not our parent, and the numbers are other files of ours.
	if len(fields) < 3 || fields[1] != fmt.Sprintf("control:%d", controlFD) || !proc.IsSocket(controlFD) {
		return got, fmt.Errorf("%s=%q: there is no control socket", envLink, s)
	}
	if fields[0] != "v1" {
		if got.control, err = proc.Adopt(controlFD, "control"); err == nil {
			err = errors.New("parent and worker are built with different versions of tenon")
		}
		return got, fmt.Errorf("%s=%q: %w", envLink, s, err)
	}
	for i, field := range fields[1:] {
		name, list, _ := strings.Cut(field, ":")
		if name == "polling" {
			budget, err := time.ParseDuration(list)
			if err != nil {
				return got, fmt.Errorf("%s=%q: %w", envLink, s, err)
			}
			got.polling = &budget
			continue
		}
		files, err := adopt(name, list)
		if err != nil {
			return got, fmt.Errorf("%s=%q: %w", envLink, s, err)
		}
		switch i {
		case 0:
			got.control = files[0]
		case 1:
			got.kind, got.link = Link(name), files
		case 2:
			got.files = files
		}
	}
	return got, nil
}

func adopt(name, list string) ([]*os.File, error) {
	var files []*os.File
	for number := range strings.SplitSeq(list, ",") {
		fd, err := strconv.Atoi(number)
		if err != nil || fd < controlFD {
			return nil, fmt.Errorf("%q is not a descriptor", number)
		}
		f, err := proc.Adopt(fd, name)
		if err != nil {
			return nil, fmt.Errorf("descriptor %d was not inherited: %w", fd, err)
		}
		files = append(files, f)
	}
	return files, nil
}
