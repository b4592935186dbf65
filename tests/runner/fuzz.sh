#!/usr/bin/env bash
# Builds the fuzz targets and runs each for SECONDS, one after the other: tests/runner/fuzz.sh SECONDS [PART OF]
# PART and OF select the PART-th of OF equal shares of the targets. Inputs of earlier runs are used again. If a target
# fails, its input is stored as build/fuzz/found/TARGET-crash-…
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
seconds=${1:?usage: tests/runner/fuzz.sh SECONDS [PART OF]} part=${2-1} of=${3-1}
# shellcheck source=tests/runner/environment.sh
. "$root/tests/runner/environment.sh"

folder=$root/build/fuzz
found=$folder/found
good=0 bad=0 index=0
"$root/deploy/install.sh" --fuzz
"$root/deploy/build.sh" fuzz fuzz_targets
for corpus in "$root"/tests/fuzz/corpus/*/; do
  target=$(basename "$corpus")
  index=$((index + 1))
  [ $((index % of)) -eq $((part % of)) ] || continue
  mkdir -p "$found/$target"
  echo "== fuzz: $target for $seconds s"
  if "$folder/tests/fuzz/${target}_fuzz" -max_total_time="$seconds" -max_len=4096 -timeout=20 \
    -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$found/$target-" "$found/$target" \
    "$root/tests/fuzz/corpus/$target" >"$folder/$target.log" 2>&1; then
    sed -n 's/^stat::number_of_executed_units: */   inputs: /p' "$folder/$target.log"
    good=$((good + 1))
  else
    bad=$((bad + 1))
    echo "FAIL  $target"
    grep -a -m 3 -E 'broken promise|ERROR|runtime error' "$folder/$target.log" || tail -n 3 "$folder/$target.log"
  fi
done
echo "logs: build/fuzz/*.log"
echo "$good passed, $bad failed"
[ "$bad" -eq 0 ]
