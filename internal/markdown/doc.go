// Package markdown reads what agents write, for the dashboard and for terminals.
// An agent may write anything: goldmark's time for one block grows with the
// square of the marks in it, and with the depth of what stands inside each other,
// so both are bounded here. What is over the bounds is text. The package paints
// nothing, and makes nothing harmless.
package markdown
