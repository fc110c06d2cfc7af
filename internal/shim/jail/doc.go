// Package jail makes a process a prisoner: what it sees of the file system,
// which network it has, what it may ask of the kernel. The shim's verbs use it
// inside the place where the sandbox is to be; package plug writes the Spec and
// reads what the probe found. It starts nothing itself.
//
// There are three drivers. Bubblewrap and Namespaces show the prisoner a file
// system of its own, by one plan; the first has bwrap carry it out, which is
// allowed on systems where other programs may make no namespaces. Landlock is
// for where nobody may, as in a container: the file system is the same, and
// what is not listed is refused. Under all three the prisoner has no
// capabilities, gains none, and passes a filter of system calls.
package jail
