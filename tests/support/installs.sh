#!/usr/bin/env bash
# Installs the packages that the suites need from npm and PyPI into $cache. The packages are installed again if the
# content of their inputs changes. Source this file after setting `here` and `cache` (suite_arguments.sh) and
# `installs_for`, which names the suite in messages.
readonly install_seconds=${install_seconds:-240}  # the time limit for one kind of packages on a slow connection

# install KIND INPUTS... -- COMMAND... runs the command once for each content of the inputs. Prints the reason if it
# fails.
install() {
  local kind=$1 stamp inputs=()
  shift
  while [ "$1" != -- ]; do inputs+=("$1"); shift; done
  shift
  stamp=$(cat "${inputs[@]}" | sha256sum | cut -d' ' -f1)
  [ "$(cat "$cache/$kind.installed" 2>/dev/null)" = "$stamp" ] && return 0
  rm -f "$cache/$kind.installed"
  if ! "$@" >"$cache/$kind.log" 2>&1; then
    echo "$installs_for: what $kind needs cannot be installed, its tests are skipped ($cache/$kind.log):"
    tail -n 3 "$cache/$kind.log" | sed 's/^/  /'
    return 1
  fi
  echo "$stamp" >"$cache/$kind.installed"
}

# Node looks for modules from the folder of the importing file. Therefore the files are copied next to node_modules.
install_node() {
  command -v node >/dev/null && command -v npm >/dev/null || { echo "$installs_for: no node or no npm here"; return 1; }
  mkdir -p "$cache/node" && cp "$here"/{package.json,package-lock.json,.npmrc} "$here"/*.mjs "$cache/node/" || return 1
  cp "$here"/conversations/*.mjs "$cache/node/" 2>/dev/null
  install_packages node "$here"
}

# install_packages KIND FOLDER installs the packages of FOLDER's package-lock.json as $cache/KIND.
install_packages() {
  mkdir -p "$cache/$1" && cp "$2"/{package.json,package-lock.json,.npmrc} "$cache/$1/" || return 1
  install "$1" "$2/package-lock.json" -- timeout --kill-after=5 "$install_seconds" npm ci --prefix "$cache/$1" \
    --ignore-scripts --no-progress --loglevel=error --fetch-retries=1 --fetch-timeout=30000
}

# Codex CLI and Claude Code: 500 MB.
install_agents() {
  command -v python3 >/dev/null && command -v npm >/dev/null || { echo "$installs_for: no python3 or no npm"; return 1; }
  install_packages agents "$here/agents"
}

# build_go FOLDER SOURCES builds the Go program in SOURCES as FOLDER/openai_go.
build_go() { cd "$2" && CGO_ENABLED=0 go build -o "$1/openai_go" .; }

# Builds openai-go as $cache/go/openai_go.
install_go() {
  local sources=$here/agents/openai_go
  command -v python3 >/dev/null && command -v go >/dev/null || { echo "$installs_for: no python3 or no go"; return 1; }
  export -f build_go
  mkdir -p "$cache/go" && install go "$sources"/{main.go,go.mod,go.sum} -- timeout --kill-after=5 1200 \
    nice bash -c 'build_go "$0" "$1"' "$cache/go" "$sources"
}

# make_venv FOLDER REQUIREMENTS creates a virtual environment of Python with these packages.
make_venv() {
  rm -rf "$1" && python3 -m venv "$1" &&
    "$1/bin/pip" install --quiet --disable-pip-version-check --only-binary=:all: --retries 1 --timeout 15 -r "$2"
}

# install_venv KIND REQUIREMENTS creates the virtual environment $cache/KIND with these packages.
install_venv() {
  command -v python3 >/dev/null || { echo "$installs_for: no python3 here"; return 1; }
  export -f make_venv
  install "$1" "$2" -- timeout --kill-after=5 "$install_seconds" bash -c 'make_venv "$0" "$1"' "$cache/$1" "$2"
}
