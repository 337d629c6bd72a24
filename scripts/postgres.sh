#!/usr/bin/env bash
# A PostgreSQL server of our own, for tests and trials, in a folder that holds everything of it:
#   scripts/postgres.sh start FOLDER               makes it where there is none; prints the connection string and nothing else
#   scripts/postgres.sh stop FOLDER [immediate]    "immediate" ends it as a crash would; the folder stays, and `start` goes on from it
#   scripts/postgres.sh find                       prints where its programs are; fails where there are none
# It listens on a random port of the loopback device, and asks for a random password. PostgreSQL does not run as root: started by root it runs
# as the user `postgres`, which must be able to reach the folder. Its programs are looked for in $NEARKIN_POSTGRES_BIN, in
# /usr/lib/postgresql and on the path.
set -euo pipefail

die() { echo "postgres.sh: $*" >&2; exit 1; }

find_programs() {
  local candidate
  for candidate in "${NEARKIN_POSTGRES_BIN:-}" $(ls -d /usr/lib/postgresql/*/bin 2> /dev/null | sort -rV) "$(dirname "$(command -v pg_ctl || echo /none/pg_ctl)")"; do
    if [ -n "$candidate" ] && [ -x "$candidate/initdb" ] && [ -x "$candidate/pg_ctl" ]; then
      echo "$candidate"
      return
    fi
  done
  die "no PostgreSQL server is installed (Debian: apt-get install postgresql); or name its programs' folder in NEARKIN_POSTGRES_BIN"
}

# Runs a command as somebody who may run PostgreSQL, quiet unless it fails.
quietly() {
  local as=() output
  [ "$(id -u)" -ne 0 ] || as=(runuser -u postgres --)
  output=$(cd / && "${as[@]}" "$@" < /dev/null 2>&1) || { echo "$output" >&2; die "$(basename "$1") failed"; }
}

random_text() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

create() {
  local folder=$1
  (umask 077 && random_text > "$folder/password")
  [ "$(id -u)" -ne 0 ] || chown -R postgres "$folder"
  quietly "$programs/initdb" --pgdata="$folder/data" --username=nearkin --pwfile="$folder/password" --auth=scram-sha-256 \
    --encoding=UTF8 --locale=C
}

# A new server tries up to five random ports; one that is started again keeps its own.
start() {
  local folder=$1 port attempt
  [ -d "$folder/data" ] || create "$folder"
  for attempt in 1 2 3 4 5; do
    if [ -f "$folder/port" ]; then port=$(cat "$folder/port"); else port=$((20000 + RANDOM % 30000)); fi
    if (quietly "$programs/pg_ctl" --pgdata="$folder/data" --log="$folder/log" --wait --timeout="$patience" \
      --options="-c listen_addresses=127.0.0.1 -c port=$port -c unix_socket_directories=''" start) 2> /dev/null; then
      echo "$port" > "$folder/port"
      echo "postgres://nearkin:$(cat "$folder/password")@127.0.0.1:$port/postgres"
      return
    fi
    [ ! -f "$folder/port" ] || sleep 1 # it goes on where it was
  done
  tail -n 20 "$folder/log" >&2 || true
  die "the server in $folder does not start"
}

usage="usage: postgres.sh start FOLDER | stop FOLDER [immediate] | find"
command=${1:-}
[ "$command" = find ] || [ $# -ge 2 ] || die "$usage"
programs=$(find_programs)
patience=$(awk "BEGIN { print int(60 * ${NEARKIN_TEST_PATIENCE:-1}) }") # seconds
[ "$command" != start ] || mkdir -p "$2"
folder=$(cd "${2:-.}" && pwd) || die "there is no folder $2"
case $command in
  find) echo "$programs" ;;
  start) start "$folder" ;;
  stop) quietly "$programs/pg_ctl" --pgdata="$folder/data" --mode="${3:-fast}" --wait --timeout="$patience" stop ;;
  *) die "$usage" ;;
esac
