#!/usr/bin/env bash
# A long mix of everything through the real binary: tests/soak.sh [MINUTES] [release|asan]
# Good, broken and hostile providers, clients that leave, crawl, flood or talk nonsense, scrapes and reloads; then it
# checks that nothing leaked, nothing was left behind, and the figures are the simulator's truth. Ends with
# `N passed, N failed`.
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
# A small quarantine, whatever the caller asks for: else freed memory is held on purpose, and growth would say nothing.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1}:quarantine_size_mb=8
export UBSAN_OPTIONS=${UBSAN_OPTIONS-print_stacktrace=1}
exec python3 "$root/tests/soak/soak.py" "$root/build/$preset/gateway/photofinish" \
  "$root/build/release/tests/neighbourhood_hostile" --minutes "$minutes"
