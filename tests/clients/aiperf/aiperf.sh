#!/usr/bin/env bash
# Compares `photofinish bench` with NVIDIA's AIPerf at the same simulated endpoint: their figures must agree within 3 %.
#   tests/clients/aiperf/aiperf.sh BINARY [CACHE_DIR]
# If pip cannot fetch AIPerf (1.2 GB with its dependencies), the comparison is skipped, and each figure is named.
# Exit code: 0 agreed, 1 did not, 77 skipped. To raise the version, change the first line of requirements.txt and the rest.
set -u

usage="tests/clients/aiperf/aiperf.sh BINARY [CACHE_DIR]" default_cache=../build/clients
. "$(dirname "$0")/../../support/suite_arguments.sh"

readonly install_seconds=300 run_seconds=150
readonly concurrency=4 requests=24 tokens=50
scratch=$(mktemp -d)
sim=
trap 'stop_sim; rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM

stop_sim() {
  [ -n "$sim" ] || return 0
  kill -KILL "$sim" 2>/dev/null
  wait "$sim" 2>/dev/null
  sim=
}

# A TTFT of 2 s: the delays that a busy machine adds to a few wake-ups of either tool stay small in comparison.
start_sim() {
  "$binary" sim --listen 127.0.0.1:0 --ttft 2s --ttft-sigma 0 --stall-share 0 --tps 50 --tokens "$tokens" \
    >"$scratch/sim.out" 2>"$scratch/sim.err" &
  sim=$!
  for _ in $(seq 200); do
    url=$(head -n 1 "$scratch/sim.out")
    [ -n "$url" ] && return 0
    sleep 0.05
  done
  echo "aiperf: the simulator did not start" >&2
  return 1
}

make_venv() {
  rm -rf "$cache/aiperf" && python3 -m venv "$cache/aiperf" &&
    "$cache/aiperf/bin/pip" install --quiet --disable-pip-version-check --no-compile --only-binary=:all: --retries 1 \
      --timeout 30 -r "$here/requirements.txt"
}

# Installs AIPerf once for each content of the requirements.
install_aiperf() {
  command -v python3 >/dev/null || { echo "aiperf: no python3 here"; return 1; }
  local stamp
  stamp=$(sha256sum <"$here/requirements.txt")
  [ "$(cat "$cache/aiperf.installed" 2>/dev/null)" = "$stamp" ] && return 0
  rm -f "$cache/aiperf.installed"
  export here cache
  export -f make_venv
  if ! timeout --kill-after=5 "$install_seconds" bash -c make_venv >"$cache/aiperf.log" 2>&1; then
    echo "aiperf: AIPerf cannot be installed, the comparison is skipped ($cache/aiperf.log):"
    tail -n 3 "$cache/aiperf.log" | sed 's/^/  /'
    return 1
  fi
  echo "$stamp" >"$cache/aiperf.installed"
}

run_bench() {
  timeout --kill-after=5 "$run_seconds" "$binary" bench "$url" --concurrency "$concurrency" --requests "$requests" \
    --osl "$tokens" --json "$scratch/ours.json" >"$scratch/ours.out" 2>&1 && return 0
  echo "aiperf: photofinish bench failed:" && cat "$scratch/ours.out"
  return 1
}

# AIPerf needs a tokenizer for its prompts: the tokens of this tokenizer are bytes. Outputs are counted by usage.
run_aiperf() {
  "$cache/aiperf/bin/python" "$here/compare.py" make-tokenizer "$scratch/bytes" >"$scratch/theirs.out" 2>&1 &&
    (cd "$scratch" && env HOME="$scratch" HF_HOME="$scratch/hf" HF_ENDPOINT=http://127.0.0.1:9 \
      timeout --kill-after=5 "$run_seconds" "$cache/aiperf/bin/aiperf" profile --model sim-model --endpoint-type chat \
      --streaming --url "${url%/v1}" --concurrency "$concurrency" --request-count "$requests" \
      --warmup-request-count "$concurrency" --isl 256 --osl "$tokens" --tokenizer "$scratch/bytes" \
      --use-server-token-count --random-seed 1 --ui none --artifact-dir "$scratch/theirs" >>"$scratch/theirs.out" 2>&1) &&
    return 0
  echo "aiperf: AIPerf failed:" && tail -n 30 "$scratch/theirs.out"
  return 1
}

if ! install_aiperf; then
  python3 "$here/compare.py" names 2>/dev/null | sed 's/^/skip  aiperf: /'
  exit $all_skipped
fi
start_sim && run_bench && run_aiperf || exit 1
python3 "$here/compare.py" compare "$scratch/ours.json" "$scratch/theirs/profile_export_aiperf.json"
