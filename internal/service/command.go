package service

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// A Command is `PROGRAM service` with what is below it.
type Command struct {
	Program string // "blaise", "runner"
	Name    string // of the service
	Out     io.Writer
	// Unit makes the unit from the flags that Flags has added to `install`.
	Unit  func(system bool) (Unit, error)
	Flags func(*cobra.Command)
	// Example of an install, without the program and `service install`.
	Example string
}

// Make gives the command.
func (c Command) Make() *cobra.Command {
	var m Manager
	parent := &cobra.Command{
		Use: "service", Short: "Make it a service of systemd", Args: cobra.NoArgs,
		Example: fmt.Sprintf("  %s service install --dry-run %s\n  %[1]s service status", c.Program, c.Example),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	parent.PersistentFlags().BoolVar(&m.System, "system", false, "of the machine; needs root (default: of the user)")
	parent.PersistentFlags().StringVar(&c.Name, "name", c.Name, "of the service, where there are several")
	parent.AddCommand(c.install(&m), c.uninstall(&m), c.status(&m))
	return parent
}

func (c *Command) install(m *Manager) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use: "install", Short: "Write the unit and start it, now and at every boot", Args: cobra.NoArgs,
		Long: "Writes the unit and has systemd start it, now and at every boot. One that is there is\n" +
			"replaced and restarted. A service of a user ends with their last login, unless\n" +
			"`loginctl enable-linger` says otherwise.",
		Example: fmt.Sprintf("  %s service install %s\n  %[1]s service install --system --dry-run %[2]s", c.Program, c.Example),
		RunE: func(cmd *cobra.Command, _ []string) error {
			u, err := c.Unit(m.System)
			if err != nil {
				return err
			}
			u.Name = c.Name
			if dry {
				path, err := m.Path(u.Name)
				if err == nil {
					_, err = fmt.Fprintf(c.Out, "# %s\n%s", path, u.Text(m.System, cmd.CommandPath()))
				}
				return err
			}
			path, err := m.Install(cmd.Context(), u, cmd.CommandPath())
			if err == nil {
				_, err = fmt.Fprintf(c.Out, "%s runs; its unit is %s\n", u.Name, path)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "print the unit, change nothing")
	c.Flags(cmd)
	return cmd
}

func (c *Command) uninstall(m *Manager) *cobra.Command {
	return &cobra.Command{
		Use: "uninstall", Short: "Stop the service, and take the unit away; data stay", Args: cobra.NoArgs,
		Example: fmt.Sprintf("  %s service uninstall", c.Program),
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := m.Uninstall(cmd.Context(), c.Name)
			if err == nil {
				_, err = fmt.Fprintf(c.Out, "%s is stopped, and no service any more\n", c.Name)
			}
			return err
		},
	}
}

func (c *Command) status(m *Manager) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "status", Short: "Say how the service is", Args: cobra.NoArgs,
		Example: fmt.Sprintf("  %s service status --json", c.Program),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := m.Status(cmd.Context(), c.Name)
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(c.Out).Encode(s)
			}
			_, err = fmt.Fprintf(c.Out, "%s is %s (%s, pid %s), %s; its unit is %s\n",
				c.Name, s.Active, s.Sub, s.PID, s.Enabled, s.Unit)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
