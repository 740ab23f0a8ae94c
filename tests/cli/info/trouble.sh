# Zero, constant and repeated columns, scales, outliers: all found and named.
awk 'BEGIN {
    print "empty,one,a,b,a again,big,y"
    for (i = 1; i <= 40; i++) print "0,1," i % 7 "," i * i % 11 "," i % 7 "," 1e6 * i "," (i == 20 ? 1e5 : i)
}' >data.csv
spgm info data.csv
