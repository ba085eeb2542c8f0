package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this command",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{cmd.CommandPath(), fmt.Errorf("version takes no arguments, got %q", args[0])}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			version := "(devel)"
			if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
				version = info.Main.Version
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "tenon %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			if err != nil {
				return fmt.Errorf("tenon version: %w", err)
			}
			return nil
		},
	}
}
