# Read before every case.

skip() {
    echo "$*"
    exit 77
}

# The program under test. After exit status 2 nothing may have been written.
spgm() {
    before_=$(ls -A)
    "$SPGM" "$@"
    code_=$?
    if [ $code_ = 2 ] && [ "$before_" != "$(ls -A)" ]; then
        echo "left behind:" && ls -A
    fi
    return $code_
}

# A run that must be refused, in a case that goes through several: prints the sentence, complains otherwise.
refused() {
    spgm "$@" 2>&1
    code_=$?
    [ $code_ = 2 ] || echo "exit status $code_ for: spgm $*"
}

# A run that must work and say nothing.
works() {
    spgm "$@" || echo "exit status $? for: spgm $*"
}

# share ALL PART: how much a case does; see tests/share.h
share() {
    if [ -z "${SPGM_INSTRUMENTED:-}" ]; then echo "$1"; else echo "$2"; fi
}

# field FILE KEY: a number or word of a model file, where the key is first
field() {
    { tr -d '\n' <"$1" && echo; } | awk -v key="\"$2\":" 'i = index($0, key) {
        value = substr($0, i + length(key))
        sub(/^ *"?/, "", value)
        sub(/[,}" ].*/, "", value)
        print value
    }'
}

# list FILE KEY: an array of a model file, as "a b c"
list() {
    { tr -d '\n' <"$1" && echo; } | sed -n "s/.*\"$2\": *\[\([^]]*\)\].*/\1/p" | tr -d '" ' | tr ',' ' '
}

# near A B [TOLERANCE]: says so unless both are numbers and |A - B| <= TOLERANCE * (1 + |B|)
near() {
    awk -v a="$1" -v b="$2" -v t="${3:-1e-6}" 'BEGIN {
        d = a - b; d = d < 0 ? -d : d; s = b < 0 ? 1 - b : 1 + b
        number = "^-?[0-9]+[.]?[0-9]*(e[-+]?[0-9]+)?$"
        if (a !~ number || b !~ number || !(d <= t * s)) printf "%s is not near %s\n", a, b
    }'
}

# A run that ends only when it is told to: the mean over so many changes of F does not become 0.
endless='--max-iterations 1000000000000 --tolerance 0 --window 1000000'

# Without the words of a compression library, which change with its version.
reasonless() {
    sed 's/ file ([^)]*):/ file (REASON):/'
}

# Times are never the same twice; of a run of microseconds that had to wait, no component may be worth a line.
scrub() {
    sed -E 's/[0-9][0-9.]* (us|ms|s|min [0-9]+ s) for/TIME for/; /^ {13}.*%.*$/d'
}

# npy FILE DESCR ORDER SHAPE VALUE...: an NPY file of doubles 0 1 2 3 -1 nan inf, whatever its header says
npy() {
    file_=$1
    {
        printf '\223NUMPY\001\000\166\000'
        printf '%-117s\n' "{'descr': '$2', 'fortran_order': $3, 'shape': $4, }"
        shift 4
        for value_; do
            case $value_ in
            0) printf '\000\000\000\000\000\000\000\000' ;;
            1) printf '\000\000\000\000\000\000\360\077' ;;
            2) printf '\000\000\000\000\000\000\000\100' ;;
            3) printf '\000\000\000\000\000\000\010\100' ;;
            -1) printf '\000\000\000\000\000\000\360\277' ;;
            nan) printf '\000\000\000\000\000\000\370\177' ;;
            inf) printf '\000\000\000\000\000\000\360\177' ;;
            esac
        done
    } >"$file_"
}

# Four points on the line y = 2 a + 1, and a column of noise.
line_csv() {
    printf 'a,noise,y\n1,3,3\n2,-1,5\n3,4,7\n4,-1,9\n'
}

# Four rows as LIBSVM text, three columns.
small_svm() {
    printf '1 1:1 3:2\n2 2:1\n3 1:-1 2:2 3:1\n4 3:3\n'
}

# A table as people have it: row numbers, names, categories, gaps, a date; price = 10 + 3 rooms + 5 in the south.
houses() {
    awk 'BEGIN {
        print "id,owner,Region,heating,rooms,sold,price"
        split("North South West", region); split("gas oil", heating)
        for (i = 1; i <= 60; i++) {
            r = region[i * 7 % 3 + 1]; n = i * 11 % 8 + 1
            printf "%d,Owner %d,%s,%s,%s,2024-01-%02d,%g\n", i, i, i == 9 ? "" : r, heating[i % 2 + 1], \
                i % 20 == 3 ? "NA" : n, i % 28 + 1, 10 + 3 * n + (r == "South" ? 5 : 0)
        }
    }'
}
