package emit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/model"
	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/shape"
)

// descriptor writes the description of a method or function, and the structs of
// its arguments and results.
func (w *writer) descriptor(m method) {
	params, results := model.Plain(m.Params), model.Plain(m.Results)
	args, result := w.messageFunctions(m.args), w.messageFunctions(m.result)
	if slices.ContainsFunc(params, func(v *model.Value) bool { return v.Type.Validates }) {
		args.validate = w.names.unique(w.prefix + "Validate" + w.inFile(m.args))
	}
	w.f("\nvar %s = %s.Method[%s, %s]{\n", m.descriptor, w.tenon, m.args, m.result)
	w.f("Name: %q,\nShape: %s,\n", m.wireName, quote(shape.Of(m.Signature, w.pkg)))
	w.f("Args: %s,\n", w.codecOf(m.args, args, haveUserCode(params)))
	w.f("Result: %s,\n", w.codecOf(m.result, result, haveUserCode(results)))
	if len(m.ports) > 0 {
		w.f("Ports: %d,\n", len(m.ports))
	}
	if m.name != "" && m.OneWay() {
		w.f("OneWay: true,\n")
	}
	if m.idempotent {
		w.f("Idempotent: true,\n")
	}
	w.f("}\n")
	w.message(m.args, args, params, len(m.Params))
	w.message(m.result, result, results, len(m.Results))
	if args.validate != "" {
		w.f("\nfunc %s(v *%s) error {\n", args.validate, m.args)
		for _, v := range params {
			if v.Type.Validates {
				w.validate(v.Type, "v."+v.Name, "argument "+label(v, len(m.Params)))
			}
		}
		w.f("return nil\n}\n")
	}
}

func haveUserCode(values []*model.Value) bool {
	return slices.ContainsFunc(values, func(v *model.Value) bool { return v.Type.HasUserCode() })
}

func (w *writer) codecOf(typ string, f function, userCode bool) string {
	text := w.tenon + ".Codec[" + typ + "]{Append: " + f.append + ", Decode: " + f.decode
	if userCode {
		text += ", UserCode: true"
	}
	if f.validate != "" {
		text += ", Validate: " + f.validate
	}
	return text + "}"
}

// validate writes the check of the variable x, which errors call as it is labelled.
// There is nothing to check in a nil pointer.
func (w *writer) validate(t *model.Type, x, label string) {
	if t.Kind == model.Pointer {
		w.f("if %s != nil {\n", x)
		defer w.f("}\n")
	}
	w.f("if err := %s.Validate(); err != nil {\n", x)
	w.f("return %s.Errorf(%q, err)\n}\n", w.imports.name("fmt", "fmt"), label+": %w")
}

// message writes the struct of arguments or results and its two functions. count
// is how many parameters or results were declared.
func (w *writer) message(name string, f function, values []*model.Value, count int) {
	w.f("\ntype %s struct {", name)
	if len(values) > 0 {
		w.f("\n")
	}
	for _, v := range values {
		w.f("%s %s\n", v.Name, w.typeName(v.Type.Go))
	}
	w.f("}\n")
	fields := make([]field, len(values))
	for i, v := range values {
		fields[i] = field{access: "v." + v.Name, label: label(v, count), typ: v.Type}
	}
	w.structFunctions(f, name, fields, false)
}

// label is what errors call a parameter or result, of which there are count.
func label(v *model.Value, count int) string {
	if v.Named {
		return v.Name
	}
	label := "result"
	if strings.HasPrefix(v.Name, "p") {
		label = "parameter"
	}
	if count > 1 {
		label += " " + strconv.Itoa(v.Number)
	}
	return label
}
