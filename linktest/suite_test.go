package linktest_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/internal/leak"
	"github.com/tenon-go/tenon/internal/pump"
	"github.com/tenon-go/tenon/linktest"
)

func TestMain(m *testing.M) {
	pump.Linger = 100 * time.Millisecond
	os.Exit(leak.Main(m))
}

// shapes are a plain link, a direct one, and a plain one that was made direct.
var shapes = map[string]func() (a, b tenon.Link){
	"plain":  func() (a, b tenon.Link) { return Pair() },
	"direct": func() (a, b tenon.Link) { return inproc.Pair() },
	"pumped": func() (a, b tenon.Link) {
		x, y := Pair()
		return pump.New(x), pump.New(y)
	},
}

func TestDecoratedLinksPassTheSuite(t *testing.T) {
	decorators := map[string]func(tenon.Link) tenon.Link{
		"as it is": func(l tenon.Link) tenon.Link { return l },
		"cut":      func(l tenon.Link) tenon.Link { return linktest.Cut(l, 1) },
		"delayed":  func(l tenon.Link) tenon.Link { return linktest.Delay(l, 20*time.Microsecond) },
		"all at once": func(l tenon.Link) tenon.Link {
			l = linktest.Trace(l, "link", func(string, ...any) {})
			return linktest.Cut(linktest.Fail(linktest.Cut(l, 2), 1<<40), 3)
		},
	}
	for shape, pair := range shapes {
		for name, decorate := range decorators {
			if name == "delayed" && shape != "pumped" {
				continue // slow, and the pump uses the plain form below it
			}
			t.Run(shape+" "+name, func(t *testing.T) {
				linktest.Run(t, func(t *testing.T) (a, b tenon.Link) {
					a, b = pair()
					return decorate(a), decorate(b)
				})
			})
		}
	}
}

// TestTheSuiteFindsEveryFault runs the suite on broken links in processes of
// their own and wants each to fail for the right reason.
func TestTheSuiteFindsEveryFault(t *testing.T) {
	if name := os.Getenv("LINKTEST_FAULT"); name != "" {
		fault := faults[name]
		if strings.HasSuffix(fault.says, "hangs") || fault.says == "left behind" {
			linktest.BePatientFor(time.Second)
		}
		linktest.Run(t, func(t *testing.T) (a, b tenon.Link) {
			if fault.direct {
				x, y := inproc.Pair()
				return &brokenDirect{DirectLink: x, fault: name}, &brokenDirect{DirectLink: y, fault: name}
			}
			x, y := Pair()
			return &broken{Link: x, fault: name}, &broken{Link: y, fault: name}
		})
		return
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run=^TestTheSuiteFindsEveryFault$/"+fault.rule)
			cmd.Env = append(os.Environ(), "LINKTEST_FAULT="+name)
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Fatalf("the suite passes a link that %s\n%s", name, out)
			}
			if !strings.Contains(string(out), fault.says) {
				t.Errorf("the suite fails a link that %s, but does not say %q:\n%s", name, fault.says, firstLines(out, 60))
			}
		})
	}
}

func firstLines(out []byte, n int) string {
	lines := strings.SplitAfterN(string(out), "\n", n)
	return strings.Join(lines[:min(len(lines), n-1)], "")
}
