# A classifier also says the label, in the labels of its data.
printf 'a,b,y\n1,0,3\n2,1,3\n4,0,8\n5,1,8\n6,0,8\n0,1,3\n' >data.csv
works fit data.csv -s 1 --loss hinge --output model.json
works predict model.json data.csv | cut -d, -f2
spgm predict model.json data.csv --verbose --output p.csv 2>&1 | sed 's/ loss  .*/ loss .../'
