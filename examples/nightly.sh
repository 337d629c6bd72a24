#!/bin/sh
# A new model from what the server has gathered: exported, prepared, trained, measured, compared with the one that is served, and activated.
#   NEARKIN_STORE=films.db SERVER=http://127.0.0.1:7410 KEY=… sh examples/nightly.sh
#
# Run it again after whatever stopped it: steps that are done are passed over, and prepare and train go on where they were. Nothing that is
# served changes before the last step. docs/nightly.md explains every step, and how to run this at night.
#
#   NEARKIN_STORE  the store of the server: a file, or postgres://…
#   SERVER, KEY    where the server is, and a key with the scope admin; without SERVER it ends before activation
#   MODELS         the folder of models that the server looks into (models)
#   CONFIG         a nearkin.yaml that reads events.parquet and items.parquet (nearkin.yaml)
#   WORK           where everything else goes, a folder for each run (nightly)
#   RUN            the name of this run, and of its model (today's date)
#   ACTIVE         the folder of the model that is served; asked of the server where it is not given
#   WARM           set to 1: start from the active model, and go without evaluation, which such a model has no right to
#   EVENTS_FLAGS, ITEMS_FLAGS, PREPARE_FLAGS, TRAIN_FLAGS, COMPARE_FLAGS   more options of these steps
#   NEARKIN        the command (npx nearkin)
set -eu

: "${NEARKIN_STORE:?say where the store of the server is: a file, or postgres://…}"
export NEARKIN_STORE
NEARKIN=${NEARKIN:-npx nearkin}
SERVER=${SERVER:-}
KEY=${KEY:-}
MODELS=${MODELS:-models}
CONFIG=${CONFIG:-nearkin.yaml}
RUN=${RUN:-$(date -u +%Y-%m-%d)}
WARM=${WARM:-}
ACTIVE=${ACTIVE:-}
work=${WORK:-nightly}/$RUN

say() { printf '%s nightly %s: %s\n' "$(date -u +%H:%M:%S)" "$RUN" "$*" >&2; }

# Asks the server. The key goes through standard input: command lines are seen by others.
ask() { # METHOD PATH
  printf 'header = "authorization: Bearer %s"\n' "$KEY" | curl -fsS -K - -X "$1" "$SERVER$2"
}

if [ -z "$ACTIVE" ]; then
  [ -n "$SERVER" ] || { say "give SERVER, or ACTIVE: the folder of the model that is served"; exit 2; }
  answer=$(ask GET /v1/models)
  ACTIVE=$(printf '%s' "$answer" | node -e '
    let text = "";
    process.stdin.on("data", (part) => (text += part)).on("end", () => {
      process.stdout.write(JSON.parse(text).models.find((model) => model.active)?.folder ?? "");
    });')
  [ -n "$ACTIVE" ] || { say "the server serves no model yet; start with nearkin train, and activate that"; exit 1; }
fi
if [ "$ACTIVE" = "$RUN" ]; then
  say "the model of this run is served already"
  exit 0
fi
active=$MODELS/$ACTIVE
mkdir -p "$work"

# What the server has gathered. A file is there whole, or not at all.
[ -f "$work/nearkin.yaml" ] || cp "$CONFIG" "$work/nearkin.yaml"
if [ ! -f "$work/events.parquet" ]; then
  say "exporting events"
  $NEARKIN export events --out "$work/events.parquet" ${EVENTS_FLAGS:-}
fi
if [ ! -f "$work/items.parquet" ]; then
  say "exporting items"
  $NEARKIN export items --model "$active" --config "$work/nearkin.yaml" --out "$work/items.parquet" ${ITEMS_FLAGS:-}
fi

# A dataset, and a model of it.
if [ ! -f "$work/data/dataset.json" ]; then
  say "preparing"
  $NEARKIN prepare "$work/nearkin.yaml" --resume --out "$work/data" ${WARM:+--split none} ${PREPARE_FLAGS:-}
fi
if [ ! -f "$work/model/model.json" ]; then
  say "training"
  if [ -n "$WARM" ]; then set -- --from "$active"; else set -- --final; fi
  $NEARKIN train "$work/data" "$@" --resume --config "$work/nearkin.yaml" --out "$work/model" ${TRAIN_FLAGS:-}
fi

# How well does it rank items that it has not seen? Asked of the run that chose its steps: the model itself has seen everything.
set --
if [ -z "$WARM" ]; then
  if [ ! -f "$work/evaluation.json" ]; then
    say "evaluating"
    $NEARKIN evaluate "$work/data" "$work/model-split" --out "$work/evaluation.json"
  fi
  set -- --evaluation "$work/evaluation.json"
fi

# The gates.
say "comparing with $ACTIVE"
if $NEARKIN compare "$active" "$work/model" "$@" ${COMPARE_FLAGS:-} >"$work/comparison.txt"; then
  cat "$work/comparison.txt"
else
  code=$?
  cat "$work/comparison.txt"
  say "not activated: $ACTIVE goes on"
  exit "$code"
fi

# Among the models of the server, whole or not at all.
if [ ! -d "$MODELS/$RUN" ]; then
  rm -rf "$MODELS/.$RUN.copy"
  cp -R "$work/model" "$MODELS/.$RUN.copy"
  mv "$MODELS/.$RUN.copy" "$MODELS/$RUN"
fi
if [ -z "$SERVER" ]; then
  say "$MODELS/$RUN is ready; there is no SERVER to activate it"
  exit 0
fi
ask POST "/v1/models/$RUN/activate" >/dev/null
say "$RUN is served; back with: POST /v1/models/rollback"
