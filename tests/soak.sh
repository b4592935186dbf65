#!/usr/bin/env bash
# Runs a long mix of all kinds of traffic through the real binary: tests/soak.sh [MINUTES] [release|asan]
# The providers are valid, broken or hostile. Some clients leave early, read slowly, flood the gateway or send invalid
# requests. Metrics are scraped, and the configuration is reloaded. At the end, checks that no memory leaked, that
# nothing was left open, and that the gateway's figures equal the simulator's figures. Ends with `N passed, N failed`.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
minutes=${1:-5}
preset=${2:-release}
case $preset in
  release|asan) ;;
  *) echo "usage: tests/soak.sh [MINUTES] [release|asan]" >&2; exit 2 ;;
esac

"$root/deploy/install.sh" --tests
"$root/deploy/build.sh" "$preset" photofinish
"$root/deploy/build.sh" --tests release neighbourhood_hostile
# The sanitizer's quarantine keeps freed memory, which would hide growth. Therefore the quarantine is small, whatever
# the caller sets.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1}:quarantine_size_mb=8
export UBSAN_OPTIONS=${UBSAN_OPTIONS-print_stacktrace=1}
exec python3 "$root/tests/soak/soak.py" "$root/build/$preset/gateway/photofinish" \
  "$root/build/release/tests/neighbourhood_hostile" --minutes "$minutes"
