package measure

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/tenon-go/tenon/internal/machine"
)

func TestMain(m *testing.M) {
	if os.Getenv("TENON_TEST_WORK") != "" {
		os.Stdin.Read(make([]byte, 1))
		for begin := time.Now(); time.Since(begin) < 200*time.Millisecond; {
		}
		os.Stdout.Write([]byte("done"))
		os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestWorkCountsChildrenThatRun(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TENON_TEST_WORK=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer in.Close()
	work := StartWork()
	own := machine.CPU()
	if _, err := in.Write([]byte{0}); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	done, ok := work.Done()
	if !ok {
		t.Skip("not known on this system")
	}
	// On a busy machine it may have got much less than 200 ms.
	if done -= machine.CPU() - own; done < 5*time.Millisecond {
		t.Errorf("a child worked for 200 ms; counted were %v", done)
	}
}
