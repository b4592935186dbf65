#!/usr/bin/env bash
# Runs ctest and other suites, adds up their results and prints the totals. Sourced by tests/run.sh and runner/long.sh: the
# caller sets root (the project's folder), calls run_preset and run_suite as often as it likes, then print_totals once.

passed=0
failed=0
broken=()   # builds and suites that did not run at all
wrong=()    # "preset: test"
skipped=()  # "preset: test: reason"
flaky=()    # "preset: program: its failed tests", for programs that failed once and then passed alone
printed=""  # the output of the failed programs

# If more programs than this fail, the reason is not flakiness, and a second run would only double the time.
most_repeated=8

# Runs the entries of a build folder that the options of ctest select: run_ctest FOLDER again|once OPTION...
# With `again`, each failed entry runs once more, alone. Leaves the reports that report.py reads. Returns 0 if every
# failed entry passed the second time, otherwise ctest's exit code of the first run.
run_ctest() {
  local folder=$1 repeat=$2 exit_code=0 pattern entry failed_entries=()
  local testing=$folder/Testing
  shift 2
  local common=(--test-dir "$folder" --output-on-failure --no-tests=error --timeout 300
    --test-output-size-passed 1000000 --test-output-size-failed 4000000)
  rm -rf "$testing/junit.xml" "$testing/junit_again.xml" "$testing/programs" "$testing/programs_first"
  ctest "${common[@]}" --parallel "$(nproc)" --output-junit "$testing/junit.xml" "$@" || exit_code=$?
  if [ "$exit_code" -eq 0 ] || [ "$repeat" = once ] || [ ! -s "$testing/junit.xml" ]; then return "$exit_code"; fi

  mapfile -t failed_entries < <("$root/tests/runner/report.py" --failed-entries "$folder")
  if [ ${#failed_entries[@]} -eq 0 ] || [ ${#failed_entries[@]} -gt "$most_repeated" ]; then return "$exit_code"; fi
  echo
  echo "== once more, alone: ${failed_entries[*]}"
  mkdir -p "$testing/programs" "$testing/programs_first"
  for entry in "${failed_entries[@]}"; do
    if [ -e "$testing/programs/$entry.xml" ]; then mv "$testing/programs/$entry.xml" "$testing/programs_first/"; fi
  done
  pattern=$(IFS='|'; echo "^(${failed_entries[*]})\$")
  exit_code=0
  ctest "${common[@]}" --parallel 1 --output-junit "$testing/junit_again.xml" -R "$pattern" || exit_code=$?
  return "$exit_code"
}

# Builds a preset with all tests or with the given TARGETs, and runs the entries that the options of ctest select:
# run_preset PRESET again|once "TARGET..." OPTION...
run_preset() {
  local preset=$1 repeat=$2 started=$SECONDS
  local folder=$root/build/$preset targets=()
  read -r -a targets <<<"$3"
  shift 3

  echo
  echo "== $preset: building"
  if ! "$root/deploy/build.sh" --tests "$preset" "${targets[@]}"; then
    broken+=("$preset could not be built")
    return
  fi
  echo "== $preset: testing (built in $((SECONDS - started)) s)"
  local exit_code=0
  run_ctest "$folder" "$repeat" "$@" || exit_code=$?
  if [ ! -s "$folder/Testing/junit.xml" ]; then
    broken+=("$preset: ctest left no report")
    return
  fi

  local kind rest good=0 skipped_before=${#skipped[@]} wrong_before=${#wrong[@]}
  while read -r kind rest; do
    case $kind in
      passed) good=$rest ;;
      failed) wrong+=("$preset: $rest") ;;
      skipped) skipped+=("$preset: $rest") ;;
      flaky) flaky+=("$preset: $rest") ;;
    esac
  done < <("$root/tests/runner/report.py" "$folder")
  local bad=$((${#wrong[@]} - wrong_before))
  passed=$((passed + good))
  failed=$((failed + bad))
  if [ "$exit_code" -ne 0 ] && [ "$bad" -eq 0 ]; then broken+=("$preset: ctest ended with $exit_code"); fi
  if [ -s "$folder/Testing/failed.txt" ]; then printed+=$(<"$folder/Testing/failed.txt")$'\n'; fi
  echo "== $preset: $good passed, $bad failed, $((${#skipped[@]} - skipped_before)) skipped in $((SECONDS - started)) s"
}

# Runs a command that ends with its own line `N passed, N failed`: run_suite NAME COMMAND...
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

# Prints the failed, skipped and flaky tests, and then `N passed, N failed`. Returns 1 if anything failed.
print_totals() {
  if [ -n "$printed" ]; then echo "$printed"; fi
  if [ ${#skipped[@]} -gt 0 ]; then
    echo "${#skipped[@]} skipped:"
    printf '  %s\n' "${skipped[@]}"
  fi
  if [ $((${#wrong[@]} + ${#broken[@]})) -gt 0 ]; then printf 'FAILED: %s\n' "${wrong[@]}" "${broken[@]}"; fi
  if [ ${#flaky[@]} -gt 0 ]; then printf 'FLAKY: %s (failed, then passed alone: fix the test)\n' "${flaky[@]}"; fi
  failed=$((failed + ${#broken[@]}))
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}
