package linktest_test

import (
	"bytes"
	"io"
	"sync"
	"sync/atomic"

	"github.com/tenon-go/tenon"
)

// faults are what a link can do wrong, the rule that finds it, and what that
// says.
var faults = map[string]struct {
	direct     bool
	rule, says string
}{
	"loses a byte":                  {false, "bytes_arrive", "1 bytes were lost"},
	"doubles a byte":                {false, "bytes_arrive", "which has been there before"},
	"reorders":                      {false, "bytes_arrive", "lost or come later"},
	"keeps p":                       {false, "bytes_arrive", "is wrong"},
	"returns nothing":               {false, "bytes_arrive", "no byte and no error"},
	"holds the last message back":   {false, "a_message_sent", "hangs"},
	"grows without end":             {false, "a_sleeping_consumer", "must make the sender wait"},
	"reuses the lent memory":        {false, "borrowed_memory", "changed while it was borrowed"},
	"drops what was sent at Close":  {false, "what_was_sent", "io.EOF"},
	"ignores Close":                 {false, "Close_ends", "hangs"},
	"ignores Close, all rules":      {false, "", "something hangs"}, // and that is the end
	"ends with the wrong error":     {false, "Close_may_be", "want net.ErrClosed"},
	"ends once only":                {false, "what_was_sent", "again after the end hangs"},
	"panics at the second Close":    {false, "Close_may_be", "close of closed channel"},
	"leaks a goroutine":             {false, "Close_may_be", "left behind"},
	"has one lock for both ways":    {false, "both_directions", "hangs"},
	"reserves too much":             {true, "Reserve_gives", "capacity"},
	"does not copy what moved":      {true, "Commit_takes", "is wrong"},
	"sends dropped reservations":    {true, "a_reservation_not", "is wrong"},
	"publishes at Commit":           {true, "nothing_is_visible", "before Flush"},
	"needs WaitRecv to see bytes":   {true, "TryRecv_alone", "hangs"},
	"takes too large a piece":       {true, "a_piece_above", "want ErrTooLarge"},
	"takes some at ErrFull":         {true, "ErrFull", "is wrong"},
	"waits without publishing":      {true, "WaitSend_publishes", "hangs"},
	"forgets interrupts":            {true, "an_interrupt", "hangs"},
	"loses interrupts under data":   {true, "no_interrupt", "hangs"},
	"interrupts for ever":           {true, "an_interrupt", "more than one wait"},
	"cannot interrupt full senders": {true, "a_blocked_sender", "hangs"},
	"flushes nothing before Close":  {true, "what_was_flushed", "EOF"},
	"commits after Close":           {true, "what_was_flushed", "want net.ErrClosed"},
}

// broken is a plain link with one fault.
type broken struct {
	*Link
	fault string

	mu    sync.Mutex
	count int
	held  []byte
	ended bool
	lent  []byte
}

var bothWays sync.Mutex

func (l *broken) once() bool {
	first := !l.ended
	l.ended = true
	return first
}

func (l *broken) Send(p []byte) error {
	l.count++
	switch l.fault {
	case "loses a byte":
		if l.count > 60 && len(p) > 99 && l.once() {
			p = p[1:]
		}
	case "doubles a byte":
		if l.count > 60 && len(p) > 99 && l.once() {
			p = append(p[:1:1], p...)
		}
	case "reorders":
		if l.held != nil {
			held := l.held
			l.held = nil
			if err := l.Link.Send(p); err != nil {
				return err
			}
			return l.Link.Send(held)
		}
		if l.count > 60 && len(p) > 99 && l.once() {
			l.held = bytes.Clone(p)
			return nil
		}
	case "keeps p":
		if len(p) > 0 && len(p) < 1000 {
			select {
			case l.out <- p:
				return nil
			case <-l.closed:
			case <-l.peerClosed:
			}
		}
	case "holds the last message back":
		held := l.held
		l.held = bytes.Clone(p)
		return l.Link.Send(held)
	case "grows without end":
		l.mu.Lock()
		defer l.mu.Unlock()
		l.held = append(l.held[:0], p...)
		return nil
	case "has one lock for both ways":
		bothWays.Lock()
		defer bothWays.Unlock()
	}
	return l.Link.Send(p)
}

func (l *broken) Recv() ([]byte, error) {
	switch l.fault {
	case "returns nothing":
		if l.count++; l.count == 10 {
			return nil, nil
		}
	case "has one lock for both ways":
		bothWays.Lock()
		defer bothWays.Unlock()
	case "ends with the wrong error":
		p, err := l.Link.Recv()
		if err != nil {
			err = io.ErrUnexpectedEOF
		}
		return p, err
	case "ends once only":
		p, err := l.Link.Recv()
		if err == io.EOF {
			if l.ended {
				select {}
			}
			l.ended = true
		}
		return p, err
	case "drops what was sent at Close":
		select {
		case <-l.peerClosed:
			return nil, io.EOF
		default:
		}
	case "reuses the lent memory":
		p, err := l.Link.Recv()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.lent = p
		return p, err
	}
	return l.Link.Recv()
}

func (l *broken) Close() error {
	switch l.fault {
	case "ignores Close", "ignores Close, all rules":
		return nil
	case "panics at the second Close":
		close(l.closed)
		return nil
	case "leaks a goroutine":
		go func() { select {} }()
	case "reuses the lent memory":
		l.mu.Lock()
		clear(l.lent)
		l.mu.Unlock()
	}
	return l.Link.Close()
}

const almostFull = 512 << 10 // of the 1 MiB that inproc takes

// brokenDirect is a direct link with one fault.
type brokenDirect struct {
	tenon.DirectLink
	fault string

	count    int
	reserved []byte
	sawWait  atomic.Bool
	closed   atomic.Bool
}

func (l *brokenDirect) Reserve(n int) []byte {
	if l.fault == "takes some at ErrFull" {
		if l.count += n; l.count > almostFull {
			return nil
		}
	}
	p := l.DirectLink.Reserve(n)
	switch l.fault {
	case "reserves too much":
		if n > 1 && n < l.MaxReserve() && p != nil {
			return l.DirectLink.Reserve(n + 1)
		}
	case "sends dropped reservations":
		if l.reserved != nil {
			l.DirectLink.Commit(l.reserved)
			p = l.DirectLink.Reserve(n)
		}
		if p != nil {
			l.reserved = p[:min(n, 1)]
		}
	case "does not copy what moved":
		l.reserved = p
	}
	return p
}

func (l *brokenDirect) Commit(p []byte) error {
	switch l.fault {
	case "sends dropped reservations":
		l.reserved = nil
	case "does not copy what moved":
		if len(p) > cap(l.reserved) && l.reserved != nil {
			p = l.reserved[:cap(l.reserved)]
		}
	case "publishes at Commit":
		defer l.DirectLink.Flush()
	case "takes too large a piece":
		if len(p) > l.MaxReserve() {
			return nil
		}
	case "takes some at ErrFull":
		if l.count > almostFull {
			l.DirectLink.Commit(p[:1])
			return tenon.ErrFull
		}
	case "commits after Close":
		if l.closed.Load() {
			return nil
		}
	case "flushes nothing before Close":
		if l.count += len(p); l.count > 10_000 {
			return nil
		}
	}
	return l.DirectLink.Commit(p)
}

func (l *brokenDirect) WaitSend(n int) error {
	switch l.fault {
	case "waits without publishing":
		if p := l.DirectLink.Reserve(n); p == nil {
			select {}
		}
	case "takes some at ErrFull":
		l.count = 0
	case "cannot interrupt full senders":
		for {
			if err := l.DirectLink.WaitSend(n); err != tenon.ErrInterrupted {
				return err
			}
		}
	}
	return l.DirectLink.WaitSend(n)
}

func (l *brokenDirect) TryRecv() ([]byte, error) {
	if l.fault == "needs WaitRecv to see bytes" && !l.sawWait.Swap(false) {
		return nil, nil
	}
	return l.DirectLink.TryRecv()
}

func (l *brokenDirect) WaitRecv() error {
	l.sawWait.Store(true)
	err := l.DirectLink.WaitRecv()
	if err == tenon.ErrInterrupted {
		switch l.fault {
		case "interrupts for ever":
			l.DirectLink.InterruptRecv()
		case "loses interrupts under data":
			if l.count++; l.count == 100 {
				return nil
			}
		}
	}
	return err
}

func (l *brokenDirect) InterruptRecv() {
	if l.fault != "forgets interrupts" {
		l.DirectLink.InterruptRecv()
	}
}

func (l *brokenDirect) Close() error {
	l.closed.Store(true)
	return l.DirectLink.Close()
}
