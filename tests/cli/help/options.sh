# Every option of the one table is a flag in the help, with its default, and every method is explained.
spgm fit --help >help
sed '/^Exit status/,$d' help | tr -s ' \n' '  ' >one-line
table=$CASES/../../include/spgm/options.def
awk -F'[(,]' '/^SPGM_OPTION/ {
    name = $2; gsub("_", "-", name); type = $3; gsub(" ", "", type); split($0, quoted, "\"")
    default_ = quoted[4]
    if (type == "FLAG") { name = "[no-]" name; default_ = default_ == "true" ? "on" : "off" }
    print "--" name, default_
}' "$table" >options
[ "$(wc -l <options)" -gt 20 ] || echo "the table of options was not read"
while read -r flag default_; do
    grep -qF -e "  $flag" help || echo "$flag is not in the help"
    sed "s/.* $(printf '%s' "$flag" | sed 's/[][]/\\&/g')[ A-Z]* //; s/\]\( .*\)*$/]/" one-line >rest
    grep -q "default $default_\]" rest || echo "$flag: no default $default_"
done <options
[ "$(grep -c '^  --' help)" -ge "$(wc -l <options)" ] || echo "fewer flags than options"
sed -n '/^Methods/,/^$/p' help | awk 'NR > 1 && NF == 1 { print "a method without a word: " $0 }'
for method in auto spgm-bcd spgm-iht; do
    sed -n '/^Methods/,/^$/p' help | grep -q "^  $method  *[a-zA-Z]" || echo "$method is missing"
done
