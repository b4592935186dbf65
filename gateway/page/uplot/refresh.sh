#!/usr/bin/env bash
# Fetches uPlot from npm: gateway/page/uplot/refresh.sh [VERSION]. The default is the newest version.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
npm pack --silent --pack-destination "$scratch" "uplot@${1:-latest}" >/dev/null
tar -xzf "$scratch"/uplot-*.tgz -C "$scratch"
cp "$scratch"/package/dist/{uPlot.iife.min.js,uPlot.min.css} "$scratch/package/LICENSE" "$here/"
head -n 1 "$here/uPlot.iife.min.js"
