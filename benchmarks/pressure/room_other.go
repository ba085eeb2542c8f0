//go:build !linux

package main

import (
	"errors"
	"os/exec"
)

func startOn(*exec.Cmd) error { return errors.ErrUnsupported }

type quota struct{}

func newQuota() (*quota, error) { return nil, errors.ErrUnsupported }
func (*quota) add(int) error    { return errors.ErrUnsupported }
func (*quota) remove()          {}
