#!/usr/bin/env bash
# Tests the live page in Debian's Chromium with clicks, as a person would use it:
#   tests/page/run.sh [--docs] BINARY [CACHE_DIR]
# PAGE_IMAGES=FOLDER stores a picture of each view in the folder. --docs stores the pictures for the documents in
# docs/images. Tests that lack chromium, node or npm's packages are skipped and named. Exit code: 0 passed, 1 failed, 77
# nothing could be run.
set -u

is_for_docs=no
if [ "${1-}" = --docs ]; then is_for_docs=yes; shift; fi
usage="tests/page/run.sh [--docs] BINARY [CACHE_DIR]" default_cache=build/page
. "$(dirname "$0")/../support/suite_arguments.sh"
installs_for=page
. "$here/../support/installs.sh"

readonly test_seconds=300  # time limit for one test file
readonly shown=(now-light:now targets-light:targets routes-light:routes try-raced:try receipt-light:receipt bench-light:bench)

skip_all() {
  local names=()
  while IFS= read -r name; do names+=("$name"); done < <(sed -n "s/^test('\(.*\)', .*/\1/p" "$here"/*_test.mjs)
  for name in "${names[@]}"; do echo "skip  page: $name"; done
  echo "page: 0 passed, 0 failed, ${#names[@]} skipped"
  exit $all_skipped
}

command -v chromium >/dev/null || { echo "page: no chromium here"; skip_all; }
command -v node >/dev/null && command -v npm >/dev/null || { echo "page: no node or no npm here"; skip_all; }
install_packages node "$here" || skip_all
cp "$here"/*.mjs "$here"/*.yaml "$cache/node/" || exit 1

out=$(mktemp)
pictures=$(mktemp -d)
trap 'rm -rf "$out" "$pictures"' EXIT
if [ $is_for_docs = yes ]; then export PAGE_IMAGES=$pictures; fi
exit_code=0
for file in "$here"/*_test.mjs; do
  CHROMIUM=$(command -v chromium) BINARY=$binary timeout --kill-after=5 "$test_seconds" \
    node --test-reporter=tap --test-concurrency=1 "$cache/node/$(basename "$file")" >>"$out" 2>&1 || exit_code=1
done
cat "$out"
if [ $is_for_docs = yes ] && [ $exit_code -eq 0 ]; then
  for each in "${shown[@]}"; do cp "$pictures/${each%:*}.png" "$here/../../docs/images/page-${each#*:}.png" || exit_code=1; done
fi
echo "page: $(grep -c '^ok ' "$out") passed, $(grep -c '^not ok ' "$out") failed"
[ "$exit_code" -eq 0 ]
