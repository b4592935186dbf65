#!/usr/bin/env bash
# Makes a container image in OCI's own layout: deploy/image.sh [--root FILE] [FOLDER]
# FILE is a root from deploy/root.sh, which the script runs by default. Writes the layout `oci`, and the same as one
# file, photofinish.oci.tar, into FOLDER (build/image):
#   podman load -i build/image/photofinish.oci.tar
#   skopeo copy oci-archive:build/image/photofinish.oci.tar docker://REGISTRY/photofinish:0.2.0
# Needs umoci (deploy/install.sh --package), but neither a registry nor a daemon. The result is like that of
# deploy/Dockerfile.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
root=
if [ "${1-}" = --root ]; then root=$(realpath -- "$2"); shift 2; fi
out=${1:-${here%/deploy}/build/image}
[ -n "$root" ] || root=$("$here/root.sh" | tail -n 1)
mkdir -p "$out"
out=$(cd -- "$out" && pwd -P)

stanza=$(tar -xOf "$root" ./var/lib/dpkg/status.d/photofinish)
version=$(sed -n 's/^Version: //p' <<<"$stanza")
created=$(tar -tvf "$root" --full-time --utc ./usr/bin/photofinish | awk '{ print $4 "T" $5 "Z" }')
rm -rf "$out/oci" "$out/photofinish.oci.tar"
umoci init --layout "$out/oci"
umoci new --image "$out/oci:latest"
umoci raw add-layer --image "$out/oci:latest" --history.created "$created" --history.created_by deploy/root.sh "$root"
umoci config --image "$out/oci:latest" --history.created "$created" --history.created_by deploy/image.sh \
  --created "$created" --os linux --architecture "$(sed -n 's/^Architecture: //p' <<<"$stanza")" \
  --config.user 65532:65532 --config.workingdir /etc/photofinish \
  --config.env PATH=/usr/bin --config.env PHOTOFINISH_LISTEN=0.0.0.0:7777 --config.env XDG_STATE_HOME=/var/lib \
  --config.volume /var/lib/photofinish --config.exposedports 7777/tcp --config.stopsignal SIGTERM \
  --config.entrypoint photofinish --config.cmd serve \
  --config.label org.opencontainers.image.title=photofinish --config.label org.opencontainers.image.version="$version" \
  --config.label org.opencontainers.image.licenses=Apache-2.0
umoci gc --layout "$out/oci"
tar -C "$out/oci" --sort=name --owner=0 --group=0 --numeric-owner --mtime="$created" -cf "$out/photofinish.oci.tar" .
echo "$out/photofinish.oci.tar"
