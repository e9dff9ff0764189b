#include "test.h"

#include "config/drivers.h"

/* The kernel takes 131071 bytes in one argument; the drivers stay far below. */
enum { DRIVER_BYTES_MAX = 24576 };

/* The lines of the file without those that are comments; with `indented`, as they are, else without
 * the spaces they begin with. */
static void read_source(const char *path, const char *comment, bool indented, struct strbuf *text)
{
    FILE *file = fopen(path, "r");
    char line[1000];

    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        const char *words = line + strspn(line, " ");

        if (strncmp(words, comment, strlen(comment)) != 0)
            strbuf_addstr(text, indented ? line : words);
    }
    fclose(file);
}

static void check_driver(const char *placeholder, const char *path, const char *comment,
                         bool indented)
{
    CLEANUP(strbuf_release) struct strbuf source = STRBUF_INIT;
    const char *text = driver_text(placeholder);

    read_source(path, comment, indented, &source);
    assert_non_null(text);
    assert_string_equal(text, source.data);
    assert_in_range(strlen(text), 1000, DRIVER_BYTES_MAX);
}

CASE(drivers__texts)
{
    check_driver("{python_driver}", "src/drivers/python.py", "#", true);
    check_driver("{javascript_driver}", "src/drivers/javascript.js", "//", false);
}

CASE(drivers__node_proxy)
{
    CLEANUP(strbuf_release) struct strbuf source = STRBUF_INIT;

    read_source("src/drivers/node_proxy.js", "//", false, &source);
    assert_string_equal(driver_node_proxy(), source.data);
    assert_in_range(strlen(source.data), 1000, DRIVER_BYTES_MAX);
}

CASE(drivers__other_placeholders)
{
    assert_null(driver_text("{ruby_driver}"));
    assert_null(driver_text("python_driver"));
    assert_null(driver_text("{python_driver} "));
    assert_null(driver_text(""));
}
