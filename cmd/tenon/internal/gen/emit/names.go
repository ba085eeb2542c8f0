package emit

import (
	"fmt"
	"go/types"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tenon-go/tenon"
)

// names are the identifiers that a file must not declare again.
type names map[string]bool

func (n names) reserve(list ...string) {
	for _, name := range list {
		n[name] = true
	}
}

// unique returns base, or base with a number if that is taken, and takes it.
func (n names) unique(base string) string {
	name := base
	for i := 2; n[name]; i++ {
		name = base + strconv.Itoa(i)
	}
	n[name] = true
	return name
}

// locals are the names of variables in generated functions, which an import
// must not have.
var locals = []string{
	"a", "b", "c", "caller", "conn", "ctx", "d", "e", "err", "f", "find", "i", "impl", "k", "m", "n", "open", "r", "srv", "v", "x",
}

// imports are the imports of a file.
type imports struct {
	names  names // of the package: an import must not have one of them either
	byPath map[string]string
	real   map[string]string // declared names, by path
}

func newImports(pkg names) *imports {
	all := names{}
	maps.Copy(all, pkg)
	all.reserve(locals...)
	for i := range tenon.MaxPorts {
		all.reserve(outputName(i))
	}
	all.reserve(types.Universe.Names()...)
	return &imports{names: all, byPath: map[string]string{}, real: map[string]string{}}
}

// name returns the name under which the package is imported, importing it first
// if need be.
func (m *imports) name(path, declared string) string {
	if name, ok := m.byPath[path]; ok {
		return name
	}
	name := m.names.unique(declared)
	m.byPath[path], m.real[path] = name, declared
	return name
}

func (m *imports) write(to io.Writer) {
	var standard, others []string
	for _, path := range slices.Sorted(maps.Keys(m.byPath)) {
		line := strconv.Quote(path)
		if name := m.byPath[path]; name != m.real[path] || name != path[strings.LastIndexByte(path, '/')+1:] {
			line = name + " " + line
		}
		if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
			others = append(others, line)
		} else {
			standard = append(standard, line)
		}
	}
	fmt.Fprintf(to, "import (\n%s\n\n%s\n)\n\n", strings.Join(standard, "\n"), strings.Join(others, "\n"))
}

// unexported turns an exported name into one for the package: Imaging becomes
// imaging, HTTPServer httpServer, ID id.
func unexported(name string) string {
	runes := []rune(name)
	for i, r := range runes {
		if !unicode.IsUpper(r) || i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
			break
		}
		runes[i] = unicode.ToLower(r)
	}
	return string(runes)
}

func exported(name string) string {
	runes := []rune(name)
	runes[0] = unicode.ToUpper(runes[0])
	return string(runes)
}
