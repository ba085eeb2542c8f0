// Package remote connects to a running process by an address on the command
// line, and explains what to look at when that fails.
package remote

import (
	"errors"
	"fmt"
	"strings"
)

// An Address says where a process serves. The kinds are those of Forms.
type Address struct {
	Kind  string // "unix", "tcp", "tls" or "shm"
	Where string
}

// Forms are the addresses that Parse takes.
const Forms = `  unix:/run/shop.sock     a Unix socket at a path
  unix:@shop              a Unix socket without a file (Linux)
  shm:/run/shop.shm       shared memory, where shm.Listen listens
  shm:@shop               the same without a file (Linux)
  tcp:localhost:7000
  tls:shop.example:7000`

// Parse reads an address.
func Parse(text string) (Address, error) {
	kind, where, ok := strings.Cut(text, ":")
	if !ok {
		return Address{}, fmt.Errorf("the address %q does not say of which kind it is; addresses are\n%s", text, Forms)
	}
	switch kind {
	case "unix", "tcp", "tls", "shm":
	default:
		return Address{}, fmt.Errorf("the address %q is of an unknown kind; addresses are\n%s", text, Forms)
	}
	if where == "" {
		return Address{}, errors.New("the address " + text + " names nothing")
	}
	if (kind == "tcp" || kind == "tls") && !strings.Contains(where, ":") {
		return Address{}, fmt.Errorf("the address %q has no port: write %s:7000", text, text)
	}
	return Address{kind, where}, nil
}

func (a Address) String() string { return a.Kind + ":" + a.Where }
