package house_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// Two changes that take the same number are found where they meet, and not by
// the first store that is opened.
func TestMigrationsHaveNumbersOfTheirOwn(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "..", "store", "migrations", "*", "*.sql"))
	more, merr := filepath.Glob(filepath.Join("..", "..", "store", "migrations", "*", "*", "*.sql"))
	if err != nil || merr != nil || len(files)+len(more) < 10 {
		t.Fatalf("found %d: %v, %v", len(files)+len(more), err, merr)
	}
	taken := map[string]string{}
	for _, file := range append(files, more...) {
		number, _, _ := strings.Cut(filepath.Base(file), "_")
		key := filepath.Join(filepath.Dir(file), number)
		if other, ok := taken[key]; ok {
			t.Errorf("%s and %s have one number", other, file)
		}
		taken[key] = file
	}
}
