# The hinge loss needs two label values.
printf 'a,y\n1,0\n2,1\n3,2\n' >three.csv
printf 'a,y\n1,1\n2,1\n3,1\n' >one.csv
refused fit three.csv -s 1 --loss hinge --output model.json
refused fit one.csv -s 1 --loss hinge --output model.json
