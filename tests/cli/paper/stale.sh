# Runs of another plan stay; runs made with other settings or damaged ones are made again.
unset SPGM_SHARED
subset='--panels l1/random-256-1024 --methods omp --starts 1 --reproducible --quiet --output out'
works paper $subset --sparsity 5
works paper $subset --sparsity 10
cut -d, -f1-5 out/runs.csv
cp out/runs.csv before
sed 's/\(.*,10,omp.*,\)[0-9a-f]*$/\10123456789abcdef/; s/^l1,random-256-1024,5,omp.*/damaged/' before >out/runs.csv
works paper $subset --sparsity 5,10
sort before >a && sort out/runs.csv | cmp a -
