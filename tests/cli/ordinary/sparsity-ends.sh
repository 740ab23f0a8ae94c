# s = 0 is the best constant, s = n leaves nothing out.
line_csv >data.csv
works fit data.csv --sparsity 0 --output none.json
list none.json support
near "$(field none.json objective)" 8 1e-3
near "$(field none.json smooth_value)" 0
works fit data.csv --sparsity 0 --no-intercept --output zero.json
near "$(field zero.json objective)" 24
near "$(field zero.json intercept)" 0
works fit data.csv --sparsity 2 --output all.json
near "$(field all.json objective)" 0 1e-2
