# Help follows the width of the screen, and no line is wider.
for width in 50 80 100; do
    COLUMNS=$width "$SPGM" fit --help | grep -v '^    ' | awk -v w=$width 'length($0) > w { print w ": " $0 }'
done
COLUMNS=60 spgm predict --help | sed -n '/What it does/,/Losses/p'
