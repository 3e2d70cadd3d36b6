#!/bin/sh
# Builds a package for Debian and Ubuntu: build.sh [--binary FILE] [--out DIRECTORY] [--level 0..9]
# The program is target/dist/plinth by default; `cargo xtask dist` builds it. Prints the path of the package.
set -eu

here=$(dirname "$(realpath "$0")")
root=$(realpath "$here/../..")
target=${CARGO_TARGET_DIR:-$root/target}
binary=$target/dist/plinth out=$target/packages/deb level=9
while [ "$#" -gt 0 ]; do
  case $1 in
    --binary) binary=$2 ;;
    --out) out=$2 ;;
    --level) level=$2 ;;
    *) echo "build.sh: unknown option $1" >&2; exit 2 ;;
  esac
  shift 2
done
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' "$root/Cargo.toml")
architecture=$(dpkg --print-architecture)

rm -rf "$out"
tree=$out/tree
# Everything belongs to root in the package; others may read it.
umask 022
put() {
  install -D --mode "$1" "$2" "$tree/$3"
}
put 755 "$binary" usr/bin/plinth
# A debug build is many times larger with debug information; the profile dist has none.
strip "$tree/usr/bin/plinth"
put 644 "$root/packaging/plinth.service" usr/lib/systemd/system/plinth.service
put 644 "$here/package.conf" usr/lib/systemd/system/plinth.service.d/package.conf
put 644 "$root/packaging/plinth.socket" usr/lib/systemd/system/plinth.socket
for page in README.md CHANGELOG.md SECURITY.md; do
  put 644 "$root/$page" "usr/share/doc/plinth/$page"
done
cp -r "$root/docs" "$tree/usr/share/doc/plinth/docs"
{
  echo 'Plinth is licensed under MIT or Apache-2.0, at your option.'
  cat "$root/LICENSE-MIT" "$root/LICENSE-APACHE"
} > "$tree/usr/share/doc/plinth/copyright"

"$binary" manual "$tree/usr/share/man/man1"
gzip --best --no-name "$tree"/usr/share/man/man1/*
for shell in bash:bash-completion/completions/plinth zsh:zsh/vendor-completions/_plinth fish:fish/vendor_completions.d/plinth.fish; do
  file=$tree/usr/share/${shell#*:}
  mkdir -p "$(dirname "$file")"
  "$binary" completions "${shell%%:*}" > "$file"
done
# The manual writes files as private as the program's data.
chmod -R u=rwX,go=rX "$tree"

mkdir "$tree/DEBIAN"
# The newest version of the C library whose symbols the program uses.
libc=$(objdump --dynamic-syms "$binary" | grep -o 'GLIBC_[0-9.]*' | sort --version-sort | tail -n 1 | cut -d _ -f 2)
cat > "$tree/DEBIAN/control" << END
Package: plinth
Version: $version
Architecture: $architecture
Maintainer: The Plinth developers <plinth@example.com>
Section: vcs
Priority: optional
Installed-Size: $(du --summarize --block-size 1024 "$tree/usr" | cut -f 1)
Depends: git, libc6 (>= $libc), libgcc-s1, passwd
Recommends: ca-certificates
Description: self-hosted server with a GitHub-compatible REST API
 One program with SQLite inside, or PostgreSQL, over real Git repositories:
 clone and push over HTTP, pull requests, issues, webhooks, and GitHub's
 authorization rules. For the tests of integrations, and for bots and tools.
END
for script in postinst prerm postrm; do
  install --mode 755 "$here/$script" "$tree/DEBIAN/$script"
done
package=$out/plinth_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zgzip -z"$level" --build "$tree" "$package" >&2
rm -r "$tree"
echo "$package"
