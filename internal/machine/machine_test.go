package machine

import (
	"runtime"
	"testing"
	"time"
)

func TestHereKnowsTheMachine(t *testing.T) {
	m := Here()
	if m.CPUs != runtime.NumCPU() || m.GOMAXPROCS < 1 || m.Go == "" || m.System == "" || m.ClockNS <= 0 || m.Processor() == "" {
		t.Errorf("%+v", m)
	}
}

func TestWatchTakesOffWhatThisProcessDoes(t *testing.T) {
	w := StartWatch()
	if !w.ok {
		t.Skip("this system does not say how busy it is")
	}
	before := CPU()
	for time.Since(w.begin) < 300*time.Millisecond {
	}
	own := CPU() - before
	now := StartWatch()
	if ours := now.ours - w.ours; own <= 0 || ours < own {
		t.Errorf("%v of this process's %v count as its own", ours, own)
	}
	if all := now.all - w.all; all+50*time.Millisecond < own {
		t.Errorf("all processes worked %v, this one %v", all, own)
	}
	if others := w.Others(); others < 0 || others > float64(runtime.NumCPU())+0.5 {
		t.Errorf("others kept %.2f CPUs busy", others)
	}
}
