# One sentence each; nothing is run or written.
printf 'a,b,c,y\n1,2,3,1\n2,1,0,-1\n5,3,2,-1\n0,1,1,-1\n' >data.csv
refused cv data.csv -s 1:2
refused cv data.csv -s 1:2 --folds 1
refused cv data.csv -s 1:4 --folds 2
refused cv data.csv -s 1:2 --folds 2 --rule two
refused cv data.csv -s 1:2 --folds 2 --loss hinge
refused cv data.csv -s 1:2 --folds 2 --losses -
refused cv data.csv -s 1:2 --folds 2 --output same --losses same
refused cv data.csv -s 1:2 --folds 2 --figure cv
refused cv data.csv -s 1:2 --folds 2 --output missing/model.json
refused fit data.csv -s auto --criterion aic
refused fit data.csv -s automatic
