#!/usr/bin/env bash
# A long mix of everything through the real binary: tests/soak.sh [MINUTES] [release|asan]
# Uses valid, broken and hostile providers, clients that leave, crawl, flood or send nonsense, scrapes and reloads. Then it
# checks that nothing leaked or was left over, and that the figures equal the simulator's. Ends with
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
# A small quarantine, whatever the caller sets: otherwise the sanitizer keeps freed memory, and growth would show nothing.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1}:quarantine_size_mb=8
export UBSAN_OPTIONS=${UBSAN_OPTIONS-print_stacktrace=1}
exec python3 "$root/tests/soak/soak.py" "$root/build/$preset/gateway/photofinish" \
  "$root/build/release/tests/neighbourhood_hostile" --minutes "$minutes"
