package emit

import "github.com/tenon-go/tenon/cmd/tenon/internal/gen/model"

// errors writes what gives the errors their names on the wire. A type whose
// values are errors has two: a handler may return a value or a pointer, and the
// caller gets the same.
func (w *writer) errors(list []*model.Error) {
	if len(list) == 0 {
		return
	}
	w.f("\nfunc init() {\n")
	for _, e := range list {
		if e.Type == nil {
			w.f("%s.RegisterError(%q, %s)\n", w.tenon, e.WireName, e.Name)
			continue
		}
		typ, f := w.typeName(e.Type.Go), w.functionOf(e.Type)
		pointee := function{
			append: w.codec + ".AppendPointee(" + f.append + ")",
			decode: w.codec + ".DecodePointee(" + f.decode + ")",
		}
		if e.ByValue {
			w.errorType(e.WireName, typ, f, e.Type)
		}
		w.errorType("*"+e.WireName, "*"+typ, pointee, e.Type)
	}
	w.f("}\n")
}

func (w *writer) errorType(name, typ string, f function, t *model.Type) {
	w.f("%s.RegisterErrorType(%q, %s.Codec[%s]{\nAppend: %s,\nDecode: %s,\n", w.tenon, name, w.tenon, typ, f.append, f.decode)
	if t.HasUserCode() {
		w.f("UserCode: true,\n")
	}
	w.f("})\n")
}
