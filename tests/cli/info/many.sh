# Long lists are cut, and repeated columns point to no more than once each.
awk 'BEGIN { for (i = 1; i <= 30; i++) { printf "%d", i; for (j = 1; j <= 10; j++) printf " %d:%d", j, i; print " 20:1" } }' >data.svm
spgm info data.svm
