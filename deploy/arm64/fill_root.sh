#!/bin/sh
# What build.sh makes of a root into which mmdebstrap has extracted packages: fill_root.sh ROOT
# Links point into the root. What its packages say of their libraries, for dpkg-shlibdeps, and of themselves is kept.
set -eu

root=$1
find "$root" -type l -lname '/*' | while IFS= read -r link; do
  ln -snfr "$root$(readlink "$link")" "$link"
done

mkdir "$root/DEBIAN"  # where dpkg-shlibdeps looks
for each in "$root"/var/cache/apt/archives/*.deb; do
  for file in symbols shlibs; do dpkg-deb -I "$each" "$file" 2>/dev/null >>"$root/DEBIAN/$file" || true; done
  dpkg-deb -W --showformat='${Package} ${source:Package} (= ${source:Version})\n' "$each" >>"$root/DEBIAN/packages"
done
