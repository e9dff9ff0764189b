#include "test.h"

#include "base/difference.h"

/* NULL as `before`: there is no file. */
static void check(const char *before, const char *after, const char *expected)
{
    CLEANUP(strbuf_release) struct strbuf old = STRBUF_INIT;
    CLEANUP(strbuf_release) struct strbuf new = STRBUF_INIT;
    CLEANUP_FREE char *got = NULL;

    strbuf_addstr(&old, before ? before : "");
    strbuf_addstr(&new, after);
    got = difference_of("f", before ? &old : NULL, &new);
    assert_string_equal(got, expected);
}

CASE(difference__one_hunk_with_context)
{
    check("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n5a\n6\n7\n8\n9\n",
          "--- f\n+++ f\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n+5a\n 6\n 7\n 8\n");
    check("1\n2\n", "1\nx\n2\n", "--- f\n+++ f\n@@ -1,2 +1,3 @@\n 1\n+x\n 2\n");
    check("1\n1\n", "1\n", "--- f\n+++ f\n@@ -1,2 +1,1 @@\n 1\n-1\n");
}

CASE(difference__files_that_begin_and_end)
{
    check(NULL, "1\n2\n", "--- /dev/null\n+++ f\n@@ -0,0 +1,2 @@\n+1\n+2\n");
    check("", "1\n", "--- f\n+++ f\n@@ -0,0 +1,1 @@\n+1\n");
    check("1", "1\n2",
          "--- f\n+++ f\n@@ -1,1 +1,2 @@\n-1\n\\ No newline at end of file\n+1\n+2\n"
          "\\ No newline at end of file\n");
    check("0\n1", "2\n1",
          "--- f\n+++ f\n@@ -1,2 +1,2 @@\n-0\n+2\n 1\n\\ No newline at end of file\n");
}

CASE(difference__is_safe_for_a_terminal)
{
    check("\ta\x1b[2J\r\n", "\ta\x1b[2J\r\nb\n",
          "--- f\n+++ f\n@@ -1,1 +1,2 @@\n \ta\\x1b[2J\n+b\n");
}
