# Completes a unit test: prints the file, and after it what runs its tests and tells main.c of them. The tests are the
# functions that CASE(MODULE__CASE) and CASE_WITH() of test.h define, in the order of the file. If one is in an #if, its
# entry is too.
# `static int set_up_group(void **state)` runs before the first test.
#
# A function that looks like a test and is none is an error, as is a file without tests.

FNR == 1 { name = FILENAME; gsub(/.*\/|\.c$/, "", name); print "#include \"modules.h\"\n#line 1 \"" FILENAME "\"" }
{ print }
/^#(if|el|endif)/ { table = table $0 "\n" }
/^CASE(_WITH)?\([a-z0-9_]+__[a-z0-9_]+[,)]/ { table = table entry($0); tests++; next }
/^static int set_up_group\(void \*\*state\)$/ { set_up = "set_up_group"; next }
/^([A-Z]+\(|[a-z].*([a-z0-9]__[a-z0-9_]+\(|\(void \*\*))/ { refuse(FNR ": this is neither a test nor set_up_group()") }
END {
    if (!tests) refuse(" there is no test")
    if (refused) exit 1
    print "\nstatic int run_module(void)\n{\n    const struct CMUnitTest tests[] = {\n" table "    };\n"
    print "    return cmocka_run_group_tests(tests, " (set_up ? set_up : "NULL") ", NULL);\n}"
    print "MODULE(" name ")"
}

function entry(line) { gsub(/^[A-Z_]+\(|[,)].*/, "", line); return "        cmocka_unit_test(" line "),\n" }
function refuse(problem) {
    print FILENAME ":" problem "; a test is CASE(MODULE__CASE)" >"/dev/stderr"
    refused = 1
}
