package ring

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
)

// The test binary runs again as the writing process.
const feedVariable = "TENON_RING_TEST_FEED"

func TestMain(m *testing.M) {
	if arg := os.Getenv(benchVariable); arg != "" {
		if err := benchWriter(arg); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	n, err := strconv.Atoi(os.Getenv(feedVariable))
	if err != nil {
		os.Exit(m.Run())
	}
	mem, err := mapRing(3, sharedCapacity)
	if err == nil {
		var w *Writer
		if w, err = NewWriter(mem); err == nil {
			err = feed(w, n)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

const sharedCapacity = 16 << 10

func TestChecksummedStressBetweenProcesses(t *testing.T) {
	mem, file := sharedRing(t, sharedCapacity)
	r, err := NewReader(mem)
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	n := stressMessages()
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), feedVariable+"="+strconv.Itoa(n))
	cmd.Stderr = os.Stderr
	cmd.ExtraFiles = []*os.File{file}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// A writer that fails never closes the ring; its exit must end the test.
	exited := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		if err != nil {
			r.End(err)
		}
		exited <- err
	}()
	if err := verify(r, n); err != nil {
		t.Error(err)
	}
	if err := <-exited; err != nil {
		t.Error(err)
	}
}
