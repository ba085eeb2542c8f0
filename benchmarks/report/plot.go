package main

import (
	"bytes"
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"github.com/tenon-go/tenon/benchmarks/result"
)

// The plots, by their names in the repository.
const (
	latencyPlot = "docs/plots/latency.svg"
	ringPlot    = "docs/plots/ring.svg"
	sizePlot    = "docs/plots/sizes.svg"
)

// A curve is what a plot has one line for.
type curve struct {
	name   string
	points plotter.XYs
}

// plots draws all plots for which there is something to show.
func plots(f *result.File) (map[string][]byte, error) {
	files := map[string][]byte{}
	add := func(name string, p *plot.Plot, curves []curve) error {
		if len(curves) == 0 {
			return nil
		}
		data, err := draw(p, curves)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		files[name] = data
		return nil
	}
	if err := add(latencyPlot, newPlot("Latency of a call with two numbers", "time", "share of the calls, %", duration, nil), latencies(f.Calls)); err != nil {
		return nil, err
	}
	if f.Ring != nil {
		if err := add(ringPlot, newPlot("Messages through a ring", "size of a message", "messages per second", size, rate), rates(f.Ring)); err != nil {
			return nil, err
		}
	}
	if f.Pressure != nil {
		if err := add(sizePlot, newPlot("Throughput over size", "size of the argument", "bytes per second", size, rate), throughputs(f.Pressure)); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// latencies are the distributions of the adds, the median of the rounds for each
// share.
func latencies(run *result.Run) (list []curve) {
	for i := range run.Peers {
		p := &run.Peers[i]
		c := curve{name: p.Name}
		for n, share := range result.Shares {
			if s, ok := p.Quantile(n); ok {
				c.points = append(c.points, plotter.XY{X: max(1, s.Median), Y: share})
			}
		}
		if c.points != nil {
			list = append(list, c)
		}
	}
	return list
}

func rates(run *result.RingRun) (list []curve) {
	for i := range run.Yardsticks {
		y := &run.Yardsticks[i]
		c := curve{name: y.Name}
		for column, size := range run.Sizes {
			if s, ok := y.Rate(column); ok {
				c.points = append(c.points, plotter.XY{X: float64(size), Y: s.Median})
			}
		}
		if c.points != nil {
			list = append(list, c)
		}
	}
	return list
}

func throughputs(run *result.PressureRun) (list []curve) {
	for i := range run.Transfers {
		t := &run.Transfers[i]
		c := curve{name: t.Link}
		for column, size := range t.Sizes {
			if s, ok := t.Time(column); ok && size > 0 {
				c.points = append(c.points, plotter.XY{X: float64(size), Y: float64(size) / s.Median * 1e9})
			}
		}
		if c.points != nil {
			list = append(list, c)
		}
	}
	return list
}

// An axis says which powers a logarithmic axis shows, and how they are written.
type axis func(low, high float64) []plot.Tick

func duration(low, high float64) []plot.Tick {
	return powers(low, high, 10, 1, func(v float64) string {
		switch {
		case v >= 1e6:
			return fmt.Sprintf("%g ms", v/1e6)
		case v >= 1e3:
			return fmt.Sprintf("%g µs", v/1e3)
		}
		return fmt.Sprintf("%g ns", v)
	})
}

func size(low, high float64) []plot.Tick {
	return powers(low, high, 16, 4, func(v float64) string { return result.Bytes(int(v)) })
}

func rate(low, high float64) []plot.Tick {
	return powers(low, high, 10, 1, func(v float64) string {
		for _, unit := range []struct {
			size float64
			name string
		}{{1e9, " G"}, {1e6, " M"}, {1e3, " k"}} {
			if v >= unit.size {
				return fmt.Sprintf("%g%s", v/unit.size, unit.name)
			}
		}
		return fmt.Sprintf("%g", v)
	})
}

// powers are the powers of base, times first, within a range.
func powers(low, high, base, first float64, label func(float64) string) (ticks []plot.Tick) {
	v := first * math.Pow(base, math.Floor(math.Log(low/first)/math.Log(base)))
	for ; v <= high*1.0001; v *= base {
		if v >= low*0.9999 {
			ticks = append(ticks, plot.Tick{Value: v, Label: label(v)})
		}
	}
	return ticks
}

// newPlot makes a plot whose axes are logarithmic where they are given.
func newPlot(title, xLabel, yLabel string, x, y axis) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, xLabel, yLabel
	for _, a := range []struct {
		of *plot.Axis
		at axis
	}{{&p.X, x}, {&p.Y, y}} {
		if a.at != nil {
			a.of.Scale, a.of.Tick.Marker = plot.LogScale{}, plot.TickerFunc(a.at)
		}
	}
	p.Add(plotter.NewGrid())
	return p
}

// draw draws the curves as SVG, with the legend beside them.
func draw(p *plot.Plot, curves []curve) ([]byte, error) {
	for n, c := range curves {
		line, err := plotter.NewLine(c.points)
		if err != nil {
			return nil, err
		}
		line.Color = plotutil.Color(n)
		line.Width = vg.Points(1.5)
		line.Dashes = plotutil.Dashes(n / len(plotutil.DefaultColors)) // then the colours come again
		p.Add(line)
		p.Legend.Add(c.name, line)
	}
	// Room at the right for the legend.
	if width := math.Log(p.X.Max / p.X.Min); width > 0 {
		p.X.Max *= math.Exp(width * 0.35)
	}
	p.Legend.Top = true
	to, err := p.WriterTo(22*vg.Centimeter, 12*vg.Centimeter, "svg")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	_, err = to.WriteTo(&b)
	return b.Bytes(), err
}
