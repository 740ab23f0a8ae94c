# Model files that version 0.1.0 wrote (models-0.1.0; its commands are below) are read as they were meant.
#     fit houses.csv -s 1 --loss l1
#     fit plain.csv -s 1 --loss squared --ridge 0.5 --free 2 --no-intercept
#     fit tall.csv -s 1 --loss hinge --ridge 0.1
printf 'height,width,price\n1,5,3.5\n2,1,5\n3,4,7.25\n4,2,9\n5,9,11\n' >houses.csv
tail -n +2 houses.csv >plain.csv
printf 'height,width,tall\n1,5,-1\n2,1,-1\n3,4,1\n4,2,1\n5,9,1\n' >tall.csv
for name in names:houses plain:plain labels:tall; do
    works predict "$CASES/predict/models-0.1.0/${name%:*}.json" ${name#*:}.csv
done
for name in names:houses labels:tall; do
    works check "$CASES/predict/models-0.1.0/${name%:*}.json" ${name#*:}.csv | sed 's/^[^ ]*models-0.1.0.//; /Lipschitz/d'
done
# They also start a fit.
works fit houses.csv -s 1 --method polish --start "$CASES/predict/models-0.1.0/names.json" --output again.json
near "$(field again.json objective)" 0.5
