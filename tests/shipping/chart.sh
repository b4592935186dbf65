#!/usr/bin/env bash
# Tests the Helm chart: tests/shipping/chart.sh [--build] BINARY [CACHE_DIR]
# Helm renders it; Kubernetes' own schemas (kubernetes-validate from PyPI) and chart_test.py check it. Helm is the program in
# PATH, or the one that --build has built in CACHE_DIR (minutes, once). Exit code: 0 passed, 1 failed, 77 nothing could be run.
set -u

is_building=no
if [ "${1-}" = --build ]; then
  is_building=yes
  shift
fi
usage="tests/shipping/chart.sh [--build] BINARY [CACHE_DIR]" default_cache=build/shipping
. "$(dirname "$0")/../support/suite_arguments.sh"
installs_for=chart
. "$here/../support/installs.sh"

readonly helm_module=helm.sh/helm/v3/cmd/helm@v3.22.0
readonly build_seconds=1500

skip() {
  echo "skip  chart: $1"
  exit "$all_skipped"
}

helm=$(command -v helm || true)
if [ -z "$helm" ]; then
  helm=$cache/helm/helm
  if [ ! -x "$helm" ] && [ "$is_building" = yes ]; then
    command -v go >/dev/null || skip "no helm, and no go to build it with"
    mkdir -p "$cache/helm"
    GOBIN=$cache/helm timeout --kill-after=5 "$build_seconds" nice go install "$helm_module" >"$cache/helm.log" 2>&1 ||
      skip "helm cannot be built ($cache/helm.log)"
  fi
  [ -x "$helm" ] || skip "no helm here (tests/run.sh --long builds it)"
fi
install_venv chart "$here/requirements.txt" || skip "kubernetes-validate cannot be installed"
PYTHONDONTWRITEBYTECODE=1 exec "$cache/chart/bin/python" "$here/chart_test.py" "$helm" "$binary"
