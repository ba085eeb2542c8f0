// Package samples holds the pictures that the thumbnails example takes when it
// is given no folder.
package samples

import "embed"

//go:generate go run ../mksamples .

// FS has the files in its root.
//
//go:embed *.jpg *.jpeg *.png *.gif *.webp
var FS embed.FS
