package plug_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"blaise.dev/blaise/plug/plugtest"
)

func BenchmarkWorktreeOpen(b *testing.B) {
	for _, n := range []int{50, 20000} {
		repo := bigRepo(b, n)
		b.Run(fmt.Sprintf("%d files", n), func(b *testing.B) {
			for b.Loop() {
				s := newWorktree(b, repo, nil).Open()
				b.StopTimer()
				if err := s.Destroy(b.Context()); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
		b.Run(fmt.Sprintf("%d files, git alone", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				dir := filepath.Join(plugtest.TempDir(b), "w")
				gitIn(b, repo, "worktree", "add", "-q", "--no-checkout", "--detach", dir)
				gitIn(b, dir, "reset", "-q", "--hard")
				b.StopTimer()
				gitIn(b, repo, "worktree", "remove", "--force", dir)
				b.StartTimer()
			}
		})
	}
}

func BenchmarkWorktreeSaveUnchanged(b *testing.B) {
	repo := bigRepo(b, 20000)
	s := newWorktree(b, repo, nil).Open()
	b.Run("save", func(b *testing.B) {
		for b.Loop() {
			save(b, s)
		}
	})
	b.Run("git status", func(b *testing.B) {
		for b.Loop() {
			gitIn(b, s.Env().Place().Dir, "status", "--porcelain")
		}
	})
}

func BenchmarkLocalStart(b *testing.B) {
	l := host(b, "/")
	for b.Loop() {
		plugtest.Sh(b, l, "true")
	}
}
