package scene

import (
	"image/color"
	"math"
)

// Fractal shows the valley of seahorses in the Mandelbrot set.
var Fractal = Scene{"Seahorse valley", 720, 480, func(c *canvas) {
	const left, top, height = -0.74905, 0.0992, 0.0022
	c.shade(func(x, y float64) rgb {
		cr, ci := left+x*height, top+y*height
		var zr, zi float64
		for n := range 700 {
			zr, zi = zr*zr-zi*zi+cr, 2*zr*zi+ci
			if m := zr*zr + zi*zi; m > 256 {
				level := float64(n) + 1 - math.Log2(math.Log2(m)/2)
				t := 0.5 - 0.5*math.Cos(math.Log(level/18)*4.2)
				return ramp(t, hex(0x0a1128), hex(0x1c4e80), hex(0x5bc0be), hex(0xfdf0d5), hex(0xf4a259), hex(0x7b2d26))
			}
		}
		return hex(0x05060f)
	})
	c.caption("Seahorse valley", hex(0xfdf0d5))
}}

// Glass shows a church window: each point takes the colour of its nearest seed.
var Glass = Scene{"Stained glass", 600, 800, func(c *canvas) {
	const pitch = 0.105
	c.shade(func(x, y float64) rgb {
		nearest, second, pane := 9., 9., 0.
		i, j := int(math.Floor(x/pitch)), int(math.Floor(y/pitch))
		for s := range 25 {
			ci, cj := i+s%5-2, j+s/5-2
			sx := (float64(ci) + 0.1 + 0.8*hash(ci, cj)) * pitch
			sy := (float64(cj) + 0.1 + 0.8*hash(ci+40, cj)) * pitch
			d := math.Hypot(x-sx, y-sy)
			if d < nearest {
				second, nearest = nearest, d
				r := math.Hypot(sx-0.375, sy-0.40)
				pane = math.Mod(1.9*r+0.13*hash(ci, cj+7), 1)
			} else {
				second = min(second, d)
			}
		}
		if second-nearest < 0.009 || y > 0.89 {
			return hex(0x17161c)
		}
		step := math.Floor(pane*14) / 14
		return ramp(step, hex(0xffd166), hex(0xf78c4b), hex(0xd1345b), hex(0x5e2a84), hex(0x2a4fa3), hex(0x1b9aaa), hex(0x7bc96f))
	})
	c.caption("Stained glass", hex(0xffffff))
}}

// Paper shows hills cut from coloured paper.
var Paper = Scene{"Paper hills", 900, 500, func(c *canvas) {
	sheets := []rgb{hex(0xf6bd60), hex(0xf28482), hex(0xc8553d), hex(0x84a59d), hex(0x52796f), hex(0x2f3e46)}
	c.shade(func(x, y float64) rgb {
		colour := hex(0xf7ede2)
		if math.Hypot(x-1.3, y-0.30) < 0.16 {
			colour = hex(0xfec89a)
		}
		for i, sheet := range sheets {
			f := float64(i)
			if y > 0.33+0.115*f+0.075*math.Sin(x*(3.3+0.5*f)+f*f) {
				colour = sheet
			}
		}
		return colour
	})
	c.caption("Paper hills", hex(0xf7ede2))
}}

// Rosette shows the fine lines that guard a banknote.
var Rosette = Scene{"Rosette", 560, 560, func(c *canvas) {
	c.shade(func(x, y float64) rgb {
		r, angle := math.Hypot(x-0.5, y-0.45), math.Atan2(y-0.45, x-0.5)
		colour := hex(0xf4f1de)
		for i, ink := range []rgb{hex(0x3d405b), hex(0xc8553d), hex(0x3a8a77)} {
			f := float64(i)
			middle, swing, petals, lines := 0.275-0.088*f, 0.085-0.012*f, 9-2*f, 14.
			bend := (r - middle) / swing
			if bend < -1 || bend > 1 {
				continue
			}
			// Line k runs along middle + swing*cos(petals*angle + 2*pi*k/lines).
			for _, side := range []float64{1, -1} {
				k := (side*math.Acos(bend) - petals*angle) * lines / (2 * math.Pi)
				off := math.Abs(k-math.Round(k)) * 2 * math.Pi / lines * swing * math.Sqrt(1-bend*bend)
				colour = mix(colour, ink, smooth(0.0032, 0.0014, off))
			}
		}
		return colour
	})
	c.caption("Rosette", hex(0x3d405b))
}}

// Chart shows what a statistician would send.
var Chart = Scene{"Rainfall", 900, 576, func(c *canvas) {
	months := []string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}
	rain := []float64{62, 48, 55, 41, 68, 82, 97, 88, 60, 71, 79, 66}
	const left, base, pitch, scale = 0.14, 0.84, 0.112, 0.0060
	c.shade(func(x, y float64) rgb {
		colour := hex(0xfbfaf7)
		for line := 0; line <= 100; line += 25 {
			if math.Abs(y-(base-float64(line)*scale)) < 0.0016 && x > left-0.02 && x < 1.5 {
				colour = hex(0xd8d5cc)
			}
		}
		month := int(math.Floor((x - left) / pitch))
		if month < 0 || month >= len(rain) {
			return colour
		}
		_, inside := math.Modf((x - left) / pitch)
		if tip := base - rain[month]*scale; inside > 0.16 && inside < 0.84 && y > tip && y < base {
			colour = mix(hex(0x4cc9f0), hex(0x3a0ca3), clamp(rain[month]/50-0.8))
		}
		return colour
	})
	ink := hex(0x33313b)
	c.write("Rainfall by month, in millimetres", left-0.03, 0.12, 0.062, ink)
	for i, name := range months {
		c.write(name, left+pitch*(float64(i)+0.2), 0.905, 0.037, ink)
	}
	for line, label := range []string{"0", "25", "50", "75", "100"} {
		c.write(label, 0.045, base+0.013-float64(line*25)*scale, 0.037, ink)
	}
}}

// Icon shows a leaf of 96 pixels on a transparent ground: smaller than any thumbnail.
var Icon = Scene{"Leaf", 96, 96, func(c *canvas) {
	leaf := func(x, y float64) (rgb, bool) {
		across, along := (x+y-1)/math.Sqrt2, (x-y)/math.Sqrt2
		half := 0.27 * math.Sqrt(max(0, 1-math.Pow(math.Abs(along)/0.56, 1.7)))
		vein := math.Abs(across) < 0.016 || math.Abs(math.Mod(along-math.Abs(across)*0.8+2, 0.16)-0.08) < 0.010
		stem := along < 0 && along > -0.66 && math.Abs(across) < 0.020
		switch {
		case math.Abs(across) >= half && !stem:
			return rgb{}, false
		case vein || stem:
			return hex(0x1f6f43), true
		}
		return mix(hex(0xa7e163), hex(0x2f9e54), 0.5+across*1.9), true
	}
	c.shade(func(x, y float64) rgb { colour, _ := leaf(x, y); return colour })
	side := float64(c.Rect.Dy())
	for py := range c.Rect.Dy() {
		for px := range c.Rect.Dx() {
			if _, in := leaf((float64(px)+0.5)/side, (float64(py)+0.5)/side); !in {
				c.SetRGBA(px, py, color.RGBA{})
			}
		}
	}
}}
