#!/usr/bin/env bash
# Tests real inference engines behind the real gateway (engines_test.py), with random models that the test makes.
#   tests/engines/run.sh [--long] BINARY [CACHE_DIR]
# Without --long, tests llama.cpp's server and MLX. With --long, tests llama.cpp's server and Hugging Face's server,
# whose wheels (PyTorch) take gigabytes. Engines that pip cannot fetch are skipped and named. Exit code: 0 passed, 1
# failed, 77 nothing could be run.
# To raise the versions in requirements/*.txt, change the first lines and their dependencies.
set -u

engines=(llama-cpp mlx)
if [ "${1-}" = --long ]; then
  engines=(llama-cpp transformers)
  shift
fi
usage="tests/engines/run.sh [--long] BINARY [CACHE_DIR]" default_cache=build/engines
. "$(dirname "$0")/../support/suite_arguments.sh"
installs_for=engines
install_seconds=240
if [ "${engines[1]}" = transformers ]; then install_seconds=900; fi
. "$here/../support/installs.sh"

ready=()
for engine in "${engines[@]}"; do
  if install_venv "$engine" "$here/requirements/$engine.txt"; then
    ready+=("$engine")
  else
    echo "skip  engines: $engine: its wheels cannot be installed here"
  fi
done
[ ${#ready[@]} -gt 0 ] || exit $all_skipped
exec python3 "$here/engines_test.py" "$binary" "$cache" "${ready[@]}"
