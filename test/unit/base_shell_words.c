#include "test.h"

#include "base/shell_words.h"

static void check(const char *word, const char *expected)
{
    CLEANUP(strvec_release) struct strvec words = STRVEC_INIT;
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    strvec_push(&words, word);
    shell_words_add(&text, &words);
    assert_string_equal(strbuf_string(&text), expected);
}

CASE(shell_words__quotes_what_shells_would_change)
{
    check("/usr/local/bin/isolator-mcp", "/usr/local/bin/isolator-mcp");
    check("--config", "--config");
    check("me@server", "me@server");
    check("", "''");
    check("two words", "'two words'");
    check("it's", "'it'\\''s'");
    check("$(reboot)", "'$(reboot)'");
    check("a;b", "'a;b'");
    check("~/x", "'~/x'");
    check("A=b", "'A=b'");
    check("caf\xc3\xa9", "'caf\xc3\xa9'");
    check("a\nb", "'a\nb'");
    check("{\"a\": 1}", "'{\"a\": 1}'");
}

CASE(shell_words__a_shell_reads_them_unchanged)
{
    static const char *const all[] = {"a b",   "",    "it's", "\\", "\"",
                                      "$HOME", "`x`", "*",    "-n", "a\tb"};
    CLEANUP(strvec_release) struct strvec words = STRVEC_INIT;
    CLEANUP(strbuf_release) struct strbuf script = STRBUF_INIT;
    char got[256];
    FILE *shell;

    strvec_push_each(&words, "printf", "<%s>", NULL);
    for (size_t i = 0; i < COUNT(all); i++)
        strvec_push(&words, all[i]);
    shell_words_add(&script, &words);
    shell = popen(strbuf_string(&script), "r");
    assert_non_null(shell);
    got[fread(got, 1, sizeof got - 1, shell)] = '\0';
    assert_int_equal(pclose(shell), 0);
    assert_string_equal(got, "<a b><><it's><\\><\"><$HOME><`x`><*><-n><a\tb>");
}
