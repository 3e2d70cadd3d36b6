#!/bin/sh
# Installs a package, uses it and removes it: test.sh FILE. Needs root. All of it happens in a copy of this system whose changes are in
# memory, with processes that end with it. `test.sh --probe` prints a line if such a copy can be made here.
set -eu

if [ "$1" != --in-copy ]; then
  copy=$(mktemp -d)
  trap 'rmdir "$copy"' EXIT
  # Not `exec`: the directory is empty again when the mounts have ended with their namespace.
  unshare --mount --pid --fork --kill-child sh "$0" --in-copy "$copy" "$1"
  exit
fi
if [ "$#" = 3 ]; then
  mount -t tmpfs tmpfs "$2"
  mkdir "$2/upper" "$2/work" "$2/system"
  mount -t overlay overlay -o "lowerdir=/,upperdir=$2/upper,workdir=$2/work" "$2/system"
  mount -t proc proc "$2/system/proc"
  mount --rbind /dev "$2/system/dev"
  mount -t tmpfs tmpfs "$2/system/tmp"
  if [ "$3" = --probe ]; then
    chroot "$2/system" echo 'a copy can be made'
    exit
  fi
  cp "$3" "$2/system/plinth.deb"
  cp "$0" "$2/system/test.sh"
  chroot "$2/system" sh /test.sh --in-copy /plinth.deb
  exit
fi

fail() {
  echo "deb: $1" >&2
  exit 1
}
# Becomes a command as the unit would start it: with the user and the environment of the files that systemd reads.
unit=/usr/lib/systemd/system/plinth.service
setting() {
  cat "$unit" "$unit.d/package.conf" | sed -n "s/^$1=//p" | tail -n 1
}
as_unit() {
  # shellcheck disable=SC2046
  exec setpriv --reuid "$(setting User)" --regid "$(setting Group)" --clear-groups --no-new-privs \
    env --ignore-environment PATH=/usr/bin:/bin $(cat /etc/plinth/environment) "$@"
}

dpkg --install "$2"
[ "$(stat --format '%U %G %a' /var/lib/plinth)" = 'plinth plinth 700' ] || fail 'the data directory is not that of the service'
for link in /etc/systemd/system/*.wants/plinth.*; do
  [ ! -e "$link" ] || fail "$link: the service starts by surprise"
done
for file in /usr/share/man/man1/plinth-serve.1.gz /usr/share/bash-completion/completions/plinth /usr/share/doc/plinth/copyright \
  /usr/share/doc/plinth/README.md /usr/lib/systemd/system/plinth.socket; do
  [ -s "$file" ] || fail "$file is missing"
done
plinth --version
if command -v systemd-analyze > /dev/null; then
  systemd-analyze verify --man=no "$unit" /usr/lib/systemd/system/plinth.socket
fi

mkdir -p /etc/plinth
printf 'PLINTH_LISTEN=127.0.0.1:0\nPLINTH_LAME_DUCK_SECONDS=0\n' > /etc/plinth/environment
(as_unit plinth user create mona --data /var/lib/plinth)
: > /tmp/output
# Split on purpose: a command with its arguments.
# shellcheck disable=SC2046
as_unit $(setting ExecStart) > /tmp/output &
until grep -q http:// /tmp/output; do
  kill -0 $! || fail 'the server has ended'
  sleep 0.02
done
python3 -c '
import json, re, sys, urllib.request
url = re.search(r"http://[\d.:]+", open("/tmp/output").read())[0]
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
assert json.load(opener.open(url + "/users/mona"))["login"] == "mona"
'
kill $!
wait $!

dpkg --remove plinth
[ ! -e /usr/bin/plinth ] || fail 'the program is still there'
dpkg --purge plinth
[ -e /var/lib/plinth/plinth.db ] || fail 'the data is gone'
echo 'deb: installed, used and removed'
