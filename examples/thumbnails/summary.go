package main

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/pool"
	"github.com/tenon-go/tenon/worker"

	"github.com/tenon-go/tenon/examples/thumbnails/internal/sheet"
)

// A summary tells what a run did.
type summary struct {
	Folder     string      `json:"folder"`
	Pictures   int         `json:"pictures"`
	Made       int         `json:"made"`
	Failed     []failure   `json:"failed"`
	Seconds    float64     `json:"seconds"`
	PerSecond  float64     `json:"per_second"`
	Workers    []member    `json:"workers"`
	Lost       []loss      `json:"workers_lost"`
	Replaced   int         `json:"workers_replaced"`
	Comparison *comparison `json:"comparison,omitempty"`
	Page       string      `json:"page"`
	Picture    string      `json:"picture"`

	results []result
}

// A failure is a picture without a thumbnail.
type failure struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// A member is a worker that is there at the end.
type member struct {
	Name  string `json:"name"`
	PID   int    `json:"pid"`
	Calls uint64 `json:"calls"` // those of the comparison included
}

// A loss is a worker that died, and the picture that it died of.
type loss struct {
	Name    string `json:"name"`
	PID     int    `json:"pid"`
	Picture string `json:"picture"`
}

func summarize(from folder, made batch, compared *comparison, o options, stats pool.Stats) *summary {
	s := &summary{
		Folder:     legible(from.title),
		Pictures:   len(from.names),
		Made:       len(made.good()),
		Failed:     []failure{},
		Seconds:    made.took.Seconds(),
		PerSecond:  made.rate(),
		Workers:    []member{},
		Lost:       append([]loss{}, made.lost()...),
		Replaced:   len(stats.Members) + int(stats.Ended) - o.workers,
		Comparison: compared,
		results:    made.results,
	}
	for _, r := range made.results {
		if r.failed != nil {
			s.Failed = append(s.Failed, failure{legible(r.name), reason(r.failed)})
		}
	}
	if compared != nil {
		s.Lost = append(s.Lost, compared.lost...)
	}
	for _, m := range stats.Members {
		s.Workers = append(s.Workers, member{m.Name, m.PID, m.Calls})
	}
	return s
}

// reason says why a picture has no thumbnail: how its worker died, or in what
// words the handler refused it.
func reason(err error) string {
	var exit *worker.ExitError
	var refused *tenon.Error
	switch {
	case errors.As(err, &exit):
		return exit.Error()
	case errors.As(err, &refused) && refused.Code == tenon.Unknown:
		return refused.Message
	}
	return err.Error()
}

// print writes the summary for a person's eyes.
func (s *summary) print(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "%s of %s in %.2f s, %.1f per second\n",
		count(s.Made, "thumbnail"), count(s.Pictures, "picture"), s.Seconds, s.PerSecond)
	if len(s.Failed) > 0 {
		fmt.Fprintf(out, "\n%s could not be read:\n", count(len(s.Failed), "picture"))
		for _, f := range s.Failed {
			fmt.Fprintf(out, "  %s\t%s\n", f.Name, f.Reason)
		}
	}
	if len(s.Lost) == 0 {
		fmt.Fprintf(out, "\nWorkers:\n")
	} else {
		fmt.Fprintf(out, "\nWorkers, %d lost and %d replaced:\n", len(s.Lost), s.Replaced)
	}
	for _, l := range s.Lost {
		fmt.Fprintf(out, "  %s\tpid %d\tdied of %s\n", l.Name, l.PID, l.Picture)
	}
	for _, m := range s.Workers {
		fmt.Fprintf(out, "  %s\tpid %d\t%s\n", m.Name, m.PID, count(int(m.Calls), "call"))
	}
	if c := s.Comparison; c != nil {
		fmt.Fprintf(out, "\n%s once more, for comparison:\n", count(c.Pictures, "good picture"))
		fmt.Fprintf(out, "  in %s\t%.1f per second\n", count(len(s.Workers), "worker"), c.InWorkers)
		fmt.Fprintf(out, "  in one process\t%.1f per second\n", c.InThisProcess)
	}
	fmt.Fprintf(out, "\nContact sheet: %s and %s\n", s.Page, s.Picture)
	return out.Flush()
}

// count writes a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// sheet lays the results out.
func (s *summary) sheet() sheet.Sheet {
	contact := sheet.Sheet{
		Title: s.Folder,
		Note: fmt.Sprintf("Made by %s over shared memory, %d replaced, in %.2f seconds.",
			count(len(s.Workers), "worker"), s.Replaced, s.Seconds),
		Facts: []sheet.Fact{
			{Value: fmt.Sprint(s.Made), Label: "thumbnails"},
			{Value: fmt.Sprint(len(s.Failed)), Label: "failed"},
			{Value: fmt.Sprintf("%.0f", s.PerSecond), Label: "per second"},
		},
	}
	for _, r := range s.results {
		card := sheet.Card{Name: legible(r.name), Bytes: r.bytes}
		if r.failed != nil {
			card.Reason = sentence(reason(r.failed))
		} else {
			card.Thumb, card.Format = thumbName(r.name), r.thumb.Format
			card.Width, card.Height = r.thumb.Width, r.thumb.Height
		}
		contact.Cards = append(contact.Cards, card)
	}
	return contact
}

// sentence begins with a capital letter and ends in a full stop.
func sentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:] + "."
}
