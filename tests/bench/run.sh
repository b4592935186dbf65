#!/usr/bin/env bash
# photofinish beside nginx and HAProxy, under the same load, in turn: tests/bench/run.sh [--quick] [--rounds N]
# Some of its loads alone, by their names in compare.py: tests/bench/run.sh --rows short_1,whole [--rounds N]
# Two builds of photofinish in turn, seven pairs: tests/bench/run.sh --against OLD_BINARY [--rounds N]
# What a token costs by the APIs of its client and provider, seven rounds: tests/bench/run.sh --apis [--rounds N]
# What 200 access keys with every limit cost, nine rounds: tests/bench/run.sh --limits [--rounds N]
# What an open live page costs at a thousand races a second, nine pairs: tests/bench/run.sh --page [--rounds N]
# Builds the release and the bench's own programs, installs what is compared where it is missing, and prints one table
# and the targets; build/bench holds both, and every figure as JSON. Five rounds take about seven minutes, --quick is one
# round. Everything it starts listens on loopback and is ended by its process id. Meant for a machine at rest:
# compare ratios, and compare them within one run. PHOTOFINISH=BINARY measures another build of photofinish.
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

# The open streams take two descriptors each.
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
