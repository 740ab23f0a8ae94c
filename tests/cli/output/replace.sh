# An output replaces an older file whole, keeps a symbolic link a link, and has the mode of a new file.
line_csv >data.csv
printf 'old\n' >old.json
ln -s old.json link.json
umask 027
works fit data.csv -s 1 --output link.json --trace trace.csv
test -L link.json && echo "still a link"
head -n 1 old.json
ls -l old.json trace.csv | cut -c1-10
ls -A
