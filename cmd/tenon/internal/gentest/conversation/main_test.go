package conversation

import (
	"os"
	"testing"

	"github.com/tenon-go/tenon/internal/leak"
)

func TestMain(m *testing.M) { os.Exit(leak.Main(m)) }
