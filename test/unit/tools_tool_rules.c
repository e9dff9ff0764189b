#include "test.h"

#include "tools/tool_rules.h"

/* Patterns of one letter of `allow` or `ask`, NULL: not given. */
static enum tool_verdict verdict(const char *allow, const char *ask, const char *name, bool hint)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct tool_server server = {.has_allow = allow != NULL};
    struct tool_rules rules;
    enum tool_verdict result;

    if (allow && *allow)
        strvec_push(&server.allow, allow);
    if (ask)
        strvec_push(&server.ask, ask);
    assert_int_equal(tool_rules_init(&rules, &server, &error), 0);
    result = tool_rules_verdict(&rules, name, hint);
    tool_rules_release(&rules);
    tool_server_release(&server);
    return result;
}

CASE(tool_rules__patterns)
{
    assert_int_equal(verdict("list_*", NULL, "list_x", false), TOOL_ALLOWED);
    assert_int_equal(verdict("list_*", NULL, "list_", false), TOOL_ALLOWED);
    assert_int_equal(verdict("list_*", NULL, "xlist_x", true), TOOL_REFUSED);
    assert_int_equal(verdict("list_*", "*", "create", true), TOOL_ASK);
    assert_int_equal(verdict("list_*", "*", "list_a", false), TOOL_ALLOWED);
    assert_int_equal(verdict(NULL, "create", "create", false), TOOL_ASK);
    assert_int_equal(verdict(NULL, "create", "other", true), TOOL_REFUSED);
    assert_int_equal(verdict("a.?", NULL, "a.b", false), TOOL_ALLOWED);
    assert_int_equal(verdict("a.?", NULL, "a.bc", false), TOOL_REFUSED);
    assert_int_equal(verdict("a.b", NULL, "aXb", false), TOOL_REFUSED);
}

CASE(tool_rules__without_patterns_the_hint_decides)
{
    assert_int_equal(verdict(NULL, NULL, "x", true), TOOL_ALLOWED);
    assert_int_equal(verdict(NULL, NULL, "x", false), TOOL_REFUSED);
    assert_int_equal(verdict("", NULL, "x", true), TOOL_REFUSED); /* an empty list */
    assert_int_equal(verdict("", "x", "x", true), TOOL_ASK);
}

CASE(tool_rules__other_names_do_not_match)
{
    assert_int_equal(verdict("List", NULL, "list", true), TOOL_REFUSED);
    assert_int_equal(verdict("list", NULL, "List", true), TOOL_REFUSED);
    assert_int_equal(verdict("*", NULL, "l\xd1\x96st", true), TOOL_REFUSED); /* a Cyrillic i */
    assert_int_equal(verdict("list", NULL, "x/list", true), TOOL_REFUSED);
    assert_int_equal(verdict("*", NULL, "", true), TOOL_REFUSED);
    assert_int_equal(verdict("*", NULL, "a\nb", true), TOOL_REFUSED);
    assert_int_equal(verdict("*", NULL, ".hidden", true), TOOL_REFUSED);
    assert_int_equal(verdict(".*", NULL, ".hidden", true), TOOL_ALLOWED);
}
