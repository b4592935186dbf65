#!/usr/bin/env bash
# Builds and passes the tests: tests/run.sh [--quick | --all | --long | --fuzz SECONDS]
# Without an option (or with --quick, the same): the build that deploy/run.sh makes and starts, with every test that needs
# nothing but Debian's packages. --all, what continuous integration runs: also the clients and engines of others, from
# their registries, and two more builds: `asan`, all but those in which programs of others take part, and `tsan`, the
# programs in which threads meet. --long runs what --all leaves out because it takes long: large engines, recordings cut at
# every place, a soak, fuzzing.
# --fuzz builds the fuzz targets with clang and runs each for SECONDS, one after the other; what they find lies in
# build/fuzz/found. Installs on Debian 12 what is missing (deploy/install.sh).
# Ends with what was skipped and `N passed, N failed`; exit code 0 only when everything was built and passed.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
tier=default
builds=(release)
fuzz_seconds=0
usage() { echo "usage: tests/run.sh [--quick | --all | --long | --fuzz SECONDS]" >&2; exit 2; }
case "${1-}" in
  ""|--quick) ;;
  --all) tier=all; builds=(release asan tsan) ;;
  --long) tier=long ;;
  --fuzz) [[ "${2-}" =~ ^[1-9][0-9]*$ ]] || usage; tier=fuzz; fuzz_seconds=$2 ;;
  *) usage ;;
esac

# Labels (tests/CMakeLists.txt): clients and engines come from registries; long is for --long alone; programs of others
# and what measures memory say nothing under sanitizers.
long_fuzz_seconds=120  # each target
long_soak_minutes=10   # each build

# What providers really sent, where it lies beside the project; another folder, or an empty name for none, counts before it.
recorded=$root/../shared/recordings
if [ -z "${PHOTOFINISH_RECORDINGS+set}" ] && [ -d "$recorded" ]; then
  PHOTOFINISH_RECORDINGS=$(cd -- "$recorded" && pwd -P)
  export PHOTOFINISH_RECORDINGS
fi

export ASAN_OPTIONS=${ASAN_OPTIONS-detect_leaks=1:strict_string_checks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS-print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS-second_deadlock_stack=1:halt_on_error=1}

passed=0
failed=0
broken=()   # what could not be built or run at all
wrong=()    # "preset: test"
skipped=()  # "preset: test: reason"
printed=""     # what failed tests printed

run_preset() {
  local preset=$1 started=$SECONDS
  local folder=$root/build/$preset targets=() select=()
  case $preset:$tier in
    asan:*) select=(-LE '^(clients|engines|long|monitoring|neighbourhood|proxies|statistics)$') ;;
    tsan:*) select=(-L '^threads$'); targets=(thread_tests) ;;
    release:default) select=(-LE '^(clients|engines|long)$') ;;
    release:all) select=(-LE '^long$') ;;
    release:long) select=(-L '^long$') ;;
  esac

  echo
  echo "== $preset: building"
  if ! "$root/deploy/build.sh" --tests "$preset" "${targets[@]}"; then
    broken+=("$preset could not be built")
    return
  fi
  echo "== $preset: testing (built in $((SECONDS - started)) s)"
  local report=$folder/Testing/junit.xml exit_code=0
  rm -rf "$report" "$folder/Testing/programs"
  ctest --test-dir "$folder" --parallel "$(nproc)" --output-on-failure --no-tests=error --timeout 300 \
    --test-output-size-passed 1000000 --test-output-size-failed 4000000 --output-junit "$report" "${select[@]}" || exit_code=$?
  if [ ! -s "$report" ]; then
    broken+=("$preset: ctest left no report")
    return
  fi

  local kind rest good=0 before=${#skipped[@]} wrong_before=${#wrong[@]}
  while read -r kind rest; do
    case $kind in
      passed) good=$rest ;;
      failed) wrong+=("$preset: $rest") ;;
      skipped) skipped+=("$preset: $rest") ;;
    esac
  done < <("$root/tests/report.py" "$folder")
  local bad=$((${#wrong[@]} - wrong_before))
  passed=$((passed + good))
  failed=$((failed + bad))
  if [ "$exit_code" -ne 0 ] && [ "$bad" -eq 0 ]; then broken+=("$preset: ctest ended with $exit_code"); fi
  if [ "$bad" -gt 0 ]; then printed+=$(<"$folder/Testing/failed.txt")$'\n'; fi
  echo "== $preset: $good passed, $bad failed, $((${#skipped[@]} - before)) skipped in $((SECONDS - started)) s"
}

# Inputs of earlier runs go on where they were; a target that fails leaves its input as found/TARGET-crash-…
fuzz() {
  local folder=$root/build/fuzz found=$root/build/fuzz/found target good=0 bad=0
  "$root/deploy/install.sh" --fuzz
  "$root/deploy/build.sh" fuzz fuzz_targets
  for target in "$root"/tests/fuzz/corpus/*/; do
    target=$(basename "$target")
    mkdir -p "$found/$target"
    echo "== fuzz: $target for $fuzz_seconds s"
    if "$folder/tests/fuzz/${target}_fuzz" -max_total_time="$fuzz_seconds" -max_len=4096 -timeout=20 \
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
}

# A program that ends with `N passed, N failed` of its own: run_suite NAME COMMAND...
run_suite() {
  local name=$1 log=$root/build/$1.log last
  shift
  mkdir -p "$root/build"
  echo
  echo "== $name"
  "$@" 2>&1 | tee "$log" || true
  last=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1 || true)
  if [ -z "$last" ]; then
    broken+=("$name did not end (build/$name.log)")
    return
  fi
  passed=$((passed + $(cut -d ' ' -f 1 <<<"$last")))
  failed=$((failed + $(cut -d ' ' -f 3 <<<"$last")))
  while IFS= read -r line; do wrong+=("$name: $line"); done < <(sed -n 's/^FAIL  //p' "$log")
}

if [ "$tier" = fuzz ]; then fuzz; exit; fi
"$root/deploy/install.sh" --tests
[ "$tier" != long ] || "$root/deploy/install.sh" --long
for preset in "${builds[@]}"; do run_preset "$preset"; done
if [ "$tier" = long ]; then
  fuzz_seconds=$long_fuzz_seconds
  run_suite fuzz fuzz
  run_suite soak-release "$root/tests/soak.sh" "$long_soak_minutes" release
  run_suite soak-asan "$root/tests/soak.sh" "$long_soak_minutes" asan
fi

echo
echo "logs: build/{$(IFS=,; echo "${builds[*]}")}/Testing"
if [ "$tier" = default ]; then
  echo "not in this run: clients and engines of others, sanitizers (--all); large engines, every cut of recordings, soaks, fuzzing (--long)"
fi
if [ -n "$printed" ]; then echo "$printed"; fi
if [ ${#skipped[@]} -gt 0 ]; then
  echo "${#skipped[@]} skipped:"
  printf '  %s\n' "${skipped[@]}"
fi
if [ $((${#wrong[@]} + ${#broken[@]})) -gt 0 ]; then printf 'FAILED: %s\n' "${wrong[@]}" "${broken[@]}"; fi
failed=$((failed + ${#broken[@]}))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
