printf '1 1:1\n2 1:2 2:nan\n' >value.svm
printf '1 1:1\ninf 1:2 2:1\n' >target.svm
printf '1 1:1 3:-inf\n2 1:2\n' >infinite.svm
refused fit value.svm -s 1 --output model.json
refused fit target.svm -s 1 --output model.json
refused fit infinite.svm -s 1 --output model.json
