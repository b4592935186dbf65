#!/usr/bin/env bash
# Builds photofinish and serves with it: deploy/run.sh [options of `photofinish serve`]
# On a fresh Debian 12 it installs first what the build needs (install.sh). The gateway starts in the folder this
# is called from, so a photofinish.yaml there is found; without one, and without a key, it races simulated providers.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
binary=${here%/deploy}/build/release/gateway/photofinish

"$here/install.sh"
[ -x "$binary" ] || echo "Building photofinish: some minutes the first time, seconds from then on"
"$here/build.sh" release photofinish
exec "$binary" serve "$@"
