package tenon

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/tinylib/msgp/msgp"

	"github.com/tenon-go/tenon/internal/wire"
)

// Progress is how far a call has come. Steps that follow each other quickly are
// reported as one; the last values of a call that was not broken off always come.
// Progress has no order with the calls of functions, nor with the items of streams.
type Progress struct {
	// Bytes of arguments and input items that were sent, and of results and
	// items of the result that were received. The totals count what is known to
	// be on its way; messages that are sent in one piece are not counted one by
	// one, so that only large ones show.
	Sent, ToSend        int64
	Received, ToReceive int64

	// What the handler reports, in its own unit.
	Done, Total int64
	Text        string
}

type progressKey struct{}

// WithProgress returns a context for calls that report their progress to f: how
// much of a large message has travelled, and what the handler says with
// [ReportProgress]. f runs on the goroutine that calls, while that waits, and
// never after the call has returned. There are at most fifty reports a second; the
// last one always comes. Calls that a handler makes do not report.
func WithProgress(ctx context.Context, f func(Progress)) context.Context {
	return context.WithValue(ctx, progressKey{}, f)
}

func progressOf(ctx context.Context) func(Progress) {
	f, _ := ctx.Value(progressKey{}).(func(Progress))
	return f
}

// progressEvery is the pause between two reports.
const progressEvery = 20 * time.Millisecond

// progressState is the progress of one call on the caller's side.
type progressState struct {
	report func(Progress) // nil: nobody wants to know

	mu       sync.Mutex
	now      Progress
	changed  bool
	due      bool // to be delivered although the last report was just now
	reported time.Time
	heard    time.Time // when the reader last told the party
}

// deliver reports what has changed, at once if it is the last time.
func (s *progressState) deliver(last bool) {
	if s.report == nil {
		return
	}
	s.mu.Lock()
	if !s.changed || !last && !s.due && time.Since(s.reported) < progressEvery {
		s.mu.Unlock()
		return
	}
	s.changed, s.due, s.reported = false, false, time.Now()
	now := s.now
	s.mu.Unlock()
	s.report(now)
}

// change changes the progress.
func (s *progressState) change(f func(*Progress)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.now)
	s.changed = true
}

// hasten has the next deliver deliver.
func (s *progressState) hasten() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due = true
}

// sent notes the bytes of an input. It runs on the goroutine that ranges over it.
func (t *talking) sent(o *outgoing) {
	_, n := o.total()
	more := n - o.reported
	if o.reported = n; more > 0 {
		t.state.change(func(p *Progress) { p.Sent += more; p.ToSend = max(p.Sent, p.ToSend) })
	}
	if o.party == t.main {
		t.state.deliver(false)
	} else if more > 0 {
		t.hear(nil)
	}
}

// received notes the bytes of items. It runs on the caller's goroutine.
func (s *progressState) received(bytes int64) {
	s.change(func(p *Progress) { p.Received += bytes; p.ToReceive = max(p.ToReceive, p.Received) })
	s.deliver(false)
}

// fragment notes that a part of the arguments was sent. It runs on the caller's
// goroutine, which has no role then.
func (s *progressState) fragment(sent, total int64) {
	s.change(func(p *Progress) { p.Sent, p.ToSend = sent, total })
	s.deliver(false)
}

// partial notes in the reader's role that a part of the answer has come.
func (t *talking) partial(r *reader, seen, total int64) {
	if t.state.report == nil {
		return
	}
	t.state.change(func(p *Progress) { p.Received, p.ToReceive = seen, total })
	t.hear(r)
}

// progressed takes what the handler reports. It runs in the reader's role.
func (t *talking) progressed(r *reader, f wire.Frame) error {
	if t == nil || t.state.report == nil {
		return nil
	}
	n, b, err := msgp.ReadArrayHeaderBytes(f.Body)
	var done, total int64
	var text string
	if err == nil && n < 3 {
		err = errors.New("too few elements")
	}
	if err == nil {
		done, b, err = msgp.ReadInt64Bytes(b)
	}
	if err == nil {
		total, b, err = msgp.ReadInt64Bytes(b)
	}
	if err == nil {
		text, _, err = msgp.ReadStringBytes(b)
	}
	if err != nil {
		return protocolError{errors.New("progress that cannot be read: " + err.Error())}
	}
	t.state.change(func(p *Progress) { p.Done, p.Total, p.Text = done, total, text })
	t.state.hasten() // the sender has made its pauses
	t.main.call(r)
	return nil
}

// hear has the main party deliver, now and then.
func (t *talking) hear(r *reader) {
	s := &t.state
	s.mu.Lock()
	due := time.Since(s.heard) >= progressEvery
	if due {
		s.heard = time.Now()
	}
	s.mu.Unlock()
	if due {
		t.main.call(r)
	}
}

// maxProgressText bounds the text of a report, in bytes.
const maxProgressText = 1 << 10

// ReportProgress tells the caller of the call whose handler's context ctx is how
// far it has come, if he wants to know: see [WithProgress]. The unit is the
// handler's own; text may be empty, and is cut after 1024 bytes. It never waits:
// of many reports at once the last one travels. Outside of a handler it does
// nothing.
func ReportProgress(ctx context.Context, done, total int64, text string) {
	s, _ := ctx.Value(callKey{}).(*servedCall)
	if s == nil {
		return
	}
	if len(text) > maxProgressText {
		text = text[:maxProgressText]
	}
	b := msgp.AppendArrayHeader(nil, 3)
	b = msgp.AppendInt64(b, done)
	b = msgp.AppendInt64(b, total)
	b = msgp.AppendString(b, text)

	p := s.reports()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	p.latest = b
	if p.later == nil {
		wait := max(progressEvery-time.Since(p.sent), 0)
		p.later = time.AfterFunc(wait, func() { s.conn.outbox.report(s) })
	}
}

// reports is what a handler has to say of its progress.
type reports struct {
	sending sync.Mutex // held while one is sent: the answer comes after it

	mu     sync.Mutex
	latest []byte // encoded, not sent yet
	sent   time.Time
	later  *time.Timer
	over   bool
}

// reports returns the call's reports.
func (s *servedCall) reports() *reports {
	if s.progress.Load() == nil {
		s.progress.CompareAndSwap(nil, new(reports))
	}
	return s.progress.Load()
}

// take takes the latest report, if there is one.
func (p *reports) take(last bool) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.later != nil {
		p.later.Stop()
		p.later = nil
	}
	if p.over {
		return nil
	}
	p.over = last
	b := p.latest
	p.latest, p.sent = nil, time.Now()
	return b
}

// lastReport sends what is left to report, before the answer.
func (s *servedCall) lastReport() {
	if err := s.report(s.conn.running, true); err != nil {
		s.conn.sendFailed(err)
	}
}

// report sends the latest report.
func (s *servedCall) report(ctx context.Context, last bool) error {
	p := s.progress.Load()
	if p == nil {
		return nil
	}
	p.sending.Lock()
	defer p.sending.Unlock()
	b := p.take(last)
	if b == nil {
		return nil
	}
	return s.conn.sendSmall(ctx, wire.Header{Kind: wire.Progress, Flags: wire.Callee, ID: s.id}, b)
}
