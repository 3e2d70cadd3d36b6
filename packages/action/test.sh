#!/bin/sh
# Tests start.sh as a runner would call it: test.sh BINARY
set -eu

RUNNER_TEMP=$(mktemp -d)
GITHUB_OUTPUT="$RUNNER_TEMP/output" GITHUB_ENV="$RUNNER_TEMP/env" BINARY=$1 STATE="$RUNNER_TEMP/state.yaml" ARGS="--log warn"
export RUNNER_TEMP GITHUB_OUTPUT GITHUB_ENV BINARY STATE ARGS
server=
end() {
  if [ -n "$server" ]; then kill "$server"; fi
  rm -rf "$RUNNER_TEMP"
}
trap end EXIT

echo 'users: [{ login: mona }]' > "$STATE"
sh "$(dirname "$0")/start.sh"
server=$(sed -n 's/.*"pid":\([0-9]*\).*/\1/p' "$RUNNER_TEMP/plinth-ready.json")
url=$(sed -n 's/^url=//p' "$GITHUB_OUTPUT")
grep -qx "PLINTH_URL=$url" "$GITHUB_ENV"
python3 -c '
import json, sys, urllib.request
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
assert json.load(opener.open(sys.argv[1] + "/users/mona"))["login"] == "mona"
' "$url"

# A wrong state file fails the step, and its reason is in the log.
echo 'users: [{ name: mona }]' > "$STATE"
if sh "$(dirname "$0")/start.sh" 2> "$RUNNER_TEMP/error"; then exit 1; fi
grep -q login "$RUNNER_TEMP/error"
echo "action: started and failed as expected"
