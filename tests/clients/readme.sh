#!/usr/bin/env bash
# Runs the code of every row in README's client table against the real gateway (readme_test.py).
#   tests/clients/readme.sh [--long] BINARY [CACHE_DIR]
# --long runs only the rows of large programs. Rows whose packages npm or pip cannot fetch are skipped and named. Exit code: 0
# passed, 1 failed, 77 nothing could be run.
# To raise the versions in readme_requirements.txt and aider_requirements.txt, change the first lines and their dependencies.
set -u

length=
if [ "${1-}" = --long ]; then
  length=--long
  shift
fi
usage="tests/clients/readme.sh [--long] BINARY [CACHE_DIR]" default_cache=build/clients
. "$(dirname "$0")/../support/suite_arguments.sh"
installs_for=readme
. "$here/../support/installs.sh"

if [ -n "$length" ]; then
  install_venv aider "$here/aider_requirements.txt"
  install_agents
else
  install_node
  install_venv python "$here/requirements.txt"
  install_venv frameworks "$here/readme_requirements.txt"
  install_venv conversations "$here/conversations/requirements.txt"
fi
exec python3 "$here/readme_test.py" $length "$binary" "$cache"
