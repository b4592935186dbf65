#!/bin/sh
# Prepares a root into which mmdebstrap has extracted the libraries, for deploy/root.sh: fill_root.sh ROOT DEB
# Also extracts the certificate authorities, the time zones, the distribution's name and photofinish. Keeps the stanzas
# of all packages, one file each in var/lib/dpkg/status.d, as scanners expect, and removes files that no server needs.
set -eu

root=$1 deb=$2
debs=$(mktemp -d)
trap 'rm -rf "$debs"' EXIT
chmod 0755 "$debs"
cp "$deb" "$debs/photofinish.deb"
# Their dependencies, awk and perl, are needed only for installation.
(cd "$debs" && APT_CONFIG=$MMDEBSTRAP_APT_CONFIG \
  apt-get -q -o APT::Sandbox::User=root download base-files ca-certificates tzdata)

# extract PACKAGE [MEMBER...]: a folder of the package does not replace an existing link.
extract() {
  package=$1
  shift
  dpkg-deb --fsys-tarfile "$debs/$package"*.deb | tar -x -C "$root" --keep-directory-symlink "$@"
}
extract photofinish ./usr/bin ./usr/share/doc
extract ca-certificates ./usr/share
extract tzdata ./usr/share/zoneinfo ./usr/share/doc
extract base-files ./etc/debian_version ./etc/os-release ./usr/lib/os-release ./usr/share/common-licenses \
  ./usr/share/doc

rm -rf "$root/var/lib/dpkg"
mkdir -p "$root/var/lib/dpkg/status.d"
for each in "$debs"/*.deb "$root"/var/cache/apt/archives/*.deb; do
  name=$(dpkg-deb -f "$each" Package)
  { dpkg-deb -f "$each" && echo "Status: install ok installed"; } >"$root/var/lib/dpkg/status.d/$name"
  dpkg-deb -I "$each" md5sums >"$root/var/lib/dpkg/status.d/$name.md5sums"
done

# All authorities in one file, at the path where OpenSSL looks for it.
for each in "$root"/usr/share/ca-certificates/mozilla/*.crt; do cat "$each"; done >"$debs/authorities"
rm -rf "$root/etc/ssl" "$root/usr/lib/ssl"
mkdir -p "$root/etc/ssl/certs" "$root/usr/lib/ssl"
install -m 0644 "$debs/authorities" "$root/etc/ssl/certs/ca-certificates.crt"
ln -s /etc/ssl/certs "$root/usr/lib/ssl/certs"
ln -s /etc/ssl/certs/ca-certificates.crt "$root/usr/lib/ssl/cert.pem"

# Only the licences of the packages' documents remain.
find "$root/usr/share/doc" -type f ! -name copyright -delete
find "$root/usr/share/doc" -type d -empty -delete
find "$root/usr/share" -mindepth 1 -maxdepth 1 ! -name doc ! -name common-licenses ! -name zoneinfo -exec rm -rf {} +
find "$root/usr/bin" -mindepth 1 ! -name photofinish -delete
rm -rf "$root"/var/cache "$root"/var/lib/apt "$root"/var/log "$root"/usr/lib/*/gconv "$root"/usr/sbin
for each in apt dpkg fstab hostname resolv.conf; do rm -rf "$root/etc/$each"; done

for each in root:x:0:0 photofinish:x:65532:65532; do echo "$each::/nonexistent:/nonexistent"; done >"$root/etc/passwd"
printf 'root:x:0:\nphotofinish:x:65532:\n' >"$root/etc/group"
printf 'passwd: files\ngroup: files\nhosts: files dns\n' >"$root/etc/nsswitch.conf"
rm -rf "$root/tmp"
install -d -m 1777 "$root/tmp"
install -d -m 0755 "$root/etc/photofinish" "$root/dev" "$root/proc" "$root/run" "$root/sys"
install -d -m 0700 -o 65532 -g 65532 "$root/var/lib/photofinish"
