package control

import (
	"reflect"
)

// ManifestKeys are the paths of all keys that a manifest may have.
func ManifestKeys() [][]string { return paths(nil, reflect.TypeFor[manifestDoc]()) }

func paths(to []string, t reflect.Type) [][]string {
	keys, types := keysOf(t)
	var all [][]string
	for i, k := range keys {
		at := append(to[:len(to):len(to)], k)
		all = append(all, at)
		if types[i].Kind() == reflect.Struct {
			all = append(all, paths(at, types[i])...)
		}
	}
	return all
}
