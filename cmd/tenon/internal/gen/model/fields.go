package model

import (
	"go/types"
	"reflect"
	"strconv"
	"strings"
)

// classifyStruct decides which fields travel. Of types that another package
// declares these are the exported ones; in the package of the service a field
// must travel or say that it does not.
func (b *builder) classifyStruct(t *Type, s *types.Struct) {
	t.Kind = Struct
	hidden := 0
	for i := range s.NumFields() {
		v := s.Field(i)
		tag, fault := parseTag(s.Tag(i))
		if tag.skip || v.Name() == "_" {
			continue
		}
		here := v.Pkg() == b.pkg
		f := &Field{Name: v.Name(), Pos: b.fset.Position(v.Pos()), Was: tag.was, Optional: tag.optional}
		switch {
		case fault != "":
			f.Fault, f.WayOut = fault, `the tags are tenon:"-", tenon:"was=Old", tenon:",optional" and tenon:"was=Old,optional"`
		case v.Exported(), here && v.Embedded():
		case here:
			f.Fault, f.WayOut = "unexported fields do not travel", `export it, or leave it out with tenon:"-"`
		case v.Embedded() && exportsFields(v.Type()):
			f.Fault = "embeds an unexported type that has exported fields, which generated code cannot reach as a whole"
			f.WayOut = "use a type of your own"
		default:
			hidden++
			continue
		}
		if f.Fault != "" {
			f.Type = &Type{Go: v.Type()}
		} else {
			f.Type = b.typeOf(v.Type())
		}
		t.Fields = append(t.Fields, f)
	}
	if len(t.Fields) == 0 && hidden > 0 {
		t.Kind = Unsupported
		t.Fault = b.nameOf(t.Go) + " keeps its state in unexported fields"
		t.WayOut = "give it MarshalText and UnmarshalText, or use a type of your own"
	}
}

func exportsFields(t types.Type) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if f.Exported() {
			return true
		}
	}
	return false
}

type fieldTag struct {
	skip     bool
	was      string
	optional bool
}

// parseTag reads `tenon:"..."`. It returns what is wrong with it, or "".
func parseTag(text string) (tag fieldTag, fault string) {
	value, ok := reflect.StructTag(text).Lookup("tenon")
	if !ok {
		return tag, ""
	}
	if value == "-" {
		return fieldTag{skip: true}, ""
	}
	for i, option := range strings.Split(value, ",") {
		was, isWas := strings.CutPrefix(option, "was=")
		switch {
		case isWas && was != "" && tag.was == "":
			tag.was = was
		case option == "optional":
			tag.optional = true
		case option == "" && i == 0:
		default:
			return fieldTag{}, "unknown option " + strconv.Quote(option) + " in the tenon tag"
		}
	}
	return tag, ""
}
