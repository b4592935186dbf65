#!/usr/bin/env bash
# Installs what photofinish is built from, on Debian 12:
# deploy/install.sh [--package | --arm64 | --tests | --long | --fuzz | --bench | --libraries]
# Asks apt only for what dpkg does not know yet, so that a second run takes no time. --package adds what package.sh,
# root.sh and image.sh need, --arm64 (118 MB) also what they need for arm64 on another machine, --tests what only the
# tests need, --long what only tests/run.sh --long does (242 MB), --fuzz (56 MB) what the fuzz targets are built with,
# --bench what tests/bench compares us with, too. --libraries installs nothing and lists what the product is built with.
# (Where there is an init system, Debian starts nginx, Caddy and HAProxy on installation; they are stopped again.)
# This is the one list of packages: run.sh, tests/run.sh and the Dockerfile all come here.
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
  packages+=(prometheus prometheus-alertmanager)  # run by tests/monitoring, on ports of their own
  packages+=(nginx nghttp2-server)  # HTTP/2 of others, for the tests of ours
  packages+=(redis-server)  # run by the tests of the store, on ports of their own
  packages+=(jq)  # for the commands of docs/tutorial.md and docs/production.md
  packages+=(caddy haproxy openssl)  # with nginx, the proxies that tests/proxies puts in front of the gateway
  # The clients' tests run on these; a Node or Python from another source also works.
  command -v npm >/dev/null || packages+=(nodejs npm)
  python3 -c 'import ensurepip' 2>/dev/null || packages+=(python3-venv)
fi
if [ "${1-}" = --long ]; then
  packages+=(chromium fonts-dejavu-core)  # in which tests/page opens the live page and the report of bench
  packages+=(lintian)  # judges the package that tests/shipping makes
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
# Only the programs of these packages are needed: Debian starts each as a service.
for service in nginx caddy haproxy redis-server; do
  if [[ " ${missing[*]} " == *" $service "* ]] && [ -d /run/systemd/system ]; then
    "${as_root[@]}" systemctl disable --now --quiet "$service" || true
  fi
done
