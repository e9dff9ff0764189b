#include "test.h"

#include "config/manual.h"

const struct manual_page manual_pages[] = {{"isolator", "first"},
                                           {"isolator-gc", "second"},
                                           {"isolator_config.json", "third"},
                                           {NULL, NULL}};

static void manual__pages_by_name_or_command(void **state)
{
    (void)state;
    assert_string_equal(manual_find("isolator"), "first");
    assert_string_equal(manual_find("isolator-gc"), "second");
    assert_string_equal(manual_find("gc"), "second");
    assert_string_equal(manual_find("isolator_config.json"), "third");
}

static void manual__unknown_names(void **state)
{
    static const char *const names[] = {"",  "run", "isolator-", "isolator-g", "isolator-isolator",
                                        "GC"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_null(manual_find(names[i]));
}
