#!/usr/bin/env bash
# Installs the packages that photofinish is built from, on Debian 12: deploy/install.sh [--package | --arm64 | --tests |
# --long | --fuzz | --bench | --libraries] Requests only packages that dpkg does not know yet, so a second run takes no
# time. --package adds the packages for package.sh, root.sh and image.sh. --arm64 (118 MB) also adds those to build for
# arm64 on another machine. --tests adds those for the tests, --long those that only tests/run.sh --long needs (242 MB),
# --fuzz (56 MB) those for the fuzz targets, --bench also the servers that tests/bench compares. --libraries installs
# nothing and lists the packages that the product is built with.
# (If there is an init system, Debian starts nginx, Caddy and HAProxy on installation; this script stops them.)
# This is the only list of packages: run.sh, tests/run.sh and the Dockerfile all use it.
set -euo pipefail

libraries=(
  libboost1.81-dev libjemalloc-dev libssl-dev libc-ares-dev libnghttp2-dev libsimdjson-dev nlohmann-json3-dev
  libspdlog-dev prometheus-cpp-dev libhiredis-dev libcctz-dev libyaml-cpp-dev libcli11-dev zlib1g-dev
)
if [ "${1-}" = --libraries ]; then printf '%s\n' "${libraries[@]}"; exit; fi

packages=(
  g++ cmake ninja-build ccache pkg-config git "${libraries[@]}"
  ca-certificates  # to trust the providers
  tzdata           # for budget_timezone
  curl             # for the line that `serve` prints
)
if [ "${1-}" = --fuzz ]; then packages+=(clang-19 libclang-rt-19-dev); fi
case ${1-} in --package|--arm64|--long) packages+=(dpkg-dev mmdebstrap umoci) ;; esac
case ${1-} in --arm64|--long) packages+=(g++-aarch64-linux-gnu qemu-user-static) ;; esac
if [ "${1-}" = --tests ] || [ "${1-}" = --fuzz ] || [ "${1-}" = --bench ]; then
  packages+=(libgtest-dev libbenchmark-dev libpcre2-dev mold)
  packages+=(prometheus prometheus-alertmanager)  # tests/monitoring runs them on free ports
  packages+=(nginx nghttp2-server)  # HTTP/2 servers that the tests of HTTP/2 talk to
  packages+=(redis-server)  # the tests of the store run it on free ports
  packages+=(jq)  # for the commands of docs/tutorial.md and docs/production.md
  packages+=(caddy haproxy openssl)  # with nginx, the proxies in tests/proxies
  # The clients' tests run on these; a Node or Python from another source also works.
  command -v npm >/dev/null || packages+=(nodejs npm)
  python3 -c 'import ensurepip' 2>/dev/null || packages+=(python3-venv)
fi
if [ "${1-}" = --long ]; then
  packages+=(chromium fonts-dejavu-core)  # tests/page opens the live page and the report of bench in it
  packages+=(lintian)  # checks the package that tests/shipping makes
  packages+=(python3-pip python3-yaml)  # for the generator of the catalogue
fi
if [ "${1-}" = --bench ]; then packages+=(python3 valgrind); fi

fail() { printf 'install.sh: %s\n' "$@" >&2; exit 1; }

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  fail "this is not Debian; please install what corresponds to:" "${packages[*]}"
fi

missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

# shellcheck source=/dev/null
release=$(. /etc/os-release && echo "${ID-} ${VERSION_ID-}")
[ "$release" = "debian 12" ] || echo "install.sh: made for Debian 12, this is '$release': names may differ" >&2

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || fail "neither root nor sudo here; as root: apt-get install ${missing[*]}"
  as_root=(sudo)
fi

apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@"; }

echo "Installing ${missing[*]}"
apt update || echo "install.sh: apt-get update failed; trying with the lists that are here" >&2
apt install -y --no-install-recommends "${missing[@]}" || fail "apt-get could not install: ${missing[*]}"
# Debian starts a service for each of these packages, but only their programs are needed.
for service in nginx caddy haproxy redis-server; do
  if [[ " ${missing[*]} " == *" $service "* ]] && [ -d /run/systemd/system ]; then
    "${as_root[@]}" systemctl disable --now --quiet "$service" || true
  fi
done
