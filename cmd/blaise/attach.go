package main

import (
	"fmt"
	"io"
	"mime"
	"os"
	"path/filepath"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/spf13/pflag"
)

func attachFlag(f *pflag.FlagSet, to *[]string) {
	f.StringArrayVar(to, "attach", nil, "a `file` that comes with the message, or an address (https://...); may be repeated")
}

// attached reads what comes with a message.
func attached(names []string) ([]api.Attach, error) {
	var list []api.Attach
	var all int64
	for i, name := range names {
		if strings.Contains(name, "://") {
			list = append(list, api.Attach{URL: name})
			continue
		}
		data, err := attachment(name, all, i+1)
		if err != nil {
			return nil, err
		}
		all += int64(len(data))
		list = append(list, api.Attach{
			Name: filepath.Base(name), Type: mime.TypeByExtension(filepath.Ext(name)), Data: data,
		})
	}
	return list, nil
}

// attachment reads one file, and no more of it than may be sent.
func attachment(name string, before int64, n int) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, usage("attach: %v", err)
	}
	defer f.Close()
	about, err := f.Stat()
	switch {
	case err != nil:
		return nil, usage("attach: %v", err)
	case about.IsDir():
		return nil, usage("attach %s: it is a directory", name).WithHint("attach its files one by one, or an archive of it")
	case about.Mode().IsRegular():
		if err := blaise.CheckAttached(name, about.Size(), before+about.Size(), n); err != nil {
			return nil, err
		}
	}
	data, err := io.ReadAll(io.LimitReader(f, blaise.MaxAttachment+1)) // what is no file has no size
	if err != nil {
		return nil, fmt.Errorf("read attachment %s: %w", name, err)
	}
	size := int64(len(data))
	return data, blaise.CheckAttached(name, size, before+size, n)
}
