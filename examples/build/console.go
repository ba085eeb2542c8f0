package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/tenon-go/tenon"
)

// A console is the user: it shows what a build does and asks. Functions that the
// worker calls run on goroutines of their own, so one thing is shown at a time.
type console struct {
	yes      bool              // overwrite without a question
	settings map[string]string // of the command line
	answers  <-chan string     // lines of the standard input

	mu  sync.Mutex
	bar *progressbar.ProgressBar // nil where there is no terminal
}

func newConsole(yes bool, settings map[string]string) *console {
	c := &console{yes: yes, settings: settings, answers: linesOf(os.Stdin)}
	if term.IsTerminal(int(os.Stderr.Fd())) {
		c.bar = progressbar.NewOptions(1, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionShowCount(),
			progressbar.OptionSetWidth(32), progressbar.OptionSetElapsedTime(false), progressbar.OptionSetPredictTime(false),
			progressbar.OptionClearOnFinish())
	}
	return c
}

// linesOf reads lines ahead, so that nobody has to wait for one for ever.
func linesOf(r io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(r); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return lines
}

// progress shows how far the build is: a bar on a terminal, lines elsewhere. Of steps
// that follow each other faster than one can read, it hears of some.
func (c *console) progress(p tenon.Progress) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case p.Total == 0:
	case c.bar != nil:
		c.bar.ChangeMax64(p.Total)
		c.bar.Describe(p.Text)
		c.bar.Set64(p.Done)
	case p.Done < p.Total:
		fmt.Fprintf(os.Stderr, "[%d/%d] %s\n", p.Done+1, p.Total, p.Text)
	}
}

// output shows a line that a command prints.
func (c *console) output(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clear()
	fmt.Println(line)
}

// clear takes the bar away; it comes back with the next progress.
func (c *console) clear() {
	if c.bar != nil {
		c.bar.Clear()
	}
}

// overwrite asks whether a file may be overwritten.
func (c *console) overwrite(ctx context.Context, file string) (bool, error) {
	if c.yes {
		return true, nil
	}
	answer, err := c.ask(ctx, "overwrite "+file+"? [y/N] ")
	answer = strings.ToLower(answer)
	return answer == "y" || answer == "yes", err
}

// Value returns a setting. The user is asked for one that the command line lacks.
func (c *console) Value(ctx context.Context, name string) (string, error) {
	if v, ok := c.settings[name]; ok {
		return v, nil
	}
	return c.ask(ctx, name+"? ")
}

// ask asks a question and waits for the answer until ctx ends, which it does when
// the worker does not want to know any more, or is lost.
func (c *console) ask(ctx context.Context, question string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clear()
	fmt.Fprint(os.Stderr, question)
	select {
	case answer, ok := <-c.answers:
		if c.bar == nil { // no terminal has shown what was typed
			fmt.Fprintln(os.Stderr, answer)
		}
		if !ok {
			return "", ErrNobody
		}
		return strings.TrimSpace(answer), nil
	case <-ctx.Done():
		fmt.Fprintln(os.Stderr)
		return "", ctx.Err()
	}
}
