#!/usr/bin/env bash
# Reads the arguments of a suite that uses programs of other projects: BINARY [CACHE_DIR]
# Source this file with the caller's arguments, after setting `usage` (the usage text) and `default_cache` (the folder
# for downloaded packages). Sets the absolute paths `here`, `binary` and `cache`.
if [ $# -lt 1 ] || [ $# -gt 2 ] || [ ! -x "$1" ]; then
  echo "usage: $usage" >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cache=${2:-$here/../../$default_cache}
mkdir -p "$cache" && cache=$(cd "$cache" && pwd) || exit 1

readonly all_skipped=77  # ctest reads this exit code as "skipped"
