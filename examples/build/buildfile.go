package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// A rule says how a file is made:
//
//	greeting.txt: name.txt
//		echo "Hello $(cat name.txt), from {{PLACE}}" > greeting.txt
type rule struct {
	file     string
	needs    []string
	commands []string
}

// readRules reads a build file and returns its rules in an order in which they can
// be followed.
func readRules(path string) ([]*rule, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var rules []*rule
	for i, line := range strings.Split(string(text), "\n") {
		file, needs, isRule := strings.Cut(line, ":")
		switch {
		case strings.TrimSpace(line) == "", strings.HasPrefix(line, "#"):
		case line[0] == '\t' && len(rules) > 0:
			last := rules[len(rules)-1]
			last.commands = append(last.commands, strings.TrimSpace(line))
		case line[0] != '\t' && isRule:
			rules = append(rules, &rule{file: strings.TrimSpace(file), needs: strings.Fields(needs)})
		default:
			return nil, fmt.Errorf("%s:%d: neither \"file: needed files\" nor a command after a tab", path, i+1)
		}
	}
	return inOrder(rules)
}

// inOrder puts each rule behind those for the files that it needs.
func inOrder(rules []*rule) (ordered []*rule, err error) {
	var visit func(r *rule, above []string) error
	visit = func(r *rule, above []string) error {
		if slices.Contains(above, r.file) {
			return fmt.Errorf("%s needs itself: %s", r.file, strings.Join(append(above, r.file), ", which needs "))
		}
		if slices.Contains(ordered, r) {
			return nil
		}
		for _, name := range r.needs {
			for _, other := range rules {
				if other.file == name {
					if err := visit(other, append(above, r.file)); err != nil {
						return err
					}
				}
			}
		}
		ordered = append(ordered, r)
		return nil
	}
	for _, r := range rules {
		if err := visit(r, nil); err != nil {
			return nil, err
		}
	}
	return ordered, nil
}

var setting = regexp.MustCompile(`\{\{(\w+)\}\}`)

// expand puts the values of settings into a command.
func expand(command string, value func(name string) (string, error)) (string, error) {
	var failed error
	expanded := setting.ReplaceAllStringFunc(command, func(match string) string {
		v, err := value(strings.Trim(match, "{}"))
		if failed == nil {
			failed = err
		}
		return v
	})
	return expanded, failed
}
