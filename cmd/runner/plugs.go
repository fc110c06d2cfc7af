package main

import (
	"fmt"

	"blaise.dev/blaise/plug"

	"github.com/spf13/cobra"
)

// A plugDoc is one plug as `runner plugs --json` prints it.
type plugDoc struct {
	Use  string     `json:"use"`
	Doc  string     `json:"doc"`
	Keys []plug.Key `json:"keys"`
}

func plugsCommand(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use: "plugs", Short: "List the plugs that blaise.yml may use, with their keys",
		Example: "  runner plugs", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			docs, err := plugDocs()
			if err != nil {
				return err
			}
			if a.json {
				return a.print(docs)
			}
			for _, d := range docs {
				fmt.Fprintf(a.out, "%s: %s\n", d.Use, d.Doc)
				for _, k := range d.Keys {
					fmt.Fprintf(a.out, "    %s\n", keyLine(k))
				}
			}
			return nil
		},
	})
}

func plugDocs() ([]plugDoc, error) {
	var docs []plugDoc
	for _, name := range plug.Names() {
		doc, keys, err := plug.Describe(name)
		if err != nil {
			return nil, err
		}
		docs = append(docs, plugDoc{Use: name, Doc: doc, Keys: keys})
	}
	return docs, nil
}

func keyLine(k plug.Key) string {
	line := fmt.Sprintf("%s (%s", k.Name, k.Type)
	if k.Default != "" {
		line += ", default " + k.Default
	}
	return line + "): " + k.Doc
}
