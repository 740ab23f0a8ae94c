# On a terminal: progress, the table, and no JSON; in colour only where wanted.
script -qec true /dev/null >/dev/null 2>&1 </dev/null || skip "script cannot open a terminal here"
works gen random-60-100 --seed 1 --output data.svm
TERM=xterm script -qec "'$SPGM' fit data.svm -s 5 --method spgm-bcd $endless --time-limit 0.5" screen.log </dev/null >/dev/null
sed 1d screen.log | tr '\r' '\n' >lines
grep -c 'spgm-bcd  t [0-9]* .*mu .*best .*nonzeros' lines | awk '{ print ($1 >= 2 && $1 <= 8) ? "progress" : $1 " progress lines" }'
grep -q objective lines && echo table
grep -qE '^ {13}.*x-step [0-9]+ %' lines && echo "time by component"
grep -q '"objective"' lines && echo "JSON on the screen"
awk 'length($0) > 90' lines
TERM=xterm script -qec "'$SPGM' fit data.svm -s 5 --quiet --max-iterations 5" screen.log </dev/null >/dev/null
grep -q '"objective"' screen.log && echo "quiet: JSON"
grep -q 'outcome  ' screen.log && echo "quiet, but a table"
TERM=xterm script -qec "'$SPGM' fit data.svm -s 5 --quiet --max-iterations 5 --output model.json" screen.log </dev/null >/dev/null
sed '1d;$d' screen.log | grep -q . && echo "quiet, but something on the screen"
TERM=xterm script -qec "'$SPGM' fit data.svm -s 5 --max-iterations 5 --output model.json" screen.log </dev/null >/dev/null
test -s model.json && echo file
grep -q "$(printf '\033')\\[1m" screen.log && echo bold
TERM=xterm NO_COLOR=1 script -qec "'$SPGM' fit data.svm -s 5 --max-iterations 5 --output model.json" screen.log </dev/null >/dev/null
grep -q "$(printf '\033')\\[1m" screen.log || echo plain
# Long sentences are wrapped on a terminal, and a line each elsewhere.
works gen random-40-6 --seed 1 --support 3 --output small.svm
TERM=xterm script -qec "stty cols 80; '$SPGM' stability small.svm -s 2 --subsamples 4 --bootstrap 4 --output s.json" screen.log </dev/null >/dev/null
sed 1d screen.log | tr '\r' '\n' | awk 'length($0) > 80 { print "longer than the screen: " $0 }'
TERM=xterm script -qec "stty cols 80; '$SPGM' fit small.svm -s auto --output m.json" screen.log </dev/null >/dev/null
sed 1d screen.log | tr '\r' '\n' | awk 'length($0) > 80 { print "longer than the screen: " $0 }'
spgm stability small.svm -s 2 --subsamples 4 --bootstrap 4 --verbose --output s.json 2>&1 | grep -c '^  intervals  .* would not select$'
