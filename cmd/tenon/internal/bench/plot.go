package bench

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
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

// CheckPlot says whether Plot can draw a picture for a file of that name, and
// what it can otherwise.
func CheckPlot(path string) error {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".svg", ".png":
		return nil
	default:
		return fmt.Errorf("a plot is written as .svg or .png, not as %q", filepath.Base(path))
	}
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
	latency, err := r.latencies()
	if err != nil {
		return err
	}
	throughput, err := r.throughputs()
	if err != nil {
		return err
	}
	plots := [][]*plot.Plot{{latency, throughput}}
	tiles := draw.Tiles{Rows: 1, Cols: 2, PadX: vg.Centimeter, PadTop: 4, PadBottom: 4, PadLeft: 4, PadRight: 12}
	areas := plot.Align(plots, tiles, draw.New(canvas))
	latency.Draw(areas[0][0])
	throughput.Draw(areas[0][1])
	_, err = canvas.WriteTo(to)
	return err
}

// latencies shows, for each channel, which share of the adds took at most how
// long.
func (r *Report) latencies() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = "Latency of a call with two numbers"
	p.X.Label.Text = "time"
	p.Y.Label.Text = "share of the calls, %"
	p.Y.Min, p.Y.Max = 0, 100
	p.Add(plotter.NewGrid())
	n := 0
	for _, row := range r.Rows {
		if row.Case != "add" {
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
	logAxis(&p.X, n, 100, 1e6, steps(10, 1), power)
	return p, nil
}

// throughputs shows, for each channel, GB/s over the size of the argument, and
// that of the ring over the size of the message.
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
		if size == 0 || row.PerCall <= 0 || strings.HasPrefix(row.Case, streamed) {
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
	logAxis(&p.X, len(names), 1<<10, 1<<20, steps(16, 4), func(v float64) string { return short(int(v)) })
	logAxis(&p.Y, len(names), 0.1, 10, steps(10, 1), func(v float64) string { return fmt.Sprintf("%g", v) })
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

// logAxis makes an axis logarithmic. One without lines gets a range.
func logAxis(a *plot.Axis, lines int, low, high float64, at func(low, high float64) []float64, label func(float64) string) {
	if lines == 0 {
		a.Min, a.Max = low, high
	}
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

// steps are the powers of base times first within a range.
func steps(base, first float64) func(low, high float64) []float64 {
	return func(low, high float64) (list []float64) {
		v := first * math.Pow(base, math.Floor(math.Log(low/first)/math.Log(base)))
		for ; v <= high*1.0001; v *= base {
			if v >= low*0.9999 {
				list = append(list, v)
			}
		}
		return list
	}
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
