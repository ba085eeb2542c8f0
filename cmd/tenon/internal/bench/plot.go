package bench

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The size of a picture.
const (
	plotWidth  = 30 * vg.Centimeter
	plotHeight = 13 * vg.Centimeter
)

// CheckPlot says whether a report of the plan can be drawn into a file of that
// name, and what can otherwise.
func (p Plan) CheckPlot(path string) error {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".svg", ".png":
	default:
		return fmt.Errorf("a plot is written as .svg or .png, not as %q", filepath.Base(path))
	}
	for _, j := range p.jobs() {
		if latency, throughput := j.test.drawn(); latency || throughput {
			return nil
		}
	}
	return errors.New("a plot shows the cases add, upload... and ring...: none of them is measured")
}

// drawn says whether a case is in a plot: in that of latencies, or that of throughput.
func (c testCase) drawn() (latency, throughput bool) {
	return c.name == "add", c.size > 0 && !strings.HasPrefix(c.name, streamed)
}

// Plot draws the report: how the latencies are distributed, and the throughput
// over the size. The format is that of the file's name.
func (r *Report) Plot(to io.Writer, path string) error {
	type picture interface {
		vg.CanvasSizer
		io.WriterTo
	}
	var canvas picture
	if strings.EqualFold(filepath.Ext(path), ".svg") {
		canvas = vgsvg.New(plotWidth, plotHeight)
	} else {
		canvas = vgimg.PngCanvas{Canvas: vgimg.New(plotWidth, plotHeight)}
	}
	var plots []*plot.Plot
	for _, each := range []func() (*plot.Plot, error){r.latencies, r.throughputs} {
		p, err := each()
		if err != nil {
			return err
		}
		if p != nil {
			plots = append(plots, p)
		}
	}
	tiles := draw.Tiles{Rows: 1, Cols: len(plots), PadX: vg.Centimeter, PadTop: 4, PadBottom: 4, PadLeft: 4, PadRight: 12}
	for i, area := range plot.Align([][]*plot.Plot{plots}, tiles, draw.New(canvas))[0] {
		plots[i].Draw(area)
	}
	_, err := canvas.WriteTo(to)
	return err
}

// latencies shows, for each channel, which share of the adds took at most how
// long. It is nil if they were not measured.
func (r *Report) latencies() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = "Latency of a call with two numbers"
	p.X.Label.Text = "time"
	p.Y.Label.Text = "share of the calls, %"
	p.Y.Min, p.Y.Max = 0, 100
	p.Add(plotter.NewGrid())
	n := 0
	for _, row := range r.Rows {
		if latency, _ := row.job.test.drawn(); !latency {
			continue
		}
		var points plotter.XYs
		for share := 0.5; share < 100; share += 0.5 {
			points = append(points, plotter.XY{X: math.Max(1, float64(row.job.samples.ValueAtPercentile(share))), Y: share})
		}
		if err := addLine(p, n, row.Channel, points); err != nil {
			return nil, err
		}
		n++
	}
	if n == 0 {
		return nil, nil
	}
	logAxis(&p.X, decades, power)
	return p, nil
}

// throughputs shows, for each channel, GB/s over the size of the argument, and
// that of the ring over the size of the message. It is nil if none was measured.
func (r *Report) throughputs() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = "Throughput over size"
	p.X.Label.Text = "size of the argument"
	p.Y.Label.Text = "GB/s"
	p.Add(plotter.NewGrid())
	var names []string
	lines := map[string]plotter.XYs{}
	for _, row := range r.Rows {
		size := row.job.test.size
		if _, throughput := row.job.test.drawn(); !throughput || row.PerCall <= 0 {
			continue
		}
		name := row.Channel
		if strings.HasPrefix(row.Case, "ring") {
			name = "ring alone"
		}
		if lines[name] == nil {
			names = append(names, name)
		}
		lines[name] = append(lines[name], plotter.XY{X: float64(size), Y: float64(size) / row.PerCall})
	}
	for n, name := range names {
		if err := addLine(p, n, name, lines[name]); err != nil {
			return nil, err
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	logAxis(&p.X, sizes, func(v float64) string { return short(int(v)) })
	logAxis(&p.Y, decades, func(v float64) string { return fmt.Sprintf("%g", v) })
	return p, nil
}

func addLine(p *plot.Plot, n int, name string, points plotter.XYs) error {
	line, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	line.Color = plotutil.Color(n)
	line.Width = vg.Points(1.5)
	line.Dashes = plotutil.Dashes(n / 7) // after that the colours come again
	p.Add(line)
	p.Legend.Add(name, line)
	return nil
}

// logAxis makes an axis logarithmic.
func logAxis(a *plot.Axis, at func(low, high float64) []float64, label func(float64) string) {
	if a.Min == a.Max {
		a.Min, a.Max = a.Min/2, a.Max*2
	}
	a.Scale = plot.LogScale{}
	a.Tick.Marker = plot.TickerFunc(func(low, high float64) []plot.Tick {
		var ticks []plot.Tick
		for _, v := range at(low, high) {
			ticks = append(ticks, plot.Tick{Value: v, Label: label(v)})
		}
		return ticks
	})
}

// sizes are powers of two, as many as an axis has room for.
func sizes(low, high float64) []float64 {
	for base := 4.0; ; base *= 4 {
		if list := powers(base, low, high); len(list) <= 8 {
			return list
		}
	}
}

// decades are powers of ten, with twice and five times as much where those are few.
func decades(low, high float64) []float64 {
	list := powers(10, low, high)
	if len(list) < 3 {
		for _, v := range powers(10, low/10, high) {
			list = append(list, 2*v, 5*v)
		}
		list = slices.DeleteFunc(list, func(v float64) bool { return v < low || v > high })
	}
	return list
}

// powers are those of base within a range.
func powers(base, low, high float64) (list []float64) {
	v := math.Pow(base, math.Floor(math.Log(low)/math.Log(base)))
	for ; v <= high*1.0001; v *= base {
		if v >= low*0.9999 {
			list = append(list, v)
		}
	}
	return list
}

// power writes a power of ten of nanoseconds.
func power(nanos float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if nanos >= unit.size {
			return fmt.Sprintf("%g %s", nanos/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%g ns", nanos)
}
