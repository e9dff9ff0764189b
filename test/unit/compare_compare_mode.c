#include "test.h"

#include "compare/compare_mode.h"

CASE(compare_mode__names)
{
    static const char *const names[] = {[COMPARE_TRIM] = "trim",
                                        [COMPARE_EXACT] = "exact",
                                        [COMPARE_TOKENS] = "tokens",
                                        [COMPARE_FLOAT] = "float",
                                        [COMPARE_LINES] = "lines"};

    for (size_t i = 0; i < COUNT(names); i++) {
        CLEANUP(error_release) struct error error = ERROR_INIT;
        enum comparison_mode mode = (enum comparison_mode)77;

        assert_int_equal(comparison_mode_parse(names[i], &mode, &error), 0);
        assert_no_error(&error);
        assert_int_equal(mode, i);
    }
}

static void check_unknown(const char *name, const char *shown)
{
    CLEANUP_FREE char *message = string_format(
        "'%s' is not a way to compare; use trim, exact, tokens, float or lines", shown);
    enum comparison_mode mode = (enum comparison_mode)77;
    struct error error = ERROR_INIT;

    assert_int_equal(comparison_mode_parse(name, &mode, &error), -1);
    assert_error(&error, ERROR_USAGE, message);
    assert_int_equal(mode, 77);
}

CASE(compare_mode__unknown_names)
{
    check_unknown("", "");
    check_unknown("Trim", "Trim");
    check_unknown("trim ", "trim ");
    check_unknown("diff\n\033", "diff\\n\\x1b");
    check_unknown(
        "123456789012345678901234567890123456789012345678901234567890123456789012345678901",
        "12345678901234567890123456789012345678901234567890123456789012345678901234567890"
        "...");
}
