package git

import (
	"context"
	"errors"
	"regexp"
	"strings"
)

// A Survey is what the maker of a worktree must know of a repository.
type Survey struct {
	Base  string // the name: as asked for, or the branch HEAD is on
	Start string // the commit that Base names
	Tree  string // the tree of Start
	Tip   string // where the branch stands, "" if there is none of that name
}

// Look opens the repository that dir is in, as Open does, and answers where
// base (HEAD's branch if empty) and branch stand in it. The branch's name has
// passed CheckBranch. Errors are those of Open and Resolve.
func Look(ctx context.Context, dir, base, branch string) (*Repo, Survey, error) {
	if base == "" || plainRev.MatchString(base) && !strings.Contains(base, "..") {
		r, v, ok := lookOnce(ctx, dir, base, branch)
		if ok && v.Tip != "" {
			var err error
			v.Tip, err = r.Branch(ctx, branch)
			return r, v, err
		}
		if ok {
			return r, v, nil
		}
	}
	r, err := Open(ctx, dir)
	if err != nil {
		return nil, Survey{}, err
	}
	v, err := r.survey(ctx, base, branch)
	return r, v, err
}

// plainRev is no option, nor a range or an exclusion.
var plainRev = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./-]*$`)

// lookOnce asks one git, for a process costs 2 ms, and does not answer where
// anything is unusual. Tip is but a sign that the branch may be there.
func lookOnce(ctx context.Context, dir, base, branch string) (*Repo, Survey, bool) {
	r, rev := &Repo{Dir: dir}, base
	if rev == "" {
		rev = "HEAD"
	}
	// The branch comes last: it is mostly not there, and git fails after the rest.
	out, err := r.Run(ctx, "rev-parse", "--path-format=absolute",
		"--git-common-dir", "--is-bare-repository", "--show-toplevel",
		rev+"^{commit}", rev+"^{tree}", "--abbrev-ref=loose", "HEAD", "refs/heads/"+branch)
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	var e *Error
	noBranch := errors.As(err, &e) &&
		strings.Contains(e.Stderr, "argument 'refs/heads/"+branch+"': unknown revision")
	if len(lines) != 7 || err != nil && !noBranch { // what it does not know it prints too
		return nil, Survey{}, false
	}
	v := Survey{Base: base, Start: lines[3], Tree: lines[4]}
	if lines[1] != "false" || !objectID.MatchString(v.Start) || !objectID.MatchString(v.Tree) {
		return nil, Survey{}, false
	}
	r.CommonDir, r.Dir = lines[0], lines[2]
	if base == "" {
		v.Base = lines[5]
	}
	if !noBranch {
		v.Tip = lines[6]
	}
	return r, v, true
}

// survey asks one question after the other, for the errors that say what to do.
func (r *Repo) survey(ctx context.Context, base, branch string) (v Survey, err error) {
	if v.Base = base; base == "" {
		if v.Base, err = r.HeadBranch(ctx); err != nil {
			return v, err
		}
	}
	if v.Start, err = r.Resolve(ctx, v.Base); err != nil {
		return v, err
	}
	if v.Tree, err = r.Tree(ctx, v.Start); err != nil {
		return v, err
	}
	v.Tip, err = r.Branch(ctx, branch)
	return v, err
}

// Tree answers the tree of a commit.
func (r *Repo) Tree(ctx context.Context, commit string) (string, error) {
	out, err := r.Run(ctx, "rev-parse", "--verify", "--end-of-options", commit+"^{tree}")
	return strings.TrimSpace(out), err
}
