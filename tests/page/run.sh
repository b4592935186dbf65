#!/usr/bin/env bash
# The live page in Debian's Chromium, clicked through as a person would: tests/page/run.sh BINARY [CACHE_DIR]
# PAGE_IMAGES=FOLDER keeps a picture of each view there. Without chromium, node or npm's packages it is skipped, name by
# name. Exit code: 0 passed, 1 failed, 77 nothing could be run.
set -u

usage="tests/page/run.sh BINARY [CACHE_DIR]" default_cache=build/page
. "$(dirname "$0")/../support/suite_arguments.sh"
installs_for=page
. "$here/../support/installs.sh"

readonly test_seconds=240

skip_all() {
  local names=()
  while IFS= read -r name; do names+=("$name"); done < <(sed -n "s/^test('\(.*\)', .*/\1/p" "$here/page_test.mjs")
  for name in "${names[@]}"; do echo "skip  page: $name"; done
  echo "page: 0 passed, 0 failed, ${#names[@]} skipped"
  exit $all_skipped
}

command -v chromium >/dev/null || { echo "page: no chromium here"; skip_all; }
command -v node >/dev/null && command -v npm >/dev/null || { echo "page: no node or no npm here"; skip_all; }
install_packages node "$here" || skip_all
cp "$here"/*.mjs "$here"/*.yaml "$cache/node/" || exit 1

out=$(mktemp)
trap 'rm -f "$out"' EXIT
CHROMIUM=$(command -v chromium) BINARY=$binary timeout --kill-after=5 "$test_seconds" \
  node --test-reporter=tap --test-concurrency=1 "$cache/node/page_test.mjs" >"$out" 2>&1
exit_code=$?
cat "$out"
echo "page: $(grep -c '^ok ' "$out") passed, $(grep -c '^not ok ' "$out") failed"
[ "$exit_code" -eq 0 ]
