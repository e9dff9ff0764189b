#!/usr/bin/env bash
# test/check-layers finds every include that breaks the rule of the layers, however the directive is written.
# test/check-shape finds what is too long, and circles of files. test/check-words finds words.
# shellcheck source=test/e2e/lib.sh disable=SC2154 # lib.sh sets $status and its like
. "$(dirname "$0")/lib.sh"

# A tree of two layers, base <- run, in which each test adds one file.
tree=$scratch/tree
mkdir -p "$tree/src/base" "$tree/src/run"
echo '#include "base/low.h"' >"$tree/src/base/low.c"
echo '#include "run/high.h"' >"$tree/src/run/high.c"
echo 'int low(void);' >"$tree/src/base/low.h"
echo '#include "base/low.h"' >"$tree/src/run/high.h"

# check_layers: runs the checker in the tree; sets $status and $err.
check_layers() {
    err=$(cd "$tree" && "$OLDPWD/test/check-layers" 'base<-run' 2>&1)
    status=$?
}

# with FILE TEXT: adds the file to the tree. broken FILE MESSAGE NAME: the checker has refused it with this message.
with() { printf '%s\n' "$2" >"$tree/src/$1"; }
broken() {
    is "$status" 1 "$3: is refused"
    has "$err" "src/$1: $2" "$3: the message"
}

test_case --quick 'a tree that keeps the rule passes' && {
    check_layers
    is "$status|$err" "0|" "nothing is wrong"
}

test_case --quick 'an include of a layer to the right is refused in every spelling' && {
    upwards='includes "run/high.h", which is not of base'
    number=0
    while IFS= read -r line; do
        number=$((number + 1))
        with "base/x$number.c" "${line//|/$'\n'}"
    done <<END
#include "run/high.h"
#include "run/high.h" /* for a reason */
#  include "run/high.h"
	 #include "run/high.h"
/**/ # /**/ include /**/ "run/high.h"
#include <run/high.h>
#define HIGH "run/high.h"|#include HIGH
#inc\\|lude "run/high.h"
%:include "run/high.h"
#include "base/../run/high.h"
#include "src/run/high.h"
#include "$tree/src/run/high.h"
END
    with base/x.h '#include "run/high.h"'
    with base/x.c '#include "run/high.c"'
    check_layers
    for ((i = 1; i <= number; i++)); do
        broken "base/x$i.c" "$upwards" "$(<"$tree/src/base/x$i.c")"
    done
    broken base/x.h "$upwards" "in a header"
    has "$err" 'check-layers: a layer includes only itself and those to its left:
    base <- run' "the layers"
    broken base/x.c 'includes "run/high.c", which is not of base' "of a source file"
    within "$number" 12 12 "the spellings"
    rm "$tree"/src/base/x*
}

test_case --quick 'an include that does not name its folder is refused' && {
    with base/x.c '#include "low.h"'
    with run/x.c '#include "../base/low.h"'
    check_layers
    broken base/x.c 'cannot be preprocessed; does each include name its folder?' "of the same folder"
    broken run/x.c 'cannot be preprocessed; does each include name its folder?' "of another folder"
}

test_case --quick 'the shape: too long a function, file or layer, and files that call each other in a circle' && {
    shape=$scratch/shape
    for layer in base docker config run service cli; do
        mkdir -p "$shape/src/$layer"
        seq -f '/* %g */' 250 >"$shape/src/$layer/filler.c"
    done
    check_shape() { out=$(cd "$shape" && SHAPE_KNOWN=${known-} "$OLDPWD/test/check-shape" 2>&1); status=$?; }
    check_shape
    is "$status|$out" "0|" "nothing is wrong"
    known='function f' check_shape
    is "$status|$out" "1|check-shape: nothing is known of \"function f\" any more: remove the line" "an exemption that nothing needs"

    { echo 'int long_one(void)'; echo '{'; seq -f '    a(%g);' 59; echo '}'; } >"$shape/src/base/x.c"
    check_shape
    is "$status|$out" "1|check-shape: src/base/x.c:2: long_one() has 61 lines, more than 60" "a function"

    seq -f '/* %g */' 401 >"$shape/src/base/x.c"
    check_shape
    is "$status|$out" "1|check-shape: src/base has 34 % of all lines, more than 20
check-shape: src/base/x.c has 401 lines, more than 400" "a file and a layer"

    printf '%s\n' 'int f(void)' '{' '    return g("h()"); /* h() */' '}' >"$shape/src/base/x.c"
    printf '%s\n' 'int g(void)' '{' '    return h();' '}' >"$shape/src/base/y.c"
    printf '%s\n' 'int h(void)' '{' '    return 1;' '}' >"$shape/src/base/z.c"
    check_shape
    is "$status|$out" "0|" "files that call others"
    sed -i 's/1/f()/' "$shape/src/base/z.c"
    check_shape
    is "$status $(tr ' ' '\n' <<<"$out" | grep -o 'src.*' | sort | paste -s -d ' ')" "1 src/base/x.c src/base/y.c src/base/z.c" "three in a circle"
}

test_case --quick 'words: in comments, strings and documents, and nowhere else' && {
    words=$scratch/words
    mkdir -p "$words/src/base" "$words/share" "$words/man" "$words/test"
    cp test/words "$words/test"
    touch "$words/README.md" "$words/CONTRIBUTING.md" "$words/SECURITY.md" "$words/man/x.1"
    check_words() { out=$(cd "$words" && "$OLDPWD/test/check-words" 2>&1); status=$?; }
    printf '%s\n' 'int anew(int upon) /* renewed' ' * twice */' '{' '    return thus("left behind") + upon;' '}' >"$words/src/base/x.c"
    check_words
    is "$status|$out" "0|" "names in code, and words that begin or end alike"
    printf '%s\n' '/* one' ' * Anew */ int upon;' 'char *x = "\"shall";' >"$words/src/base/y.h"
    echo 'that is no list' >"$words/man/x.1"
    check_words
    is "$status|$out" '1|check-words: src/base/y.h:2: "Anew": again
check-words: src/base/y.h:3: "shall": must, will, or the present tense
check-words: man/x.1:1: "that is no": is not a' "a comment, a string, a page"
}

finish
