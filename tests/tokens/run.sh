#!/usr/bin/env bash
# Compares our token counts with those of npm's tiktoken: tests/tokens/run.sh COUNT_FILES [CACHE_DIR]
# Texts whose npm packages are missing are skipped and named. Exit code: 0 passed, 1 failed, 77 nothing could be run.
set -u

usage="tests/tokens/run.sh COUNT_FILES [CACHE_DIR]" default_cache=build/tokens
. "$(dirname "$0")/../support/suite_arguments.sh"

readonly install_seconds=150 compare_seconds=240

# Installs the packages once for each content of the lock file.
install() {
  command -v node >/dev/null && command -v npm >/dev/null || { echo "tokens: no node or no npm here"; return 1; }
  cp "$here"/{package.json,package-lock.json,.npmrc,compare.mjs} "$cache/" || return 1
  local stamp
  stamp=$(sha256sum <"$here/package-lock.json")
  [ "$(cat "$cache/installed" 2>/dev/null)" = "$stamp" ] && return 0
  rm -f "$cache/installed"
  if ! timeout --kill-after=5 "$install_seconds" npm ci --prefix "$cache" --ignore-scripts --no-progress --loglevel=error \
    --fetch-retries=1 --fetch-timeout=30000 >"$cache/npm.log" 2>&1; then
    echo "tokens: npm's packages cannot be installed, the comparison is skipped ($cache/npm.log):"
    tail -n 3 "$cache/npm.log" | sed 's/^/  /'
    return 1
  fi
  echo "$stamp" >"$cache/installed"
}

if ! install; then
  names=()
  while IFS= read -r name; do names+=("$name"); done < <(sed -n "s/^  { name: '\(.*\)', .*/\1/p" "$here/compare.mjs")
  for name in "${names[@]}"; do echo "skip  tokens: $name"; done
  echo "tokens: 0 passed, 0 failed, ${#names[@]} skipped"
  exit $all_skipped
fi
cd "$cache" && exec timeout --kill-after=5 "$compare_seconds" node compare.mjs "$binary"
