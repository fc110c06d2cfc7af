package blaise

import "fmt"

// GoOnHint says how somebody may go on from a session that has ended: from its
// work, or from its first message where no work was saved and none will be.
func GoOnHint(id SessionID, saves int, env EnvironmentState) string {
	if saves == 0 && env.Rests() {
		return startAgainHint(id)
	}
	return fmt.Sprintf("blaise start --from %s", id)
}

// UnsavedHint says of a session without saved work when it will have some, or
// what is possible where it never will.
func UnsavedHint(id SessionID, ended bool, env EnvironmentState) string {
	switch {
	case ended && env.Rests():
		return startAgainHint(id)
	case env == EnvOpen:
		return fmt.Sprintf("work is saved at every pause and end; now with: blaise pause %s", id)
	case ended:
		return "its environment is still to be taken down, and its work is saved before: try again then"
	}
	return "work is saved at every pause and end"
}

func startAgainHint(id SessionID) string {
	return fmt.Sprintf("it ended without saved work; another begins with its first message: blaise start --again %s", id)
}
