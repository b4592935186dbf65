#!/usr/bin/env bash
# Configures and builds one preset of CMakePresets.json: deploy/build.sh [--tests] PRESET [TARGET...]
# --tests adds the tests to a build that was configured without tests. Later builds of the preset also contain them.
# Works from any folder. The number of parallel compilers is limited to one per CPU, and one per 1.5 GB of free memory.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
options=()
if [ "${1-}" = --tests ]; then options=(-DPHOTOFINISH_TESTS=ON); shift; fi
preset=${1:?usage: deploy/build.sh [--tests] PRESET [TARGET...]}
shift
folder=$root/build/$preset
log=$folder/configure.log

configure() { cmake -S "$root" --preset "$preset" "${options[@]}" "$@" >"$log" 2>&1; }

mkdir -p "$folder"
# CMake fails if its cache was made for another folder or generator. Then configures again from scratch.
if ! configure && ! configure --fresh; then
  cat "$log" >&2
  echo "build.sh: cmake could not configure the preset '$preset'" >&2
  exit 1
fi

by_memory=$(awk '/^MemAvailable:/ { print int($2 / 1500000) }' /proc/meminfo 2>/dev/null || true)
jobs=$(nproc)
[ "${by_memory:-$jobs}" -ge "$jobs" ] || jobs=$by_memory
[ "$jobs" -ge 1 ] || jobs=1

# These settings let clones in different folders share ccache's objects. ccache needs CCACHE_SLOPPINESS for precompiled
# headers. CCACHE_DEPEND makes ccache read the included files from the compiler's list instead of preprocessing sources.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime

targets=()
[ $# -eq 0 ] || targets=(--target "$@")
cmake --build "$folder" --parallel "$jobs" "${targets[@]}"
