package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tenon-go/tenon/cmd/tenon/internal/remote"
	"github.com/tenon-go/tenon/cmd/tenon/internal/signature"
)

func newLsCommand() *cobra.Command {
	var (
		to     target
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "ls ADDRESS",
		Short: "Show what a running process offers",
		Long: `ls connects to a process and shows its services: the methods with their
parameters and results, without the context and the error that all have, and
the types in them. Addresses are

` + remote.Forms,
		Example: `  tenon ls unix:/run/shop.sock
  tenon ls --json tcp:localhost:7000`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(cmd, "ls takes one address, got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			address, err := to.parse(cmd, args[0])
			if err != nil {
				return err
			}
			ctx, cancel := to.bound(cmd.Context())
			defer cancel()
			conn, offers, err := to.connect(ctx, address)
			if err != nil {
				return fmt.Errorf("tenon ls: %w", err)
			}
			defer conn.Close()
			services, err := signature.Services(offers)
			switch {
			case err != nil:
				return fmt.Errorf("tenon ls: %w", err)
			case asJSON:
				e := json.NewEncoder(cmd.OutOrStdout())
				e.SetEscapeHTML(false)
				e.SetIndent("", "  ")
				if err := e.Encode(services); err != nil {
					return fmt.Errorf("tenon ls: %w", err)
				}
				return nil
			case len(services) == 0:
				return fmt.Errorf("tenon ls: %s offers nothing: did it register its services before it served?", address)
			}
			var text strings.Builder
			signature.Write(&text, services)
			if _, err := fmt.Fprint(cmd.OutOrStdout(), printable(text.String())); err != nil {
				return fmt.Errorf("tenon ls: %w", err)
			}
			return nil
		},
	}
	to.addFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
