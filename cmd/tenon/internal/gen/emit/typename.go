package emit

import (
	"fmt"
	"go/types"
	"strings"
	"unicode"

	"github.com/tenon-go/tenon/cmd/tenon/internal/gen/model"
)

// typeName returns the Go expression for a type and imports what it needs.
// Aliases are resolved: those of other packages may be unexported.
func (w *writer) typeName(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		name := t.Obj().Name()
		if p := t.Obj().Pkg(); p != nil && p != w.pkg {
			name = w.imports.name(p.Path(), p.Name()) + "." + name
		}
		if args := t.TypeArgs(); args.Len() > 0 {
			list := make([]string, args.Len())
			for i := range list {
				list[i] = w.typeName(args.At(i))
			}
			name += "[" + strings.Join(list, ", ") + "]"
		}
		return name
	case *types.Pointer:
		return "*" + w.typeName(t.Elem())
	case *types.Slice:
		return "[]" + w.typeName(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), w.typeName(t.Elem()))
	case *types.Map:
		return "map[" + w.typeName(t.Key()) + "]" + w.typeName(t.Elem())
	case *types.Signature:
		text := "func" + w.tuple(t.Params(), t.Variadic())
		switch results := t.Results(); {
		case results.Len() == 0:
			return text
		case results.Len() == 1 && results.At(0).Name() == "":
			return text + " " + w.typeName(results.At(0).Type())
		default:
			return text + " " + w.tuple(results, false)
		}
	default:
		return types.TypeString(t, func(p *types.Package) string {
			if p == w.pkg {
				return ""
			}
			return w.imports.name(p.Path(), p.Name())
		})
	}
}

// tuple returns parameters or results with the names they have.
func (w *writer) tuple(tuple *types.Tuple, variadic bool) string {
	list := make([]string, tuple.Len())
	for i := range list {
		v := tuple.At(i)
		if variadic && i == len(list)-1 {
			list[i] = "..." + w.typeName(v.Type().Underlying().(*types.Slice).Elem())
		} else {
			list[i] = w.typeName(v.Type())
		}
		if v.Name() != "" {
			list[i] = v.Name() + " " + list[i]
		}
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// identifier returns a readable part of a name for functions of type t.
func (w *writer) identifier(t *model.Type) string {
	if t.Named != nil {
		name := exported(t.Named.Obj().Name())
		if p := t.Named.Obj().Pkg(); p != nil && p != w.pkg {
			name = exported(p.Name()) + name
		}
		if args := t.Named.TypeArgs(); args.Len() > 0 {
			name += "Of"
			for arg := range args.Types() {
				name += lettersOf(types.TypeString(arg, func(p *types.Package) string {
					if p == w.pkg {
						return ""
					}
					return p.Name()
				}))
			}
		}
		return name
	}
	switch t.Kind {
	case model.Slice:
		return w.identifier(t.Elem) + "Slice"
	case model.Array:
		return fmt.Sprintf("%sArray%d", w.identifier(t.Elem), t.Len)
	case model.Map:
		return w.identifier(t.Key) + w.identifier(t.Elem) + "Map"
	case model.Pointer:
		return w.identifier(t.Elem) + "Pointer"
	case model.Struct:
		return "Struct"
	case model.Bytes:
		return "Bytes"
	case model.Strings:
		return "Strings"
	case model.ByteArray:
		return fmt.Sprintf("ByteArray%d", t.Len)
	default:
		return exported(t.Basic.Name())
	}
}

// lettersOf makes a part of a name of any type expression: map[string]int
// becomes MapStringInt.
func lettersOf(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i := range words {
		words[i] = exported(words[i])
	}
	return strings.Join(words, "")
}
