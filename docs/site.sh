#!/usr/bin/env bash
# Builds the documents as a searchable site: docs/site.sh [FOLDER]
# The site is in FOLDER (build/site/html): open its index.html, or serve the folder with any web server. Installs
# mkdocs-material once, by pip, in a virtual environment of its own (build/site/venv); later runs need no network.
# deploy/site/requirements.txt has the versions. The navigation is that of docs/README.md.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
work=$root/build/site
out=$(realpath -m -- "${1:-$work/html}")
requirements=$root/deploy/site/requirements.txt

# Ends with a message. Exit code 77: something that the site needs cannot be installed.
fail() { echo "site.sh: $2" >&2; exit "$1"; }

"$root/deploy/site/pages.py" check || fail 1 "correct the documents first"
mkdir -p "$work"
if ! cmp -s "$requirements" "$work/installed.txt"; then
  python3 -m venv --clear "$work/venv" ||
    fail 77 "python3 cannot make a virtual environment (apt-get install python3-venv)"
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$requirements" ||
    fail 77 "pip cannot install mkdocs-material"
  cp "$requirements" "$work/installed.txt"
fi
"$root/deploy/site/pages.py" stage "$work"
cp "$root"/deploy/site/{mkdocs.yml,navigation.py} "$work"
NO_MKDOCS_2_WARNING=1 "$work/venv/bin/mkdocs" build --strict --quiet --config-file "$work/mkdocs.yml" --site-dir "$out"
echo "$out/index.html"
