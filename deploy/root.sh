#!/usr/bin/env bash
# Makes the root of a container from Debian packages: deploy/root.sh [--deb FILE] [FOLDER]
# It contains the package FILE (default: the result of deploy/package.sh), the libraries that it depends on and the
# certificate authorities for providers, but no shell, apt or dpkg. Writes root.tar and its bill of materials,
# sbom.spdx.json, into FOLDER (build/image). Needs mmdebstrap (deploy/install.sh --package) and a mirror of Debian 12.
# Runs as root, or as a user with a range of ids in /etc/subuid. DEBIAN_MIRROR names a mirror other than Debian's own.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
deb=
if [ "${1-}" = --deb ]; then deb=$(realpath -- "$2"); shift 2; fi
out=${1:-${here%/deploy}/build/image}
[ -n "$deb" ] || deb=$("$here/package.sh" | tail -n 1)
mkdir -p "$out"
out=$(cd -- "$out" && pwd -P)

# If the caller is not root, another user reads these files.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 0755 "$scratch"
install -m 0644 "$deb" "$scratch/photofinish.deb"
install -m 0755 "$here/package/fill_root.sh" "$scratch/fill_root.sh"

SOURCE_DATE_EPOCH=$(dpkg-deb --fsys-tarfile "$deb" | tar -tv --full-time --utc ./usr/bin/photofinish |
  awk '{ print $4 " " $5 "Z" }' | date -u -f - +%s)
export SOURCE_DATE_EPOCH

# "libc6 (>= 2.34), libssl3 (>= 3.0.0), ca-certificates, tzdata": fill_root.sh copies only parts of the last two.
libraries=$(dpkg-deb -f "$deb" Depends | sed 's/ *([^)]*)//g; s/ //g; s/,\?ca-certificates//; s/,\?tzdata//')
mmdebstrap --quiet --variant=extract --format=tar --skip=output/dev,cleanup \
  --architectures="$(dpkg-deb -f "$deb" Architecture)" --include="$libraries" \
  --extract-hook="$scratch/fill_root.sh \"\$1\" $scratch/photofinish.deb" \
  bookworm "$out/root.tar" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"} >&2
"$here/package/sbom.py" "$out/root.tar" >"$out/sbom.spdx.json"
echo "$out/root.tar"
