#!/usr/bin/env bash
# Compares photofinish with nginx and HAProxy under the same load, in turn: tests/bench/run.sh [--quick] [--rounds N]
# Runs only some loads, by their names in compare.py: tests/bench/run.sh --rows short_1,whole [--rounds N]
# Compares two builds of photofinish in turn, in seven pairs: tests/bench/run.sh --against OLD_BINARY [--rounds N]
# Measures the cost of a token for each pair of client's API and provider's API, in seven rounds:
#   tests/bench/run.sh --apis [--rounds N]
# Measures the cost of 200 access keys with every limit, in nine rounds: tests/bench/run.sh --limits [--rounds N]
# Measures the cost of an open live page at a thousand races per second, in nine pairs:
#   tests/bench/run.sh --page [--rounds N]
# Builds the release and the programs of the benchmark, and installs missing servers. Prints one table and the targets,
# and stores both in build/bench, with every figure as JSON. Five rounds take about seven minutes; --quick is one round.
# All servers listen on loopback and are ended by their process ids. Use an idle machine. Compare only ratios from the
# same run. PHOTOFINISH=BINARY measures another build of photofinish.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
rounds=""
rows=""
old=""
is_page=no
is_apis=no
is_limits=no
usage() {
  echo "usage: tests/bench/run.sh [--quick] [--rounds N] [--rows NAME,NAME | --against BINARY | --page | --apis | --limits]" >&2
  exit 2
}
while [ $# -gt 0 ]; do
  case $1 in
    --quick) rounds=1 ;;
    --rounds) rounds=${2:?--rounds takes a number}; shift ;;
    --rows) rows=${2:?--rows takes names}; shift ;;
    --page) is_page=yes ;;
    --apis) is_apis=yes ;;
    --limits) is_limits=yes ;;
    --against) old=${2:?--against takes a binary}; shift ;;
    *) usage ;;
  esac
  shift
done

"$root/deploy/install.sh" --bench
if [ -z "${PHOTOFINISH-}" ]; then
  "$root/deploy/build.sh" release photofinish
  PHOTOFINISH=$root/build/release/gateway/photofinish
fi
"$root/deploy/build.sh" --tests release bench_provider bench_load bench_floor

# Each open stream needs two file descriptors.
ulimit -n "$(ulimit -Hn)"
export PYTHONDONTWRITEBYTECODE=1
tools=$root/build/release/tests
if [ -n "$old" ]; then
  exec python3 "$root/tests/bench/versions.py" --pairs "${rounds:-7}" --old "$old" --new "$PHOTOFINISH" --tools "$tools" \
    --out "$root/build/bench"
fi
if [ $is_apis = yes ]; then
  exec python3 "$root/tests/bench/apis.py" --rounds "${rounds:-7}" --photofinish "$PHOTOFINISH" --out "$root/build/bench"
fi
if [ $is_limits = yes ]; then
  exec python3 "$root/tests/bench/limits.py" --rounds "${rounds:-9}" --photofinish "$PHOTOFINISH" --tools "$tools" \
    --out "$root/build/bench"
fi
if [ $is_page = yes ]; then
  exec python3 "$root/tests/bench/open_page.py" --pairs "${rounds:-9}" --photofinish "$PHOTOFINISH" --tools "$tools" \
    --out "$root/build/bench"
fi
exec python3 "$root/tests/bench/compare.py" --rounds "${rounds:-5}" --rows "$rows" --photofinish "$PHOTOFINISH" --tools "$tools" \
  --out "$root/build/bench"
