# The figure shows effects, coefficient times standard deviation: the units of a column do not matter.
awk 'BEGIN { print "a,b,c,y"; for (i = 1; i <= 40; i++) { a = i * 7 % 11; b = i * 5 % 13; c = i * 3 % 17; print a "," b "," c "," 3 * a - b + 0.1 * c + i % 2 } }' >one.csv
awk -F, 'NR == 1 || NF < 4 { print; next } { print 1000 * $1 "," $2 "," $3 / 1000 "," $4 }' one.csv >two.csv
for file in one two; do
    PATH= "$SPGM" path $file.csv -s 1:3 --loss squared --quiet --figure $file.svg --output $file.json
    sed -n '/^.chart2/,/^END/p' $file.svg.gp | awk '/^[0-9]/ { printf "%d %.6g\n", $1, $2; next } /^# / { print $2 }' >$file.txt
done
cmp one.txt two.txt
# And they are what they should be: 3 times the standard deviation of a, about.
awk -F, 'NR > 1 { n++; s += $1; q += $1 * $1 } END { print sqrt(q / n - s * s / n / n) * 3 }' one.csv >wanted
awk '/^a$/ { on = 1; next } /^[a-z]/ { on = 0 } on && $1 == 3 { print $2 }' one.txt | paste - wanted | awk '{ print ($1 / $2 > 0.98 && $1 / $2 < 1.02) }'
# Names at the ends of lines, in the colour of the line.
grep -c "^set label '[abc]' at graph" one.svg.gp
