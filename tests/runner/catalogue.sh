#!/usr/bin/env bash
# Checks that the committed catalogue of models is reproducible: tests/runner/catalogue.sh
# Writes the catalogue from its packages twice, and compares both results with the committed files. Downloads the
# packages on the first run. Then prints facts that are becoming old; such facts do not fail the run.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
data=$root/proxy/providers/data
python=python3
python3 -c 'import yaml' 2>/dev/null || python=/usr/bin/python3  # Debian's Python has the package python3-yaml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# check NAME COMMAND... counts one check, which passes if the command succeeds.
check() {
  local name=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL  $name"
  fi
}

for run in first second; do
  mkdir -p "$work/$run"
  check "the $run run writes the catalogue" "$python" "$data/make_catalogue.py" --to "$work/$run"
done
for file in catalogue.json flagships.json addresses.json; do
  check "both runs write the same $file" cmp "$work/first/$file" "$work/second/$file"
  check "$file is committed" cmp "$work/first/$file" "$data/$file"
done
"$python" "$data/make_catalogue.py" --report
echo "$passed passed, $failed failed"
