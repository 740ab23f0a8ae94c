# The table for people: what enters and leaves, the lowest criteria, proven optima.
line_csv >line.csv
spgm path line.csv -s 0:2 --verbose 2>&1 >/dev/null | sed -E 's/time  .*/time/'
