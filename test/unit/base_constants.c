#include "test.h"

#include "base/constants.h"

static void check(const char *text, const char *expected, bool found)
{
    CLEANUP(strvec_release) struct strvec constants = STRVEC_INIT;
    CLEANUP(strbuf_release) struct strbuf replaced = STRBUF_INIT;

    strvec_push_each(&constants, "k", "5000", "k.tex", "5,000", "e", "", NULL);
    assert_int_equal(constants_replace(&constants, text, strlen(text), &replaced), found);
    assert_string_equal(strbuf_string(&replaced), expected);
}

CASE(constants__replaced)
{
    check("{{k}}", "5000", true);
    check("a {{k}}{{k.tex}} b{{e}}", "a 50005,000 b", true);
    check("{{{k}}}", "{5000}", true);
    check("{{{{k}}", "{{5000", true);
}

CASE(constants__others_stay)
{
    check("", "", false);
    check("{{kk}} {{k.value2}} {{ k }} {{}} {{k} } {{k",
          "{{kk}} {{k.value2}} {{ k }} {{}} {{k} } {{k", false);
    check("{{k}", "{{k}", false);
}
