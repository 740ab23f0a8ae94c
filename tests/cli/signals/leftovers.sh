# A signal that ends the process leaves no file that is not whole: while gnuplot draws, and while a table is written.
command -v timeout >/dev/null || skip "timeout is not here"
works gen random-60-10 --seed 1 --output data.svm
mkdir bin
printf '#!/bin/sh\ntouch drawing\nexec sleep 20\n' >bin/gnuplot
chmod +x bin/gnuplot
for signal in INT TERM; do
    rm -f drawing
    PATH=$PWD/bin:$PATH timeout --foreground -s $signal 2 "$SPGM" path data.svm -s 1:2 --figure chart.svg --quiet >/dev/null
    echo $? "$(ls drawing)"
done
# packed, which takes long
timeout --foreground -s INT 1 "$SPGM" gen random-20000-2000 --output large.csv.xz
echo $?
ls -A
