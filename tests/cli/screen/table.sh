# The table of a result.
printf 'air,water temperature,acid,y\n80,27,89,42\n80,27,88,37\n75,25,90,37\n62,24,87,28\n62,22,87,18\n62,23,87,18\n62,24,93,19\n58,23,87,15\n' >data.csv
spgm fit data.csv -s 2 --ridge 0.01 --method spgm-iht --max-iterations 50 --verbose --output model.json 2>&1 |
    scrub | sed -E 's/-?[0-9]+\.[0-9]+(e-[0-9]+)?/N/g; s/#+/##/; s/  +/  /g'
