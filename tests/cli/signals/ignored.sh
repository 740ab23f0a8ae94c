# A shell starts background jobs with SIGINT ignored, as nohup does with SIGHUP; it stays ignored.
works gen random-60-100 --seed 1 --output data.svm
"$SPGM" fit data.svm -s 5 --method spgm-bcd $endless --time-limit 0.8 --output model.json &
sleep 0.3
kill -INT $!
wait $!
echo $?
field model.json outcome
