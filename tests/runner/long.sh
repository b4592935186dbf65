#!/usr/bin/env bash
# Runs the tests that take long, in parts of at most an hour: tests/runner/long.sh [PART | list | summary]
# Without PART, runs all parts, one after the other. `list` prints the parts. `summary` adds up the parts that were run
# on the present commit (build/long/COMMIT/PART), and names the parts that were not run. A commit with uncommitted
# changes has its own folder. Each part and the summary end with `N passed, N failed`.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
parts=(catalogue clients engines fleet packages recordings fuzz-1 fuzz-2 soak-release soak-asan)
declare -A about=(
  [catalogue]="the catalogue of models is the one that its generator writes; what of it gets old"
  [clients]="large clients and agents, OpenTelemetry's collector, the live page in a browser"
  [engines]="large engines; providers that slow down and fail on schedule"
  [fleet]="several gateways that share a store, at full scale"
  [packages]="the Debian package, the container's root and image, arm64, the chart"
  [recordings]="recorded answers, cut at every place"
  [fuzz-1]="the first half of the fuzz targets, two minutes each"
  [fuzz-2]="the second half"
  [soak-release]="ten minutes of everything, as users run it"
  [soak-asan]="the same under the address sanitizer"
)
fuzz_seconds=120
soak_minutes=10

# shellcheck source=tests/runner/environment.sh
. "$root/tests/runner/environment.sh"
# shellcheck source=tests/runner/totals.sh
. "$root/tests/runner/totals.sh"

commit=$(git -C "$root" describe --always --abbrev=12 --dirty --exclude '*' 2>/dev/null || echo unknown)
results=${PHOTOFINISH_LONG_RESULTS-$root/build/long}/$commit

# ctest's entries of a part have the label long_PART (tests/CMakeLists.txt).
run_part() {
  case $1 in
    clients|engines|fleet|packages) run_preset release again photofinish -L "^long_$1\$" ;;
    catalogue) run_suite catalogue "$root/tests/runner/catalogue.sh" ;;
    recordings) run_preset release again "unit_proxy unit_gateway" -L "^long_$1\$" ;;
    fuzz-1) run_suite fuzz-1 "$root/tests/runner/fuzz.sh" "$fuzz_seconds" 1 2 ;;
    fuzz-2) run_suite fuzz-2 "$root/tests/runner/fuzz.sh" "$fuzz_seconds" 2 2 ;;
    soak-*) run_suite "$1" "$root/tests/soak.sh" "$soak_minutes" "${1#soak-}" ;;
  esac
}

# Runs one part in its own process, and stores the last lines of its output.
record_part() {
  local part=$1 started=$SECONDS exit_code=0
  mkdir -p "$results"
  "$0" "$part" --here 2>&1 | tee "$results/$part.log" || exit_code=$?
  {
    grep -a -E '^(FAILED|FLAKY): ' "$results/$part.log" || true
    echo "$((SECONDS - started)) s"
    grep -a -E '^[0-9]+ passed, [0-9]+ failed$' "$results/$part.log" | tail -n 1 || true
  } >"$results/$part"
  return "$exit_code"
}

print_summary() {
  local part last missing=()
  echo "commit $commit"
  for part in "${parts[@]}"; do
    if [ ! -s "$results/$part" ]; then missing+=("$part"); continue; fi
    last=$(tail -n 1 "$results/$part")
    if ! [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
      broken+=("$part did not end")
      continue
    fi
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
    printf '%-14s %s, %s\n' "$part" "$last" "$(grep -E '^[0-9]+ s$' "$results/$part")"
    sed -n "s/^FAILED: /FAILED: $part: /p; s/^FLAKY: /FLAKY: $part: /p" "$results/$part"
  done
  if [ ${#missing[@]} -gt 0 ]; then broken+=("not run on this commit: ${missing[*]}"); fi
  print_totals
}

case "${1-}" in
  list) for part in "${parts[@]}"; do printf '%-14s %s\n' "$part" "${about[$part]}"; done ;;
  summary) print_summary ;;
  "")
    for part in "${parts[@]}"; do record_part "$part" || true; done
    print_summary
    ;;
  *)
    if [ -z "${about[$1]-}" ]; then
      echo "long.sh: '$1' is not a part; the parts are: ${parts[*]}" >&2
      exit 2
    fi
    if [ "${2-}" != --here ]; then record_part "$1"; exit; fi
    "$root/deploy/install.sh" --tests
    "$root/deploy/install.sh" --long
    run_part "$1"
    print_totals
    ;;
esac
