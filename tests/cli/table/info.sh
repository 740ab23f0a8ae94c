# What a table holds, and what about it will be refused.
houses >houses.csv
spgm info houses.csv
spgm info houses.csv --exclude owner,sold,id --json
awk 'BEGIN { print "a,a,x,far,y"; for (i = 1; i <= 40; i++) print i * 3 % 7 "," i * 5 % 11 ",same," (i == 7 ? -99999 : i % 5) "," (i % 2 ? "yes" : "no") }' >names.csv
spgm info names.csv
# Numbers below a word, a target of more than two labels, a line that ends in a separator, gaps in every row.
printf 'rooms,y\nunknown,a\n3,b\n4,c\n' >below.csv
printf 'a,b,y,\n1,2,3,\n4,5,6,\n' >trailing.csv
printf 'a,b,y\n1,,3\n,5,6\n' >everywhere.csv
for file in below trailing everywhere; do spgm info $file.csv | sed -n '/Worth/,$p'; done
# A column and its copy have gaps in the same rows; numbers of the rows in another order; a text of its own in every row.
awk 'BEGIN {
    print "a,copy,number,who,y"
    for (i = 1; i <= 20; i++) print (i % 6 ? i * 7 % 11 "," i * 7 % 11 : "NA,") "," 7 * i % 20 + 100 ",person " i "," i % 3
}' >copies.csv
spgm info copies.csv | sed -n '/duplicates/p; /Worth/,$p'
spgm info copies.csv --json | grep -E 'duplicate|counting'
