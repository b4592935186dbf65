#!/bin/sh
# Prepares a root into which mmdebstrap has extracted packages, for build.sh: fill_root.sh ROOT
# Changes symbolic links so that they point into the root. Keeps the packages' descriptions and the data about their
# libraries, which dpkg-shlibdeps reads.
set -eu

root=$1
find "$root" -type l -lname '/*' | while IFS= read -r link; do
  ln -snfr "$root$(readlink "$link")" "$link"
done

mkdir "$root/DEBIAN"  # the folder that dpkg-shlibdeps reads
for each in "$root"/var/cache/apt/archives/*.deb; do
  for file in symbols shlibs; do dpkg-deb -I "$each" "$file" 2>/dev/null >>"$root/DEBIAN/$file" || true; done
  dpkg-deb -W --showformat='${Package} ${source:Package} (= ${source:Version})\n' "$each" >>"$root/DEBIAN/packages"
done
