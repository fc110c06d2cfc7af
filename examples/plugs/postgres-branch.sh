#!/bin/sh
# Gives each session a database of its own, copied from a template that nobody
# is connected to. The first argument says how to reach the server:
#
#   - use: exec
#     id: db
#     onStart: [./postgres-branch.sh, "postgresql://localhost/postgres", app_template]
#     onTeardown: [./postgres-branch.sh, "postgresql://localhost/postgres", app_template]
#     reach: shared # every machine of the runner reaches the server
set -eu
ask() { psql -XAtq -v ON_ERROR_STOP=1 -d "$1" -c "$2"; }
count() { ask "$1" "SELECT count(*) FROM pg_database WHERE datname = '$BLAISE_KEY'"; }
case $BLAISE_HOOK in
onStart)
	[ "$(count "$1")" = 1 ] || ask "$1" "CREATE DATABASE $BLAISE_KEY TEMPLATE $2" >&2
	printf '{"env": {"PGDATABASE": "%s"}, "message": "the database is %s"}\n' "$BLAISE_KEY" "$BLAISE_KEY" ;;
onTeardown)
	ask "$1" "DROP DATABASE IF EXISTS $BLAISE_KEY WITH (FORCE)" >&2
	[ "$(count "$1")" = 0 ] ;; # gone is what the server says is gone
esac
