# Some bytes of a compressed file are others. gz has only a checksum at its end, so that the text may look wrong first.
awk 'BEGIN { for (i = 1; i <= 5000; i++) print i, "1:" i * i, "2:" i % 7 }' >a.svm
for tool in gzip:gz bzip2:bz2 xz:xz zstd:zst; do
    name=a.svm.${tool#*:}
    command -v ${tool%:*} >/dev/null || skip "${tool%:*} is not here"
    ${tool%:*} -c a.svm >$name 2>/dev/null
    size=$(wc -c <$name)
    { head -c $((size / 2)) $name && printf '\001\002\003' && tail -c +$((size / 2 + 4)) $name; } >bad.svm.${tool#*:}
    refused fit bad.svm.${tool#*:} -s 1 --output model.json | reasonless | sed 's/^spgm: bad.svm.gz, line .*/spgm: bad.svm.gz is damaged/; s/gz is a truncated or damaged .*/gz is damaged/'
done
{ head -c -8 a.svm.gz && printf '\001\002\003\004' && tail -c 4 a.svm.gz; } >checksum.svm.gz
refused fit checksum.svm.gz -s 1 --output model.json | reasonless
