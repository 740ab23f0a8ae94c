# What a table holds, and what about it will be refused.
houses >houses.csv
spgm info houses.csv
spgm info houses.csv --exclude owner,sold,id --json
awk 'BEGIN { print "a,a,x,far,y"; for (i = 1; i <= 40; i++) print i * 3 % 7 "," i * 5 % 11 ",same," (i == 7 ? -99999 : i % 5) "," (i % 2 ? "yes" : "no") }' >names.csv
spgm info names.csv
