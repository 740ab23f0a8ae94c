# The model file says what made it; --reproducible leaves out what differs between equal runs.
works gen random-40-6 --seed 3 --support 2 --output data.csv
awk 'BEGIN { for (i = 0; i < 40; i++) print 0.5 }' >w.csv
works fit data.csv -s 1 --free x2,x5 --weights w.csv --nonnegative --output model.json
for key in data rows columns weights sparsity lower outcome verdict version; do echo "$key $(field model.json $key)"; done
list model.json free
grep -c '"date": "20[0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]Z"' model.json
spgm fit data.csv -s 1 --free x2,x5 --verbose --output model.json 2>&1 | sed -n '2p; /^  nonzeros/p'
works fit data.csv -s auto --output auto.json
sed -n 's/^  "chosen": //p' auto.json
works cv data.csv -s 0:3 --folds 4 --output cv.json
sed -n 's/^  "chosen": //p' cv.json
for name in a b; do works fit data.csv -s 2 --reproducible --output $name.json; done
cmp a.json b.json
grep -c '"date"\|"seconds"' a.json
# A file from before there were records.
sed '/"data"/d; /"rows"/d; /"verdict"/d; /"date"/d; /"free"/d' model.json >old.json
spgm predict model.json data.csv >new.csv && spgm predict old.json data.csv | cmp - new.csv
