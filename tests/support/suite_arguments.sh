#!/usr/bin/env bash
# What a suite in which programs of others take part is called with: BINARY [CACHE_DIR]. Sourced, with the caller's
# arguments, once `usage` says how it is called, and `default_cache` where what it fetches is kept.
# Sets `here`, `binary` and `cache`, all absolute.
if [ $# -lt 1 ] || [ $# -gt 2 ] || [ ! -x "$1" ]; then
  echo "usage: $usage" >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cache=${2:-$here/../../$default_cache}
mkdir -p "$cache" && cache=$(cd "$cache" && pwd) || exit 1

readonly all_skipped=77  # what ctest takes for "skipped"
