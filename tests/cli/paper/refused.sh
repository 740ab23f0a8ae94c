# What cannot be run is said, and leaves nothing behind.
unset SPGM_SHARED
refused paper --panels l2
refused paper --panels e2006-5000-1024
refused paper --panels random-256-1024 --methods spgm-bdc
refused paper --panels random-256-1024 --sparsity 2000
refused paper --panels random-256-1024 --starts 0
refused paper --panels random-256-1024 --protocol best
refused paper --panels random-256-1024 --published missing.csv
printf 'a\nb\n' >odd.csv
refused paper --panels random-256-1024 --published odd.csv
refused paper --panels e2006-5000-1024 --from missing.svm
refused paper --panels random-256-1024 --sparsity 5 --output nowhere/deep
refused paper extra
