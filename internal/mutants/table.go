package main

import "slices"

// table is every line that is taken out, in the order of the requirements.
func table() []mutant { return slices.Concat(life, trouble, beside, crowd) }
