#!/bin/sh
# Installs apostille into ~/.local/bin, for you alone and without root.
#
#     sh install.sh [--to DIR] [--from DIR|URL]
#
#   --to DIR     another folder than ~/.local/bin (or APOSTILLE_BIN_DIR)
#   --from …     where the packages are: a folder, or an address (or APOSTILLE_RELEASES)
#
# The package is compared with its SHA-256 before anything is unpacked. The digests stand in this script when it comes with a
# release; else they are read from SHA256SUMS beside the packages. What differs is not installed.
set -eu

# Filled in by packaging/build.
VERSION=''
RELEASES=''
SUMS=''

VERSION="${APOSTILLE_VERSION:-$VERSION}"
RELEASES="${APOSTILLE_RELEASES:-$RELEASES}"
folder="${APOSTILLE_BIN_DIR:-${HOME:?HOME is not set}/.local/bin}"

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case "$1" in
    --to) folder="${2:?--to needs a folder}"; shift 2 ;;
    --from) RELEASES="${2:?--from needs a folder or an address}"; shift 2 ;;
    -h | --help) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) fail "unknown argument $1; see --help" ;;
  esac
done
[ -n "$RELEASES" ] || fail "where are the packages? --from DIR|URL says it"
[ -n "$VERSION" ] || fail "which version? APOSTILLE_VERSION says it"

find_target() {
  case "$(uname -s)/$(uname -m)" in
    Linux/x86_64 | Linux/amd64) echo x86_64-unknown-linux-gnu ;;
    Linux/aarch64 | Linux/arm64) echo aarch64-unknown-linux-gnu ;;
    Darwin/arm64) echo aarch64-apple-darwin ;;
    Darwin/x86_64) echo x86_64-apple-darwin ;;
    *) fail "there is no package for $(uname -s) on $(uname -m); cargo install apostille builds it" ;;
  esac
}

# fetch NAME FILE: from the folder or the address into a file.
fetch() {
  case "$RELEASES" in
    https://* | http://127.0.0.1:* | http://localhost:*)
      if command -v curl >/dev/null; then
        curl --fail --silent --show-error --location --output "$2" "${RELEASES%/}/$1" || fail "$1 could not be fetched from $RELEASES"
      elif command -v wget >/dev/null; then
        wget --quiet --output-document="$2" "${RELEASES%/}/$1" || fail "$1 could not be fetched from $RELEASES"
      else
        fail "neither curl nor wget is installed"
      fi ;;
    *://*) fail "$RELEASES is not an https address" ;;
    *) cp "$RELEASES/$1" "$2" || fail "$1 is not in $RELEASES" ;;
  esac
}

digest() {
  if command -v sha256sum >/dev/null; then sha256sum "$1" | cut -d' ' -f1
  elif command -v shasum >/dev/null; then shasum -a 256 "$1" | cut -d' ' -f1
  elif command -v openssl >/dev/null; then openssl dgst -sha256 -r "$1" | cut -d' ' -f1
  else fail "nothing here computes SHA-256: sha256sum, shasum and openssl are missing"
  fi
}

target="$(find_target)"
name="apostille-$VERSION-$target"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

fetch "$name.tar.gz" "$scratch/package.tar.gz"
if [ -z "$SUMS" ]; then
  fetch SHA256SUMS "$scratch/sums"
  SUMS="$(cat "$scratch/sums")"
fi
expected="$(printf '%s\n' "$SUMS" | sed -n "s/^\([0-9a-f]\{64\}\)  $name\.tar\.gz\$/\1/p")"
[ -n "$expected" ] || fail "no digest is known for $name.tar.gz"
found="$(digest "$scratch/package.tar.gz")"
[ "$found" = "$expected" ] || fail "$name.tar.gz is not what was released: its SHA-256 is $found and should be $expected; nothing was installed"

tar -xzf "$scratch/package.tar.gz" -C "$scratch"
"$scratch/$name/apostille" --version >/dev/null || fail "the program does not run here (an older C library?); cargo install apostille builds it; nothing was installed"
mkdir -p "$folder"
# Renamed into place: whoever runs the old one goes on with it.
cp "$scratch/$name/apostille" "$folder/.apostille.$$"
chmod 755 "$folder/.apostille.$$"
mv -f "$folder/.apostille.$$" "$folder/apostille"

printf 'installed %s/apostille (%s)\n' "$folder" "$VERSION"
case ":$PATH:" in
  *":$folder:"*) printf 'next: apostille init, in a repository\n' ;;
  *) printf 'next: put %s on your PATH, then apostille init, in a repository\n' "$folder" ;;
esac
