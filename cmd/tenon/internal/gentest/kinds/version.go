package kinds

import (
	"fmt"
	"strings"
)

func (v Version) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%d.%d", v.major, v.minor), nil
}

func (v *Version) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(strings.Replace(string(text), ".", " ", 1), "%d %d", &v.major, &v.minor)
	return err
}

func (v Version) MarshalBinary() ([]byte, error) { return nil, fmt.Errorf("binary was used") }

func (v *Version) UnmarshalBinary([]byte) error { return fmt.Errorf("binary was used") }
