line_csv >data.csv
spgm info data.csv
