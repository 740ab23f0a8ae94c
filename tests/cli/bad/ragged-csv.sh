printf 'a,b,y\n1,2,3\n4,5\n' >short.csv
printf 'a,b,y\n1,2,3\n4,5,6,7\n' >long.csv
printf 'a,b,y\n1,2,3\n4,,6\n' >hole.csv
refused fit short.csv -s 1 --output model.json
refused fit long.csv -s 1 --output model.json
refused fit hole.csv -s 1 --output model.json
