#!/usr/bin/env bash
# test/check-layers finds every include that breaks the rule of the layers, however the directive is written.
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
    err=$(cd "$tree" && "$OLDPWD/test/check-layers" base run 2>&1)
    status=$?
}

# broken FILE TEXT MESSAGE NAME: the checker refuses the tree with this file in it, and says MESSAGE.
broken() {
    printf '%s\n' "$2" >"$tree/src/$1"
    check_layers
    rm "$tree/src/$1"
    is "$status" 1 "$4: is refused"
    has "$err" "src/$1: $3" "$4: the message"
}

test_case --quick 'a tree that keeps the rule passes' && {
    check_layers
    is "$status|$err" "0|" "nothing is wrong"
}

test_case --quick 'an include of a layer to the right is refused in every spelling' && {
    upwards='includes "run/high.h", which is not of base'
    broken base/x.c '#include "run/high.h"' "$upwards" "plain"
    broken base/x.h '#include "run/high.h"' "$upwards" "in a header"
    broken base/x.c '#include "run/high.h" /* for a reason */' "$upwards" "with a comment behind it"
    broken base/x.c '#  include "run/high.h"' "$upwards" "with blanks after the #"
    broken base/x.c $'\t #include "run/high.h"' "$upwards" "with blanks before the #"
    broken base/x.c '/**/ # /**/ include /**/ "run/high.h"' "$upwards" "with comments inside"
    broken base/x.c '#include <run/high.h>' "$upwards" "in angle brackets"
    broken base/x.c $'#define HIGH "run/high.h"\n#include HIGH' "$upwards" "by a macro"
    broken base/x.c $'#inc\\\nlude "run/high.h"' "$upwards" "over two lines"
    broken base/x.c '%:include "run/high.h"' "$upwards" "by a digraph"
    broken base/x.c '#include "base/../run/high.h"' "$upwards" "by way of another folder"
    broken base/x.c '#include "src/run/high.h"' "$upwards" "from the top directory"
    broken base/x.c "#include \"$tree/src/run/high.h\"" "$upwards" "by its absolute path"
    broken base/x.c '#include "run/high.c"' 'includes "run/high.c", which is not of base' "of a source file"
}

test_case --quick 'an include that does not name its folder is refused' && {
    broken base/x.c '#include "low.h"' "cannot be preprocessed; does each include name its folder?" "of the same folder"
    broken run/x.c '#include "../base/low.h"' "cannot be preprocessed; does each include name its folder?" \
        "of another folder"
}

finish
