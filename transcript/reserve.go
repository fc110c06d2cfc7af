package transcript

import (
	"errors"
	"os"
)

// fill writes zeros, for file systems that cannot reserve blocks.
func fill(f *os.File, size int64) error {
	zeros := make([]byte, 1<<16)
	for size > 0 {
		n, err := f.Write(zeros[:min(size, int64(len(zeros)))])
		if err != nil {
			return err
		}
		size -= int64(n)
	}
	return nil
}

// keepOrRemove closes f, and removes it if err says that it is of no use.
func keepOrRemove(f *os.File, err error) error {
	err = errors.Join(err, f.Close())
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
