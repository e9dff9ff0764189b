# Completes a unit test: prints the file, and after it what runs its tests and tells main.c of them. The tests are the
# functions `static void MODULE__CASE(void **state)`, in the order of the file. If one is in an #if, its entry is too.
# `static int set_up_group(void **state)` runs before the first test.
#
# A function that looks like a test and is none is an error, as is a file without tests.

FNR == 1 { name = FILENAME; gsub(/.*\/|\.c$/, "", name); print "#include \"modules.h\"\n#line 1 \"" FILENAME "\"" }
{ print }
/^#(if|el|endif)/ { table = table $0 "\n" }
/^static void [a-z0-9_]+__[a-z0-9_]+\(void \*\*state\)$/ { table = table entry($3); tests++; next }
/^static int set_up_group\(void \*\*state\)$/ { set_up = "set_up_group"; next }
/^[a-z].*([a-z0-9]__[a-z0-9_]+\(|\(void \*\*)/ { refuse(FNR ": this is neither a test nor set_up_group()") }
END {
    if (!tests) refuse(" there is no test")
    if (refused) exit 1
    print "\nstatic int run_module(void)\n{\n    const struct CMUnitTest tests[] = {\n" table "    };\n"
    print "    return cmocka_run_group_tests(tests, " (set_up ? set_up : "NULL") ", NULL);\n}"
    print "MODULE(" name ")"
}

function entry(declarator) { sub(/\(.*/, "", declarator); return "        cmocka_unit_test(" declarator "),\n" }
function refuse(problem) {
    print FILENAME ":" problem "; a test is 'static void MODULE__CASE(void **state)'" >"/dev/stderr"
    refused = 1
}
