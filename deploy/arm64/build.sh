#!/usr/bin/env bash
# Compiles the release for arm64 on another machine: deploy/arm64/build.sh
# Uses the libraries of Debian 12 for arm64. mmdebstrap extracts them into build/arm64-root, and again only if the list
# of libraries changes. Writes build/arm64/gateway/photofinish and prints its path. Needs deploy/install.sh --arm64 and
# a mirror of Debian 12. The variable DEBIAN_MIRROR selects a mirror other than Debian's own.
set -euo pipefail

deploy=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
build=${deploy%/deploy}/build
root=$build/arm64-root
libraries=$("$deploy/install.sh" --libraries | paste -sd,)

if [ "$(cat "$root/DEBIAN/libraries" 2>/dev/null)" != "$libraries" ]; then
  mkdir -p "$build"
  rm -rf "$root"
  mmdebstrap --quiet --variant=extract --format=directory --architectures=arm64 --include="$libraries" \
    --extract-hook="$deploy/arm64/fill_root.sh \"\$1\"" bookworm "$root" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"} >&2
  echo "$libraries" >"$root/DEBIAN/libraries"
fi
"$deploy/build.sh" arm64 photofinish >&2
echo "$build/arm64/gateway/photofinish"
