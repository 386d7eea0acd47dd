package main

import "github.com/spf13/cobra"

func (a *app) hookCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook NAME",
		Short: "What hooks call: decide, and answer as the caller expects",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.gitHookCommands()...)
	return cmd
}
