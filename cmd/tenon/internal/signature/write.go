package signature

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Write writes services as text.
func Write(w io.Writer, services []Service) error {
	var text strings.Builder
	for i, s := range services {
		if i > 0 {
			text.WriteString("\n")
		}
		fmt.Fprintf(&text, "%s\n", s.Name)
		for _, m := range s.Methods {
			fmt.Fprintf(&text, "  %s\n", m)
		}
		for _, t := range s.Types {
			fmt.Fprintf(&text, "\n  type %s ", t.Name)
			t.write(&text)
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func (t Type) write(text *strings.Builder) {
	switch {
	case t.Kind == "struct" && len(t.Fields) == 0:
		text.WriteString("struct{}\n")
	case t.Kind == "struct":
		text.WriteString("struct {\n")
		fields := tabwriter.NewWriter(text, 0, 0, 1, ' ', 0)
		for _, f := range t.Fields {
			fmt.Fprintf(fields, "      %s\t%s%s\n", f.Name, f.Type, f.note())
		}
		fields.Flush()
		text.WriteString("  }\n")
	case t.Kind == "text":
		text.WriteString("string // as its MarshalText writes it\n")
	case t.Kind == "binary":
		text.WriteString("[]byte // as its MarshalBinary writes it\n")
	case len(t.Constants) > 0:
		fmt.Fprintf(text, "%s // ", t.Kind)
		for i, c := range t.Constants {
			if i > 0 {
				text.WriteString(", ")
			}
			fmt.Fprintf(text, "%s = %s", c.Name, c.Value)
		}
		text.WriteString("\n")
	default:
		fmt.Fprintf(text, "%s\n", t.Kind)
	}
}

func (v Value) note() string {
	var notes []string
	if v.Was != "" {
		notes = append(notes, "was "+v.Was)
	}
	if v.Optional {
		notes = append(notes, "optional")
	}
	if len(notes) == 0 {
		return ""
	}
	return "\t// " + strings.Join(notes, ", ")
}
