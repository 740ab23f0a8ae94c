# What a model file looks like.
line_csv >data.csv
spgm fit data.csv -s 1 --ridge 0.5 --loss l1 --method spgm-bcd |
    sed -E 's/("(objective|loss_value|smooth_value|seconds|date|intercept|iterations|passes|version)": ).*[^,](,?)$/\1...\3/' |
    sed -E 's/-?[0-9]+\.[0-9]{6,}(e[-+]?[0-9]+)?/.../g'
