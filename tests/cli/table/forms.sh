# Separators, decimal commas, line ends, headers.
printf 'a;b;y\n1,5;2;3\n4;5,5;6\n2;1;8\n' >comma.csv
refused info comma.csv --json
spgm info comma.csv --decimal , | sed -n 4,6p
spgm info comma.csv --decimal , --separator semicolon | sed -n 2,3p
refused info comma.csv --decimal , --separator ,
refused info comma.csv --separator nothing
printf 'a|b|y\n1|2|3\n4|5|6\n' >bar.csv
printf 'a,b,y\r1,2,3\r4,5,6\r' >old.csv
for file in bar old; do spgm info $file.csv | sed -n 2,3p; done
printf '1,2,3,4\n5,1,7,9\n6,2,8,1\n' >count.csv
refused info count.csv
spgm info count.csv --header yes | sed -n 2,3p
spgm info count.csv --header no | sed -n 2,3p
refused info count.csv --header perhaps
printf '\211PNG\r\n\032\n' >picture.csv
printf '\177ELF\002\001\001' >program
for file in picture.csv program; do refused fit $file -s 1; done
for value in '"1,000"' "1'000" 12% 2024-01-31 '$5' 14:30; do
    printf 'a,y\n%s,1\n' "$value" >value.csv
    refused fit value.csv -s 1
done
# Of a file that is no table.
printf '1 1:2\n2 1:3\n' >data.svm
refused fit data.svm -s 1 --missing drop
refused info data.svm --exclude 1
# Line breaks within quotes, also in names; what Excel says of separators; decimal commas without a header, and where a
# model is compared with its target.
printf 'sep=;\n"price\n(EUR)";"kind";y\n1,5;"old\n\nhouse";2,5\n4;flat;5,5\n2;flat;3,5\n' >excel.csv
spgm info excel.csv --decimal , --json | grep -e '"rows"' -e levels -e '"name": "price'
works fit excel.csv --decimal , -s 1 -o excel.json
spgm predict excel.json excel.csv --decimal , --json | grep compared
printf '1,5;2;3,5\n4;5;6\n2;1;8,25\n' >plain.csv
spgm info plain.csv --decimal , | sed -n -e 2,3p -e '/target/p'
printf 'a,b,y\n1,"2\n3,4,5\n' >open.csv
refused info open.csv
