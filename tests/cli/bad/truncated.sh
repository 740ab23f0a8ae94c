# The second half of a compressed file is missing.
awk 'BEGIN { for (i = 1; i <= 5000; i++) print i, "1:" i * i, "2:" i % 7 }' >a.svm
for tool in gzip:gz bzip2:bz2 xz:xz zstd:zst; do
    name=a.svm.${tool#*:}
    command -v ${tool%:*} >/dev/null || skip "${tool%:*} is not here"
    ${tool%:*} -c a.svm >$name 2>/dev/null
    head -c $(($(wc -c <$name) / 2)) $name >half.svm.${tool#*:}
    refused fit half.svm.${tool#*:} -s 1 --output model.json | reasonless
done
