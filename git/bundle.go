package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// shotRef is where a shot stands in a directory of ours, and in its bundles.
const shotRef = "refs/blaise/shot"

// Bundle writes what Keep has put at ref into a file, for those who cannot
// reach the repository. Only what the default branch of its source has is left
// out: who takes the file up has that from there, while other branches are
// rewritten and removed once they are merged. base is a commit that they have, too,
// where the repository is shallow.
func (r *Repo) Bundle(ctx context.Context, ref, base, file string) error {
	refs, err := r.kept(ctx, ref)
	if err != nil {
		return err
	}
	without, err := r.without(ctx, ref)
	if err != nil {
		return err
	}
	shallow, err := r.shallow(ctx)
	if err == nil && shallow && base != "" {
		without = append(without, base)
	}
	if err == nil {
		args := append([]string{"bundle", "create", "--quiet", file}, refs...)
		_, err = r.Run(ctx, append(append(append(args, "--not"), without...), "--")...)
	}
	return err
}

// without are the revisions that a bundle of a save leaves out.
func (r *Repo) without(ctx context.Context, ref string) ([]string, error) {
	trunk, err := r.trunk(ctx)
	if err != nil || trunk == "" {
		return nil, err
	}
	out, err := r.Run(ctx, "for-each-ref", "--format=%(refname)", "--merged="+trunk, ref, ref+".d")
	switch in := strings.Fields(out); {
	case err != nil:
		return nil, err
	case len(in) == 0:
		return []string{trunk}, nil
	case len(in) == 1: // it would be left out itself
		return []string{in[0] + "^@"}, nil
	}
	return nil, nil
}

// Unbundle brings the saved work that a file of Bundle holds, or one of
// Shot.Bundle, into the repository as ref, every object checked. ErrLacks is in
// the chain if the repository has not the commits that the work begins at.
func (r *Repo) Unbundle(ctx context.Context, file, ref string) error {
	heads, err := r.Run(ctx, "bundle", "list-heads", file)
	if err != nil {
		return err
	}
	main, all := "", false
	for line := range strings.Lines(heads) {
		_, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case name == shotRef:
			return r.Borrow(ctx, file, ref)
		case strings.Contains(name, ".d/"):
			all = true
		case strings.HasPrefix(name, "refs/blaise/"):
			main = name
		}
	}
	if main == "" {
		return fmt.Errorf("read bundle %s: no saved work is in it", file)
	}
	specs := []string{"+" + main + ":" + ref}
	if all {
		specs = append(specs, "+"+main+".d/*:"+ref+".d/*")
	}
	return lacking(r.fetch(ctx, file, specs...))
}

// Related reports whether two commits have one in common. Of a shallow
// repository, which does not show, it says yes.
func (r *Repo) Related(ctx context.Context, a, b string) (bool, error) {
	_, err := r.Run(ctx, "merge-base", a, b)
	var e *Error
	if !errors.As(err, &e) || e.Code != 1 {
		return err == nil, err
	}
	return r.shallow(ctx)
}

func (r *Repo) shallow(ctx context.Context) (bool, error) {
	out, err := r.Run(ctx, "rev-parse", "--is-shallow-repository")
	return strings.TrimSpace(out) == "true", err
}

// Unkeep takes the refs of a save out of the repository.
func (r *Repo) Unkeep(ctx context.Context, ref string) error {
	refs, err := r.kept(ctx, ref)
	for _, name := range refs {
		_, dropErr := r.Run(ctx, "update-ref", "-d", name)
		err = errors.Join(err, dropErr)
	}
	return err
}

// kept are the refs of a save that are in the repository.
func (r *Repo) kept(ctx context.Context, ref string) ([]string, error) {
	out, err := r.Run(ctx, "for-each-ref", "--format=%(refname)", ref, ref+".d")
	return strings.Fields(out), err
}

// lacking marks what git says of a bundle that begins at unknown commits.
func lacking(err error) error {
	var e *Error
	if errors.As(err, &e) && strings.Contains(e.Stderr, "prerequisite commits") {
		e.Kind = ErrLacks
		e.Hint = "get the newest commits first: git -C " + e.Dir + " fetch --all"
	}
	return err
}
