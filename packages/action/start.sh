#!/bin/sh
# Starts the server and returns when it accepts requests. It ends with the job, whose runner ends every process.
set -eu

ready="$RUNNER_TEMP/plinth-ready.json"
log="$RUNNER_TEMP/plinth.log"
set -- serve --ephemeral --listen 127.0.0.1:0 --ready-json
# The line of an earlier server of the job would be taken for this one's.
: > "$ready"
if [ -n "$STATE" ]; then set -- "$@" --state "$STATE"; fi
# Split on purpose: these are several flags.
# shellcheck disable=SC2086
nohup "$BINARY" "$@" $ARGS > "$ready" 2> "$log" < /dev/null &
server=$!
# The line is there as soon as requests are served.
until grep -q url "$ready"; do
  if ! kill -0 "$server" 2> /dev/null; then
    cat "$log" >&2
    exit 1
  fi
  sleep 0.02
done
url=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' "$ready")
echo "url=$url" >> "$GITHUB_OUTPUT"
{
  echo "PLINTH=$BINARY"
  echo "PLINTH_URL=$url"
} >> "$GITHUB_ENV"
