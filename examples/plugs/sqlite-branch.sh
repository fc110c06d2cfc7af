#!/bin/sh
# Gives each session a copy of a SQLite database, made beside it:
#
#   - use: exec
#     id: db
#     onStart: [./sqlite-branch.sh, /srv/app/main.db]
#     onTeardown: [./sqlite-branch.sh, /srv/app/main.db]
set -eu
copy=$1.$BLAISE_KEY
case $BLAISE_HOOK in
onStart) # again after a pause, or when it was cut off: what is whole is kept
	[ -e "$copy" ] || { rm -f "$copy.part"; sqlite3 "$1" ".backup '$copy.part'"; mv "$copy.part" "$copy"; }
	printf '{"env": {"DATABASE_URL": "sqlite:%s"}, "message": "the database is %s"}\n' "$copy" "$copy" ;;
onTeardown)
	rm -f "$copy" "$copy.part" "$copy-wal" "$copy-shm" "$copy-journal" ;;
esac
