# A refused run leaves an older output as it was.
printf 'a,y\n1,nan\n' >data.csv
printf 'old\n' >model.json
refused fit data.csv -s 1 --output model.json
cat model.json
