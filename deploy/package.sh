#!/usr/bin/env bash
# Makes a Debian package: deploy/package.sh [--binary FILE | --arm64] [FOLDER]
# Builds the preset `release`, or uses FILE, which must run on this machine. Writes
# photofinish_VERSION_ARCHITECTURE.deb into FOLDER (build/package) and prints its path. The same commit gives the same
# bytes. --arm64 makes the package for arm64 on another machine, with the binary of arm64/build.sh (deploy/install.sh
# --arm64).
# Until CHANGELOG.md contains the date of a release, its version is 0.2.0~DAY.COMMIT, which is older than the release.
# DEBFULLNAME and DEBEMAIL are the package's maintainer. RUNBOOKS is the URL at which the alerts' links begin; default:
# the pages in the package. Needs dpkg-dev (deploy/install.sh --package).
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
root=${here%/deploy}
binary=
foreign_root=  # folder of another architecture's libraries
if [ "${1-}" = --binary ]; then
  binary=$(realpath -- "$2")
  shift 2
elif [ "${1-}" = --arm64 ]; then
  binary=$("$here/arm64/build.sh")
  foreign_root=$root/build/arm64-root
  shift
fi
out=${1:-$root/build/package}
maintainer="${DEBFULLNAME:-photofinish maintainers} <${DEBEMAIL:-maintainers@photofinish.example}>"

if [ -z "$binary" ]; then
  "$here/build.sh" release photofinish >&2
  binary=$root/build/release/gateway/photofinish
fi
mkdir -p "$out"
out=$(cd -- "$out" && pwd -P)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/debian/photofinish

# All times in the package are the time of the commit.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
day=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d)
architecture=$(dpkg --print-architecture) run=() strip=strip shlibs_options=()
if [ -n "$foreign_root" ]; then
  architecture=arm64 run=(qemu-aarch64-static -L "$foreign_root") strip=aarch64-linux-gnu-strip
  shlibs_options=(-S"$foreign_root")
  export DEB_HOST_ARCH=arm64  # for dpkg-shlibdeps
fi

# Reads "photofinish 0.2.0 (0123456789ab)".
read -r _ version commit _ < <("${run[@]}" "$binary" version)
commit=$(tr -dc '[:alnum:]' <<<"$commit")
if grep -m 1 '^## ' "$root/CHANGELOG.md" | grep -q unreleased; then version+="~$day.$commit"; fi
version+=-0upstream1  # lower than -1, the revision of a package from Debian

# put MODE FILE PATH: adds the file to the package; - is standard input.
put() {
  if [ "$2" = - ]; then
    install -D -m "$1" /dev/stdin "$tree/$3"
  else
    install -D -m "$1" "$2" "$tree/$3"
  fi
}
packed() { gzip -9n; }

put 0755 "$binary" usr/bin/photofinish
"$strip" --strip-unneeded --remove-section=.comment --remove-section=.note "$tree/usr/bin/photofinish"
put 0644 "$here/package/photofinish.yaml" etc/photofinish/photofinish.yaml
put 0644 "$here/photofinish.service" lib/systemd/system/photofinish.service
put 0644 "$here/photofinish.socket" lib/systemd/system/photofinish.socket
"${run[@]}" "$binary" man | packed | put 0644 - usr/share/man/man1/photofinish.1.gz
"${run[@]}" "$binary" completion bash | put 0644 - usr/share/bash-completion/completions/photofinish
"${run[@]}" "$binary" completion zsh | put 0644 - usr/share/zsh/vendor-completions/_photofinish
"${run[@]}" "$binary" completion fish | put 0644 - usr/share/fish/vendor_completions.d/photofinish.fish
put 0644 "$here/package/copyright" usr/share/doc/photofinish/copyright
packed <"$root/CHANGELOG.md" | put 0644 - usr/share/doc/photofinish/changelog.gz
packed <<END | put 0644 - usr/share/doc/photofinish/changelog.Debian.gz
photofinish ($version) unstable; urgency=medium

  * What has changed: /usr/share/doc/photofinish/changelog.gz.

 -- $maintainer  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
END
for file in $(cd "$here" && echo examples/*.yaml prometheus/*.yml prometheus/*.py prometheus/templates/*.yml \
  alertmanager/*.yml grafana/dashboards/*.json); do
  put 0644 "$here/$file" "usr/share/doc/photofinish/examples/${file#examples/}"
done
for file in $(cd "$root" && echo docs/*.md docs/*/*.md docs/images/*); do
  put 0644 "$root/$file" "usr/share/doc/photofinish/$file"
done
# The links of alerts must lead to pages that exist.
runbooks=${RUNBOOKS:-file:///usr/share/doc/photofinish/docs/runbooks}
for file in "$here"/prometheus/rules/*.yml; do
  sed -E "s|(runbook_url: +)[^ ]*/|\1${runbooks%/}/|" "$file" |
    put 0644 - "usr/share/doc/photofinish/examples/prometheus/rules/${file##*/}"
done

# The packages of the binary's libraries, with their minimum versions.
mkdir "$tree/DEBIAN"
printf 'Source: photofinish\n\nPackage: photofinish\nArchitecture: any\nDepends:\n' >"$scratch/debian/control"
libraries=$(cd "$scratch" && dpkg-shlibdeps "${shlibs_options[@]}" -O debian/photofinish/usr/bin/photofinish |
  sed -n 's/^shlibs:Depends=//p')
[ -n "$libraries" ] || { echo "package.sh: dpkg-shlibdeps names no libraries" >&2; exit 1; }
# Header-only libraries are compiled in, so no installed library shows their version.
headers=(libboost1.81-dev libcli11-dev nlohmann-json3-dev)
if [ -n "$foreign_root" ]; then
  built_using=$(for each in "${headers[@]}"; do sed -n "s/^$each //p" "$foreign_root/DEBIAN/packages"; done)
else
  built_using=$(dpkg-query -W -f='${source:Package} (= ${source:Version})\n' "${headers[@]}" 2>/dev/null || true)
fi
built_using=$(paste -sd, <<<"$built_using" | sed 's/,/, /g')

for script in postinst prerm postrm; do put 0755 "$here/package/$script" "DEBIAN/$script"; done
echo /etc/photofinish/photofinish.yaml | put 0644 - DEBIAN/conffiles
(cd "$tree" && find usr lib -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) | put 0644 - DEBIAN/md5sums
put 0644 - DEBIAN/control <<END
Package: photofinish
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -k -s --apparent-size --exclude=DEBIAN "$tree" | cut -f 1)
Depends: $libraries, ca-certificates, tzdata
Suggests: prometheus, redis-server
${built_using:+Built-Using: $built_using
}Section: net
Priority: optional
Description: racing gateway to providers of large language models
 A client asks photofinish as it would ask OpenAI or Anthropic. The gateway
 sends the request to several providers, passes on the answer of the one whose
 first token comes first, and cancels the others.
 .
 It speaks OpenAI's chat completions, Responses and embeddings and Anthropic's
 Messages to clients, measures every provider, and keeps the limits and budgets
 of keys and teams.
END
find "$tree" -type d -exec chmod 0755 {} +

package=$out/photofinish_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zxz --build "$tree" "$package" >&2
echo "$package"
