package inproc_test

import (
	"os"
	"testing"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/inproc"
	"github.com/tenon-go/tenon/internal/leak"
	"github.com/tenon-go/tenon/linktest"
)

func TestMain(m *testing.M) { os.Exit(leak.Main(m)) }

var _ tenon.DirectLink = (*inproc.Link)(nil)

func TestPairPassesTheSuite(t *testing.T) {
	linktest.Run(t, func(t *testing.T) (a, b tenon.Link) { return inproc.Pair() })
}

func TestSmallestPairPassesTheSuite(t *testing.T) {
	linktest.Run(t, func(t *testing.T) (a, b tenon.Link) { return inproc.Pair(inproc.Capacity(1)) })
}
