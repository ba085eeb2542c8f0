package linknet

import (
	"fmt"

	"github.com/tenon-go/tenon"
)

// An Addr is the address of a connection over a link: the kind of the link and
// nothing else, such as "shm".
type Addr string

// Network returns the kind of the link.
func (a Addr) Network() string { return string(a) }

// String returns the kind of the link.
func (a Addr) String() string { return string(a) }

// addrOf asks the link for its kind; an own link that does not know one is
// named by its type.
func addrOf(link tenon.Link) Addr {
	if k, ok := link.(interface{ Kind() string }); ok {
		return Addr(k.Kind())
	}
	return Addr(fmt.Sprintf("%T", link))
}
