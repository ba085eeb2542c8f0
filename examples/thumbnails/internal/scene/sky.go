package scene

import "math"

// stars is a night sky, the brighter the rarer.
func stars(x, y float64) float64 {
	const pitch = 0.022
	i, j := int(x/pitch), int(y/pitch)
	if hash(i, j) < 0.72 {
		return 0
	}
	sx := (float64(i) + 0.25 + 0.5*hash(i, j+900)) * pitch
	sy := (float64(j) + 0.25 + 0.5*hash(i+900, j)) * pitch
	size := 0.0007 + 0.0022*math.Pow(hash(i+70, j+70), 6)
	return smooth(size*1.6, size*0.6, math.Hypot(x-sx, y-sy))
}

// Planet shows a planet with rings.
var Planet = Scene{"Ringed planet", 960, 720, func(c *canvas) {
	const tilt, radius, cx, cy = -0.38, 0.235, 0.69, 0.47
	ring := func(u, v float64) (colour rgb, cover float64) {
		r := math.Hypot(u, v/0.24) / radius
		cover = smooth(1.25, 1.29, r) * smooth(2.15, 2.11, r)
		gap := smooth(0.015, 0.03, math.Abs(r-1.78))
		band := 0.75 + 0.25*math.Sin(r*46)*math.Sin(r*17)
		return mix(hex(0x8d6a5b), hex(0xf6dcb8), band), cover * gap * (0.55 + 0.4*band)
	}
	c.shade(func(x, y float64) rgb {
		colour := ramp(x*0.4+y*0.6, hex(0x14122b), hex(0x2a1b4a), hex(0x0d1b36))
		colour = colour.plus(hex(0xfff4e0).times(stars(x, y)))
		u := (x-cx)*math.Cos(tilt) - (y-cy)*math.Sin(tilt)
		v := (x-cx)*math.Sin(tilt) + (y-cy)*math.Cos(tilt)
		band, cover := ring(u, v)
		if v < 0 {
			colour = mix(colour, band, cover)
		}
		if r := math.Hypot(u, v) / radius; r < 1 {
			z := math.Sqrt(1 - r*r)
			stripe := math.Sin(v/radius*9 + 0.35*math.Sin(u*14) + 0.2*math.Sin(v*70))
			body := ramp(0.5+0.5*stripe, hex(0xb5533c), hex(0xe39b5f), hex(0xf7d9a8))
			light := clamp(-0.62*u/radius - 0.30*v/radius + 0.66*z)
			colour = mix(colour, body.times(0.06+1.05*light), smooth(1, 0.985, r))
		}
		if v >= 0 {
			colour = mix(colour, band, cover)
		}
		return colour
	})
	c.caption("Ringed planet", hex(0xe6d4f2))
}}

// Aurora shows northern lights over a lake.
var Aurora = Scene{"Aurora", 960, 640, func(c *canvas) {
	sky := func(x, y float64) rgb {
		colour := ramp(y/0.62, hex(0x050b1f), hex(0x0c2140), hex(0x1c4257))
		colour = colour.plus(hex(0xe8f6ff).times(0.9 * stars(x, y)))
		for i := range 3 {
			f := float64(i)
			foot := 0.44 - 0.09*f + 0.07*math.Sin(x*3.1+f*2) + 0.03*math.Sin(x*7.7+f)
			up := foot - y
			rays := 0.55 + 0.45*wave(x*34+3*math.Sin(x*5), 40+i)
			glow := smooth(-0.02, 0.015, up) * math.Exp(-max(0, up)*(6.5+f)) * rays
			colour = colour.plus(ramp(up*3, hex(0x3dffa2), hex(0x22c3a6), hex(0x7a4bd6)).times(0.62 * glow))
		}
		return colour
	}
	c.shade(func(x, y float64) rgb {
		const shore = 0.66
		hill := shore - 0.10*ridge(x*2.2, 77, 5) - 0.02
		switch {
		case y < hill:
			return sky(x, y)
		case y < shore:
			return hex(0x040a12)
		}
		under := y - shore
		mirrored := sky(x+0.012*math.Sin(y*190)*under*6, shore-under*1.45)
		if shore-under*0.9 > hill {
			mirrored = hex(0x040a12)
		}
		return mix(mirrored.times(0.62), hex(0x06141f), 0.15+0.5*under)
	})
	c.caption("Aurora", hex(0xbff5dd))
}}

// City shows a skyline after sunset. It stands upright.
var City = Scene{"City at dusk", 660, 880, func(c *canvas) {
	c.shade(func(x, y float64) rgb {
		colour := ramp(y/0.85, hex(0x1f1147), hex(0x6a2c70), hex(0xe4576a), hex(0xf9a866), hex(0xffe0a3))
		colour = colour.plus(hex(0xffffff).times(stars(x, y) * smooth(0.4, 0.1, y)))
		colour = mix(colour, hex(0xffe7b0), smooth(0.122, 0.119, math.Hypot(x-0.44, y-0.62)))
		for row := range 3 {
			depth := float64(row) / 2
			width := 0.075 + 0.03*depth
			at := (x + 0.03*float64(row)) / width
			house := int(math.Floor(at))
			inside := at - math.Floor(at)
			top := 0.50 + 0.15*float64(row) - 0.24*hash(house, row+5)*(1-0.25*depth)
			if hash(house, row+31) > 0.7 && math.Abs(inside-0.5) < 0.03 {
				top -= 0.055 // an aerial
			}
			if y < top {
				continue
			}
			colour = mix(hex(0x8a3d6f), hex(0x150d2b), math.Pow(depth, 0.7))
			column, floor := int(inside*6), int((y-top)*55)
			fx, fy := inside*6-float64(column), (y-top)*55-float64(floor)
			lit := hash(house*7+column, floor*13+row) > 0.56 && y < 0.88
			if lit && y > top+0.012 && column > 0 && column < 5 && fx > 0.2 && fx < 0.8 && fy > 0.25 && fy < 0.8 {
				colour = mix(hex(0xf79a78), hex(0xffd98a), depth)
			}
		}
		return colour
	})
	c.caption("City at dusk", hex(0xffe0a3))
}}

// Balloons shows three hot-air balloons over a valley.
var Balloons = Scene{"Balloons", 800, 800, func(c *canvas) {
	type balloon struct {
		x, y, r      float64
		light, other rgb
	}
	fleet := []balloon{
		{0.78, 0.22, 0.075, hex(0x2a9d8f), hex(0xe9f5db)},
		{0.20, 0.43, 0.105, hex(0xf4a261), hex(0x264653)},
		{0.56, 0.40, 0.190, hex(0xd62839), hex(0xffe8c2)},
	}
	c.shade(func(x, y float64) rgb {
		colour := ramp(y/0.8, hex(0x5fa8d3), hex(0xbee3f0), hex(0xfff4d9))
		cloud := ridge(x*3+1.5, 5, 4)*ridge(y*9, 6, 3) + 0.3*wave(x*2+y*4, 9)
		colour = mix(colour, hex(0xffffff), 0.8*smooth(0.42, 0.62, cloud)*smooth(0.75, 0.5, y))
		for i := range 4 {
			f := float64(i)
			if y > 0.74+0.07*f-0.10*ridge(x*(2.2-0.2*f), 21+9*i, 4) {
				colour = ramp(f/3, hex(0xa9c5a0), hex(0x6f9d77), hex(0x2f5d50))
			}
		}
		for _, b := range fleet {
			u, v := (x-b.x)/b.r, (y-b.y)/b.r
			wide := math.Sqrt(max(0, 1-v*v))
			if v > 0.35 {
				wide = 0.937 * (1 - smooth(0, 1, (v-0.35)/1.6)*0.86)
			}
			switch {
			case v > -1 && v < 1.42 && math.Abs(u) < wide:
				gore := int(math.Floor((math.Asin(u/wide)/math.Pi + 0.5) * 8))
				colour = b.light
				if gore%2 == 1 {
					colour = b.other
				}
				colour = colour.times(1.08 - 0.38*smooth(-0.5, 1.1, u-0.3*v))
			case v > 1.42 && v < 1.72 && math.Abs(math.Abs(u)-0.14) < 0.012:
				colour = hex(0x4a3728)
			case v > 1.70 && v < 1.98 && math.Abs(u) < 0.17:
				colour = hex(0x8a5a34)
			}
		}
		return colour
	})
	c.caption("Balloons", hex(0xe9f5db))
}}
