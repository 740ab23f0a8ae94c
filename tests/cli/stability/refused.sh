# One sentence each; nothing is run or written.
printf 'a,b,y\n1,2,1\n2,1,2\n5,3,1\n0,1,4\n4,1,2\n' >data.csv
printf 'a,b,y\n1,2,p\n2,1,q\n5,3,r\n0,1,p\n4,1,q\n' >labels.csv
refused stability data.csv
refused stability data.csv -s 1 --threshold 0.5
refused stability data.csv -s 1 --level 1
refused stability data.csv -s 1 --subsamples -3
refused stability data.csv -s 1 --bootstrap x
refused stability data.csv -s 3
refused stability data.csv -s 1 --figure s
refused stability data.csv -s 1 --output missing/s.json
refused stability labels.csv -s 1 --loss hinge
