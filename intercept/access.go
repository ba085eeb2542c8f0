package intercept

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"slices"
	"strings"

	"github.com/tenon-go/tenon"
)

// A Rule says who may call some methods.
type Rule struct {
	Methods string // "package.Service/Method", or a beginning of such with a * behind
	Who     Who
	Name    string // in refusals, such as "admins only"; the default is Methods
}

// Who reports whether a call may pass. It can look at the connection, of which
// [tenon.Conn.PeerUID] and [tenon.Conn.PeerCertificates] say whose it is, at
// [tenon.MetadataFrom] of ctx and at the method. It may be called from many
// goroutines at once.
type Who func(ctx context.Context, info *tenon.CallInfo) bool

// Access returns an interceptor for the serving side that lets a call pass if its
// rule allows it. Of several rules that fit a method the longest Methods counts,
// and one without a star before those with one; a method that no rule fits is
// refused. A refused call fails with PermissionDenied and has run nothing.
// Functions that this side passed as arguments may be called by whoever got them.
func Access(rules ...Rule) tenon.Interceptor {
	rules = slices.Clone(rules)
	seen := make(map[string]bool)
	for i, r := range rules {
		switch star := strings.Index(r.Methods, "*"); {
		case r.Who == nil:
			panic(fmt.Sprintf("intercept: Access: the rule for %q does not say who may call (intercept.Anyone?)", r.Methods))
		case r.Methods == "" || star >= 0 && star != len(r.Methods)-1:
			panic(fmt.Sprintf("intercept: Access: %q names no methods: it is a wire name, or the beginning of one and a *", r.Methods))
		case seen[r.Methods]:
			panic(fmt.Sprintf("intercept: Access: two rules for %q", r.Methods))
		case r.Name == "":
			rules[i].Name = r.Methods
		}
		seen[r.Methods] = true
	}
	slices.SortFunc(rules, func(a, b Rule) int { return b.narrowness() - a.narrowness() })
	return func(ctx context.Context, info *tenon.CallInfo, next func(context.Context) error) error {
		if info.Function {
			return next(ctx)
		}
		i := slices.IndexFunc(rules, func(r Rule) bool { return r.fits(info.Method) })
		switch {
		case i < 0:
			return denied("no rule lets anybody call this method")
		case !rules[i].Who(ctx, info):
			return denied(fmt.Sprintf("the rule %q does not let this caller pass", rules[i].Name))
		}
		return next(ctx)
	}
}

// narrowness puts the rules in order that fit one method.
func (r *Rule) narrowness() int {
	beginning, many := strings.CutSuffix(r.Methods, "*")
	if many {
		return 2 * len(beginning)
	}
	return 2*len(beginning) + 1
}

func (r *Rule) fits(method string) bool {
	beginning, many := strings.CutSuffix(r.Methods, "*")
	return many && strings.HasPrefix(method, beginning) || method == r.Methods
}

func denied(message string) error {
	return &tenon.Error{Code: tenon.PermissionDenied, SafeToRetry: true, Message: message}
}

// Anyone lets every call pass.
func Anyone(context.Context, *tenon.CallInfo) bool { return true }

// Nobody lets none pass.
func Nobody(context.Context, *tenon.CallInfo) bool { return false }

// Metadata lets those pass whose call carries one of the values under key, such
// as a token of its own for each client. The values are compared in constant time.
func Metadata(key string, values ...string) Who {
	sums := make([][sha256.Size]byte, len(values))
	for i, v := range values {
		sums[i] = sha256.Sum256([]byte(v))
	}
	return func(ctx context.Context, _ *tenon.CallInfo) bool {
		shown, ok := tenon.MetadataFrom(ctx)[key]
		if !ok {
			return false
		}
		sum, same := sha256.Sum256([]byte(shown)), 0
		for _, s := range sums {
			same |= subtle.ConstantTimeCompare(s[:], sum[:])
		}
		return same == 1
	}
}

// UID lets the processes of some users pass; see [tenon.Conn.PeerUID] for where
// they are known.
func UID(uids ...int) Who {
	uids = slices.Clone(uids)
	return func(_ context.Context, info *tenon.CallInfo) bool {
		uid, known := info.Conn.PeerUID()
		return known && slices.Contains(uids, uid)
	}
}
