#include "test.h"

#include "config/manual.h"

const struct manual_page manual_pages[] = {{"isolator", "first"},
                                           {"isolator-gc", "second"},
                                           {"isolator_config.json", "third"},
                                           {NULL, NULL}};

CASE(manual__pages_by_name_or_command)
{
    assert_string_equal(manual_find("isolator"), "first");
    assert_string_equal(manual_find("isolator-gc"), "second");
    assert_string_equal(manual_find("gc"), "second");
    assert_string_equal(manual_find("isolator_config.json"), "third");
}

CASE(manual__unknown_names)
{
    static const char *const names[] = {"",  "run", "isolator-", "isolator-g", "isolator-isolator",
                                        "GC"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_null(manual_find(names[i]));
}
