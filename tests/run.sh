#!/usr/bin/env bash
# Builds and runs the tests: tests/run.sh [--quick | --all | --long [PART | list | summary] | --fuzz SECONDS]
# Without an option (--quick is the same), runs every test that needs only Debian's packages, in the build that
# deploy/run.sh makes and starts.
# --all runs the tests of continuous integration, in three builds. `asan` has all programs except those that use
# programs of other projects, and `tsan` has the programs with several threads. `release` has the tests that the
# sanitizer builds omit: clients and engines of other projects, which are downloaded from registries, and tests that
# measure or start the binary.
# A program that fails runs once more, alone. If it then passes, the run passes, and the last lines name the program as
# flaky.
# --long runs the tests that --all omits because they take long, in parts of at most an hour: tests/runner/long.sh.
# --fuzz builds the fuzz targets with clang and runs each for SECONDS, one after the other. Inputs that fail a check are
# left in build/fuzz/found.
# Installs missing packages on Debian 12 (deploy/install.sh).
# The last lines are the skipped tests and `N passed, N failed`. The exit code is 0 only if everything was built and
# passed.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
usage() { echo "usage: tests/run.sh [--quick | --all | --long [PART | list | summary] | --fuzz SECONDS]" >&2; exit 2; }
tier=default
case "${1-}" in
  ""|--quick) ;;
  --all) tier=all ;;
  --long) shift; exec "$root/tests/runner/long.sh" "$@" ;;
  --fuzz) [[ "${2-}" =~ ^[1-9][0-9]*$ ]] || usage; exec "$root/tests/runner/fuzz.sh" "$2" ;;
  *) usage ;;
esac

# shellcheck source=tests/runner/environment.sh
. "$root/tests/runner/environment.sh"
# shellcheck source=tests/runner/totals.sh
. "$root/tests/runner/totals.sh"

# tests/CMakeLists.txt sets the labels. The programs of `clients` and `engines` come from registries, `fleet` takes
# minutes, and `long` is only for --long. Tests that use programs of other projects or measure memory do not run under
# the sanitizers, because they would show nothing there.
"$root/deploy/install.sh" --tests
if [ "$tier" = all ]; then
  run_preset release again optimized_tests \
    -L '^(clients|engines|fleet|monitoring|neighbourhood|optimized|proxies|statistics)$' -LE '^long$'
  run_preset asan again "" -LE '^(clients|engines|fleet|long|monitoring|neighbourhood|proxies|statistics)$'
  run_preset tsan again thread_tests -L '^threads$'
  logs="build/{release,asan,tsan}/Testing"
else
  run_preset release once "" -LE '^(clients|engines|fleet|long)$'
  logs="build/release/Testing"
fi

echo
echo "logs: $logs"
if [ "$tier" = default ]; then
  echo "not in this run: clients and engines of others, a fleet's troubles, sanitizers (--all);" \
    "large engines, every cut of recordings, soaks, fuzzing (--long)"
fi
print_totals
