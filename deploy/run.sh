#!/usr/bin/env bash
# Builds photofinish and runs `serve`: deploy/run.sh [options of `photofinish serve`]
# On a fresh Debian 12 it first installs the packages for the build (install.sh). The gateway starts in the caller's
# current folder and reads a photofinish.yaml there. Without that file and without a key, it races simulated providers.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
binary=${here%/deploy}/build/release/gateway/photofinish

"$here/install.sh"
[ -x "$binary" ] || echo "Building photofinish: some minutes the first time, seconds from then on"
"$here/build.sh" release photofinish
exec "$binary" serve "$@"
