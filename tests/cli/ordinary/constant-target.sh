printf 'a,b,y\n1,2,7\n4,3,7\n6,1,7\n' >data.csv
for loss in l1 linf l2 quantile epsilon; do
    works fit data.csv -s 1 --loss $loss --output model.json
    near "$(field model.json objective)" 0 1e-2
done
