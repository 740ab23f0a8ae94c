#!/bin/sh
# Remove what the last `make install` wrote:  tools/uninstall.sh MANIFEST [DESTDIR]
set -eu
manifest=$1
destdir=${2:-}
if [ ! -f "$manifest" ]; then
    echo "Nothing to remove: $manifest does not exist (was spgm installed from this tree?)" >&2
    exit 1
fi
while IFS= read -r file || [ -n "$file" ]; do
    rm -f "$destdir$file" && echo "removed $destdir$file"
    folder=$(dirname "$destdir$file")
    case $folder in
    */spgm) rmdir --ignore-fail-on-non-empty "$folder" ;; # our own folders; the others were there before us
    esac
done <"$manifest"
rm -f "$manifest"
