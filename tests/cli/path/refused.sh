# One sentence each; nothing is run or written.
printf 'a,b,c,y\n1,2,3,4\n2,1,0,3\n5,3,2,1\n0,1,1,2\n' >data.csv
refused path data.csv
refused path data.csv -s 1:x
refused path data.csv -s 3:1
refused path data.csv -s 4
refused path data.csv -s -1
refused path data.csv -s 1:2 --figure path.jpg
refused path data.csv -s 1:2 --output data.csv
refused path data.csv -s 1:2 --output missing/path.csv
refused path data.csv -s 1:2 --figure missing/path.svg
refused path nothing.csv -s 1:2
