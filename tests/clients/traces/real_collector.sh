#!/usr/bin/env bash
# Sends traces to OpenTelemetry's own collector: tests/clients/traces/real_collector.sh BINARY [CACHE_DIR]
# The collector's builder builds it from Go's modules (builder.yaml) in CACHE_DIR, once (minutes). real_collector_test.py
# checks what the collector forwards. Exit code: 0 passed, 1 failed, 77 nothing could be run.
set -u

usage="tests/clients/traces/real_collector.sh BINARY [CACHE_DIR]" default_cache=../build/clients
. "$(dirname "$0")/../../support/suite_arguments.sh"
install_seconds=1500 installs_for=collector
. "$here/../../support/installs.sh"

skip() {
  echo "skip  collector: $1"
  exit "$all_skipped"
}

# build_collector FOLDER MANIFEST
build_collector() {
  local version
  version=$(sed -n 's/.*otlpreceiver //p' "$2")
  mkdir -p "$1" && cd "$1" && GOBIN=$1 go install "go.opentelemetry.io/collector/cmd/builder@$version" &&
    CGO_ENABLED=0 ./builder --config "$2" --ldflags='-s -w'
}

command -v python3 >/dev/null || skip "no python3 here"
command -v go >/dev/null || skip "no go here to build it with"
export -f build_collector
install collector "$here/builder.yaml" -- timeout --kill-after=5 "$install_seconds" nice bash -c 'build_collector "$0" "$1"' \
  "$cache/collector" "$here/builder.yaml" || skip "it cannot be built ($cache/collector.log)"
PYTHONDONTWRITEBYTECODE=1 exec python3 "$here/real_collector_test.py" "$cache/collector/otelcol/otelcol" "$binary"
