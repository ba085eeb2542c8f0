package pool_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenon-go/tenon/pool"
)

func TestOptionsThatMakeNoSense(t *testing.T) {
	some := new(crew).start
	none := func(context.Context) (pool.Member, error) { return nil, nil }
	for want, try := range map[string]func() (*pool.Pool, error){
		"function that starts members": func() (*pool.Pool, error) { return pool.New(t.Context(), 1, nil) },
		"neither a member nor":         func() (*pool.Pool, error) { return pool.New(t.Context(), 1, none) },
		"Concurrency(-1)":              func() (*pool.Pool, error) { return pool.New(t.Context(), 1, some, pool.Concurrency(-1)) },
		"Queue(-1)":                    func() (*pool.Pool, error) { return pool.New(t.Context(), 1, some, pool.Queue(-1)) },
		"Grace(-1s)":                   func() (*pool.Pool, error) { return pool.New(t.Context(), 1, some, pool.Grace(-time.Second)) },
		"an option is nil":             func() (*pool.Pool, error) { return pool.New(t.Context(), 1, some, nil) },
		"OnExit":                       func() (*pool.Pool, error) { return pool.New(t.Context(), 1, some, pool.OnExit(nil)) },
	} {
		if _, err := try(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	p, err := pool.New(t.Context(), 1, some)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for want, misuse := range map[string]func(){
		"Resize(0)":      func() { p.Resize(0) },
		"pool.Local(nil": func() { pool.Local(nil) },
	} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.Contains(text, want) {
					t.Errorf("%s: it panicked with %s", want, text)
				}
			}()
			misuse()
		}()
	}
}
