#!/usr/bin/env bash
# A Spark cluster of our own, for tests and trials: a master and two workers with one core each, every one a process of its own, in a
# folder that holds all of it:
#   scripts/spark.sh start FOLDER    starts what of it does not run yet, a worker that died included; prints spark://… and nothing else
#   scripts/spark.sh stop FOLDER     ends it; the folder keeps the logs
#   scripts/spark.sh find            prints where Spark is; fails where there is none
# It listens on random ports of the loopback device. Spark is looked for in $NEARKIN_SPARK_HOME, in $SPARK_HOME, on the path, and in python3's
# package pyspark. NEARKIN_SPARK_WORKERS=1 starts that many workers, NEARKIN_SPARK_MEMORY=4G lets each lend so much, and NEARKIN_TEST_PATIENCE=4 waits
# four times as long for a start as the usual minute. Process ids are in FOLDER/<name>.pid.
set -euo pipefail

die() { echo "spark.sh: $*" >&2; exit 1; }

find_spark() {
  local candidate
  for candidate in "${NEARKIN_SPARK_HOME:-}" "${SPARK_HOME:-}" \
    "$(dirname "$(dirname "$(readlink -f "$(command -v spark-submit || echo /none/bin/none)")")")" \
    "$(python3 -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))' 2> /dev/null || true)"; do
    if [ -n "$candidate" ] && [ -x "$candidate/bin/spark-class" ] && [ -d "$candidate/jars" ]; then
      echo "$candidate"
      return
    fi
  done
  die "there is no Spark here; run pip install pyspark, or name its folder in NEARKIN_SPARK_HOME"
}

is_running() { # NAME: whether the process that was started under this name is still there, and is no other that has its number by now
  local pid
  pid=$(cat "$folder/$1.pid" 2> /dev/null) || return 1
  [ -n "$pid" ] && ps -o args= -p "$pid" 2> /dev/null | grep -q 'org\.apache\.spark\.deploy\.'
}

launch() { # NAME CLASS ARGUMENTS…
  local name=$1
  shift
  : > "$folder/$name.log"
  # A session of its own: Ctrl-C in the terminal that started it ends the command and not the cluster.
  (cd "$folder" && exec setsid env SPARK_HOME="$home" SPARK_LOCAL_IP=127.0.0.1 SPARK_LOCAL_DIRS="$folder/local" \
    SPARK_MASTER_OPTS=-Dspark.master.rest.enabled=false SPARK_DAEMON_MEMORY=256m "$home/bin/spark-class" "$@" < /dev/null > "$folder/$name.log" 2>&1) &
  echo $! > "$folder/$name.pid"
}

await_line() { # NAME PATTERN: waits until its log has the line, and prints the part that matches
  local found _
  for _ in $(seq "$(awk "BEGIN { print int(300 * ${NEARKIN_TEST_PATIENCE:-1}) }")"); do
    if found=$(grep -oE -m 1 "$2" "$folder/$1.log"); then
      echo "$found"
      return
    fi
    sleep 0.2
    kill -0 "$(cat "$folder/$1.pid")" 2> /dev/null || break
  done
  tail -n 20 "$folder/$1.log" >&2
  die "$1 does not start; its log is $folder/$1.log"
}

start() {
  local address n
  mkdir -p "$folder/local"
  if ! is_running master; then
    launch master org.apache.spark.deploy.master.Master --host 127.0.0.1 --port 0 --webui-port 0
    address=$(await_line master 'spark://[0-9.]+:[0-9]+')
    echo "$address" > "$folder/address"
  fi
  address=$(cat "$folder/address")
  for n in $(seq "${NEARKIN_SPARK_WORKERS:-2}"); do
    is_running "worker$n" || launch "worker$n" org.apache.spark.deploy.worker.Worker --host 127.0.0.1 --port 0 --webui-port 0 \
      --cores 1 --memory "${NEARKIN_SPARK_MEMORY:-1536M}" --work-dir "$folder/work$n" "$address"
  done
  for n in $(seq "${NEARKIN_SPARK_WORKERS:-2}"); do
    await_line "worker$n" 'Successfully registered with master' > /dev/null
  done
  echo "$address"
}

stop() {
  local file name _
  for file in "$folder"/worker*.pid "$folder/master.pid"; do
    name=$(basename "$file" .pid)
    is_running "$name" || continue
    kill "$(cat "$file")"
    for _ in $(seq 50); do
      is_running "$name" || break
      sleep 0.2
    done
    if is_running "$name"; then kill -9 "$(cat "$file")"; fi
  done
  rm -f "$folder"/*.pid "$folder/address"
  rm -rf "$folder/local"
}

usage="usage: spark.sh start FOLDER | stop FOLDER | find"
command=${1:-}
[ "$command" = find ] || [ $# -eq 2 ] || die "$usage"
[ "$command" != start ] || mkdir -p "$2"
folder=$(cd "${2:-.}" && pwd) || die "there is no folder $2"
case $command in
  find) find_spark ;;
  start)
    home=$(find_spark)
    start
    ;;
  stop) stop ;;
  *) die "$usage" ;;
esac
