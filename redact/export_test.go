package redact

import "math/rand/v2"

// ShapeSamples are a token of each prefix of each shape, made up.
func ShapeSamples() []string {
	rnd := rand.New(rand.NewPCG(3, 4))
	var all []string
	for _, sh := range shapes {
		if sh.check != nil {
			continue // not of letters alone: the tests have some
		}
		for _, prefix := range sh.prefixes {
			all = append(all, prefix+sh.letters.sample(rnd, sh.least))
		}
	}
	return all
}

func (set *letters) sample(rnd *rand.Rand, n int) string {
	var from []byte
	for c, in := range set {
		if in && alnums[c] {
			from = append(from, byte(c))
		}
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = from[rnd.IntN(len(from))]
	}
	return string(b)
}
