#include "test.h"

#include <string.h>

#include "cli/session/session_cells.h"

static void assert_complete(const char *text)
{
    if (!session_cell_is_complete(text, strlen(text)))
        fail_msg("not complete: %s", text);
}

static void assert_open(const char *text)
{
    if (session_cell_is_complete(text, strlen(text)))
        fail_msg("complete: %s", text);
}

CASE(session_cells__one_line)
{
    assert_complete("x = 1\n");
    assert_complete("f(a, [b], {c})\n");
    assert_complete("print('it is (open')\n");
    assert_complete("x = 'a\\'b'  \t\r\n");
    assert_complete("const f = a => a + 1;\n");
    assert_complete("x = 1 # don't\n");
    assert_complete(")\n"); /* wrong, which the interpreter says better */
    assert_complete("`${a}`\n");
}

CASE(session_cells__lines_that_go_on)
{
    assert_open("");
    assert_open("def f(a):\n");
    assert_open("x = [1,\n");
    assert_open("x = [\n");
    assert_open("if (a) {\n");
    assert_open("x = 1 + \\\n");
    assert_open("@decorator\n");
    assert_open("x = \"\"\"text\n");
    assert_open("x = `text\n");
    assert_open("for x in y:   \n");
}

CASE(session_cells__a_closed_bracket_ends)
{
    assert_complete("x = [1,\n2]\n");
    assert_complete("function f(n) {\n  return n;\n}\n");
    assert_complete("switch (a) {\ncase 1:\n  b();\n}\n"); /* this colon begins no block */
    assert_complete("x = \"\"\"a:\nb\"\"\"\n");
    assert_complete("x = 1 + \\\n2\n");
    assert_open("f(1,\n2),\n");
    assert_open("def f(a,\n      b):\n");
    assert_open("for x in y:\n    z = [\n    ]\n");
    assert_open("@decorator\nclass A: pass\n");
}

CASE(session_cells__an_empty_line_ends)
{
    assert_open("def f(a):\n    return a\n");
    assert_complete("def f(a):\n    return a\n\n");
    assert_complete("def f(a):\n    return a\n  \t\n");
    assert_open("x = [\n\n");
    assert_open("x = '''\n\n");
    assert_complete("x = '''\n\n'''\n\n");
    assert_complete("x = [\n  1]\n\n");
    assert_complete("@decorator\ndef f(): pass\n\n");
}

CASE(session_cells__separators)
{
    assert_true(session_cell_is_separator("# %%", 4));
    assert_true(session_cell_is_separator("#%% load", 8));
    assert_true(session_cell_is_separator("// %% draw", 10));
    assert_true(session_cell_is_separator("//%%", 4));
    assert_false(session_cell_is_separator("# %", 3));
    assert_false(session_cell_is_separator(" # %%", 5));
    assert_false(session_cell_is_separator("", 0));
    assert_false(session_cell_is_separator("# %%", 3)); /* bounded by the length */
}
