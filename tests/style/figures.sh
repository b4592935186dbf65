#!/usr/bin/env bash
# Counts figures about the form of the code, in the files that git knows: tests/style/figures.sh
# The figures are loops of includes and functions over 60 lines (both must be 0), the median length of the product's
# files (under 80 lines), the largest folder (at most 26 files), and the lines of tests per line of code (at least 1.0).
# The benchmark and the simulator do not count, because they are tools for tests. The exit code is 0 only if each figure
# is within its limit.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
result=0

product() { git ls-files -- gateway proxy racing metrics | grep -E '\.[ch]pp$'; }
tested() { product | grep -vE '^gateway/(bench|simulator)/'; }
tests() { git ls-files -- tests | grep -E '\.(cpp|hpp|py|sh)$' | grep -v '^tests/bench/'; }
lines() { xargs cat | wc -l; }
show() {  # prints one figure: NAME FIGURE BOUND IS_WITHIN_BOUND
  printf '%-34s %8s   (%s)\n' "$1" "$2" "$3"
  if [ "$4" -ne 1 ]; then result=1; fi
}
holds() { awk "BEGIN { print ($*) ? 1 : 0 }"; }

# A header and its .cpp are one unit. tsort reports each loop once.
include_loops() {
  product | xargs grep -HoE '^#include "(gateway|proxy|racing|metrics)/[^"]*' \
    | sed -E 's/\.[ch]pp:#include "/ /; s/\.hpp$//' | awk '$1 != $2' | sort -u | tsort 2>&1 >/dev/null | grep -c 'loop' || true
}

# A function begins with a statement that ends with `) ... {`, and ends with a line of only a brace in the same column.
long_functions() {
  product | xargs awk '
    FNR == 1 { delete begin; is_new = 1 }
    is_new { match($0, /^ */); column = RLENGTH; first = FNR }
    /^ *\}$/ {
      match($0, /^ */)
      if (RLENGTH in begin && FNR - begin[RLENGTH] + 1 > 60) print FILENAME ":" begin[RLENGTH]
      for (inner in begin) if (inner + 0 >= RLENGTH) delete begin[inner]  # a lambda ends with more than a brace
    }
    /\)[^;=]*\{$/ { begin[column] = first }
    { is_new = /[;{}:]$|^ *\/\/|^$|^#|^template|; *\/\// }'
}

loops=$(include_loops)
long=$(long_functions)
median=$(product | xargs wc -l | awk '$2 != "total" { print $1 }' | sort -n | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }')
largest=$(git ls-files -- gateway proxy racing metrics tests ':!tests/fuzz/corpus' | xargs -n1 dirname | sort | uniq -c | sort -rn \
  | head -n 1 | awk '{ print $1, $2 }' || true)
ratio=$(awk "BEGIN { printf \"%.2f\", $(tests | lines) / $(tested | lines) }")

show "loops of includes" "$loops" "0" "$(holds "$loops == 0")"
show "functions over 60 lines" "$(grep -c . <<<"$long" || true)" "0${long:+: $long}" "$([ -n "$long" ]; echo $?)"
show "median length of a file" "$median" "under 80" "$(holds "$median < 80")"
show "files in the largest folder" "${largest% *}" "at most 26: ${largest#* }" "$(holds "${largest% *} <= 26")"
show "lines of tests for a line of code" "$ratio" "at least 1.0" "$(holds "$ratio >= 1")"
exit $result
