package scene

import "math"

// AlpineDawn shows five ranges of mountains before a rising sun.
var AlpineDawn = Scene{"Alpine dawn", 960, 640, func(c *canvas) {
	near, far := hex(0x1b2845), hex(0xd9a5a0)
	c.shade(func(x, y float64) rgb {
		colour := ramp(y/0.75, hex(0x4a6fa5), hex(0xa9b8d4), hex(0xf7c59f), hex(0xffe9c9))
		sun := math.Hypot(x-1.02, y-0.37)
		colour = mix(colour, hex(0xfff3d6), 0.75*math.Exp(-sun*5)+smooth(0.062, 0.058, sun))
		for i := 4; i >= 0; i-- { // from near to far: the first that covers the point is seen
			depth := float64(i) / 4
			top := 0.66 + 0.085*float64(i) - (0.52-0.30*depth)*peaks(x*(1.5+0.9*depth)+0.35, 31*i+4)
			if y < top {
				continue
			}
			down := y - top
			colour = mix(far, near, math.Pow(depth, 0.8))
			face := wave(x*26+9*down, 90+i) + 0.6*wave(x*61-14*down, 95+i)
			snow := smooth(0.19, 0, down+0.11*face) * smooth(0.6, 0.2, depth)
			colour = mix(colour, hex(0xfff3ec), 0.85*snow*(0.55+0.45*face))
			return mix(colour, hex(0xf2cfc0), 0.6*smooth(0.05, 0.30, down)*(1-depth))
		}
		return colour
	})
	c.caption("Alpine dawn", hex(0xf3dfd6))
}}

// Dunes shows a desert in the low sun.
var Dunes = Scene{"Dunes", 960, 640, func(c *canvas) {
	c.shade(func(x, y float64) rgb {
		colour := ramp(y/0.55, hex(0x2e5e8c), hex(0x86b6cf), hex(0xf6dfb8))
		colour = mix(colour, hex(0xfff6dd), smooth(0.075, 0.07, math.Hypot(x-0.36, y-0.25)))
		for i := range 4 {
			f := float64(i)
			crest := 0.44 + 0.135*f + 0.11*math.Sin(x*(2.6-0.3*f)+f*2.1) + 0.03*math.Sin(x*5.3+f)
			if y < crest {
				continue
			}
			slope := math.Cos(x*(2.6-0.3*f)+f*2.1) + 0.3*math.Cos(x*5.3+f)
			light := mix(hex(0xf4b860), hex(0xe08d3c), f/3)
			dark := mix(hex(0xb5652f), hex(0x6b2f1a), f/3)
			colour = mix(light, dark, smooth(-0.15, 0.5, slope-2.2*(y-crest)))
			ripple := math.Sin((y-crest)*160/(1+f*0.4) + 6*math.Sin(x*4+f))
			colour = colour.times(1 + 0.025*ripple*smooth(0, 0.12, y-crest))
		}
		return colour
	})
	c.caption("Dunes", hex(0xffe7c2))
}}

// Forest shows rows of firs that fade into the mist. It stands upright.
var Forest = Scene{"Forest", 640, 960, func(c *canvas) {
	c.shade(func(x, y float64) rgb {
		colour := ramp(y, hex(0xeaf2e3), hex(0xcfe3d6), hex(0x9fc5b5))
		for row := range 5 {
			depth := float64(row) / 4
			ground := 0.42 + 0.16*float64(row)
			pitch := 0.045 + 0.03*depth
			tall := 0.20 + 0.14*depth
			green := mix(hex(0xa9cdbd), hex(0x0d2f2a), math.Pow(depth, 0.75))
			i := int(math.Floor(x / pitch))
			for tree := i - 2; tree <= i+2; tree++ {
				middle := (float64(tree) + 0.5 + 0.6*(hash(tree, row)-0.5)) * pitch
				top := ground - tall*(0.55+0.45*hash(tree, row+50)) + 0.03*math.Sin(x*7+depth*9)
				down := y - top
				if down < 0 {
					continue
				}
				_, tier := math.Modf(down * (26 - 8*depth))
				if math.Abs(x-middle) < down*(0.17+0.05*tier)+0.004*tier {
					colour = green
				}
			}
			if y > ground {
				colour = green
			}
			mist := hex(0xdcebe2)
			colour = mix(colour, mist, 0.35*(1-depth)*smooth(ground-0.12, ground+0.1, y))
		}
		return colour
	})
	c.caption("Forest", hex(0xcfe3d6))
}}

// Sea shows the moon over rolling waves.
var Sea = Scene{"Moonlit sea", 1120, 630, func(c *canvas) {
	c.shade(func(x, y float64) rgb {
		colour := ramp(y/0.5, hex(0x0b1026), hex(0x1d2c5e), hex(0x52619e))
		moon := math.Hypot(x-1.28, y-0.24)
		colour = mix(colour, hex(0xf7f2dd), 0.5*math.Exp(-moon*7))
		if moon < 0.105 {
			crater := math.Hypot(x-1.25, y-0.215)
			colour = mix(hex(0xfbf6e2), hex(0xe3dcc0), smooth(0.035, 0.02, crater))
		}
		for i := range 9 {
			f := float64(i)
			top := 0.46 + 0.062*f + 0.011*(1+0.25*f)*math.Sin(x*(17-1.2*f)+f*2.4)
			if y < top {
				continue
			}
			colour = ramp(f/8, hex(0x3f5a9c), hex(0x23407f), hex(0x0c1c45))
			glitter := math.Exp(-math.Pow((x-1.28)/(0.07+0.045*f), 2))
			foam := smooth(0.010, 0, y-top)
			colour = mix(colour, hex(0xf7f2dd), 0.22*glitter+foam*(0.16+0.6*glitter))
		}
		return colour
	})
	c.caption("Moonlit sea", hex(0xc9d4f5))
}}
