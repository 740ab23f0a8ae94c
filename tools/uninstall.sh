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
    rmdir -p --ignore-fail-on-non-empty "$(dirname "$destdir$file")" 2>/dev/null || true
done <"$manifest"
rm -f "$manifest"
