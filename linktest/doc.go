// Package linktest tests links.
package linktest
