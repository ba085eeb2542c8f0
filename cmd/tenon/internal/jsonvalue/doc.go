// Package jsonvalue turns JSON into the encoded arguments of a method and the
// encoded results into JSON, by the shape of the method alone.
//
//	integers            numbers, exact up to 64 bits
//	floats              numbers; "NaN", "Infinity", "-Infinity"
//	[]byte, [n]byte     base64 text; binary marshalers too
//	time.Time           "2006-01-02T15:04:05.999999999Z", years 0 to 9999
//	time.Duration       "1h2m3.5s"
//	enumerations        the constant's name, or its value
//	text marshalers     their text
//	structs             objects with all fields; optional ones and pointers may be left out
//	maps                objects; a key that is no text is written as the text of its JSON
//	pointers            null, or the value (a pointer to nil is null too)
//
// Any input gives an error or a result. Errors name the place, such as
// "argument user.Age: want int32, got "x"". A string that is not UTF-8 is
// shown with replacement characters.
package jsonvalue
