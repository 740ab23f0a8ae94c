# Long and foreign names are cut to the width of the table, not to bytes.
printf 'a name that is far too long for a table of eighty columns,température,y\n1,3,5\n2,-1,3\n3,4,10\n4,-1,7\n' >data.csv
spgm fit data.csv -s 2 --ridge 0.1 --verbose --output model.json 2>&1 | sed -n '/column /,/^$/p' | cut -c1-40 |
    sed -E 's/-?[0-9]+\.[0-9]+(e-[0-9]+)?/N/g' | sort
