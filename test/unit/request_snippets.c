#include "json.h"

#include "base/memory.h"
#include "config/config_load.h"
#include "request/snippets.h"

/* A configuration whose snippets are in "prompts" of the directory. */
struct fixture {
    char *directory, *prompts;
    struct config config;
};

static void set_up(struct fixture *fixture)
{
    fixture->directory = temp_create();
    fixture->prompts = path_in(fixture->directory, "prompts");
    assert_int_equal(mkdir(fixture->prompts, 0755), 0);
    set_up_config(&fixture->config, NULL);
    fixture->config.prompts_dir = string_copy(fixture->prompts);
}

static void tear_down(struct fixture *fixture)
{
    config_release(&fixture->config);
    free(fixture->prompts);
    temp_remove(fixture->directory);
}

static void add(const struct fixture *fixture, const char *name, const char *text)
{
    write_in(fixture->prompts, name, text);
}

static void add_link(const struct fixture *fixture, const char *name, const char *target)
{
    CLEANUP_FREE char *path = path_in(fixture->prompts, name);

    assert_int_equal(symlink(target, path), 0);
}

static void add_fifo(const struct fixture *fixture, const char *name)
{
    CLEANUP_FREE char *path = path_in(fixture->prompts, name);

    assert_int_equal(mkfifo(path, 0644), 0);
}

static void add_directory(const struct fixture *fixture, const char *name)
{
    CLEANUP_FREE char *path = path_in(fixture->prompts, name);

    assert_int_equal(mkdir(path, 0755), 0);
}

static void check_list(const struct fixture *fixture, const char *expected)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    CLEANUP_FREE char *joined = NULL;

    snippets_list(&fixture->config, &names);
    joined = strvec_join(&names, "|");
    assert_string_equal(joined, expected);
}

static void check_read(const struct fixture *fixture, const char *name, const char *data,
                       size_t length)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    size_t got_length = 0;
    CLEANUP_FREE char *got = snippet_read(&fixture->config, name, &got_length, &error);

    assert_no_error(&error);
    assert_non_null(got);
    assert_int_equal(got_length, length);
    assert_memory_equal(got, data, length);
    assert_int_equal(got[length], '\0');
}

static void check_not_read(const struct fixture *fixture, const char *name, enum error_kind kind,
                           const char *message)
{
    struct error error = ERROR_INIT;
    size_t length;

    assert_null(snippet_read(&fixture->config, name, &length, &error));
    assert_error(&error, kind, message);
}

static void check_found(const struct fixture *fixture, const char *name, const char *file)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *found = snippet_find(&fixture->config, name, &error);

    assert_no_error(&error);
    assert_text_or_null(found, file);
}

static void check_not_found(const struct fixture *fixture, const char *name, const char *message)
{
    struct error error = ERROR_INIT;

    assert_null(snippet_find(&fixture->config, name, &error));
    assert_error(&error, ERROR_USAGE, message);
}

/* Checks that the snippet is not found, and that the error lists the known ones; NULL: none. */
static void check_unknown(const struct fixture *fixture, const char *name, const char *shown,
                          const char *known)
{
    CLEANUP_FREE char *message =
        string_format("there is no snippet '%s'; %s%s", shown,
                      known ? "known are: " : "there are none", known ? known : "");

    check_not_found(fixture, name, message);
    check_not_read(fixture, name, ERROR_USAGE, message);
}

static void check_shortest(const struct fixture *fixture, const char *expected)
{
    CLEANUP(strvec_release) struct strvec files = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    CLEANUP_FREE char *joined = NULL;

    snippets_list(&fixture->config, &files);
    snippets_shortest_names(&files, &names);
    joined = strvec_join(&names, "|");
    assert_string_equal(joined, expected);
    for (size_t i = 0; i < names.count; i++)
        check_found(fixture, names.items[i], files.items[i]);
}

/* ---- the list */

CASE_WITH(snippets__sorted, set_up(fixture))
{
    check_list(fixture, "");
    add(fixture, "b.py", "");
    add(fixture, "a.sh", "");
    add(fixture, "B.py", "");
    add(fixture, "caf\xc3\xa9 1.py", "");
    check_list(fixture, "B.py|a.sh|b.py|caf\xc3\xa9 1.py");
}

CASE_WITH(snippets__only_files_in_a_language, set_up(fixture))
{
    add(fixture, "good.py", "");
    add(fixture, ".hidden.py", "");
    add(fixture, ".py", "");
    add(fixture, "README.md", "");
    add(fixture, "py", "");
    add(fixture, "old.py~", "");
    add(fixture, "upper.PY", "");
    add(fixture, "latin\xe9.py", "");
    check_list(fixture, "good.py|upper.PY");
}

CASE_WITH(snippets__only_regular_files, set_up(fixture))
{
    add(fixture, "good.py", "");
    add_link(fixture, "link.py", "good.py");
    add_link(fixture, "broken.py", "nowhere");
    add_fifo(fixture, "fifo.py");
    add_directory(fixture, "directory.py");
    write_in(fixture->prompts, "directory.py/below.py", "");
    check_list(fixture, "good.py");
}

CASE_WITH(snippets__without_a_directory, set_up(fixture))
{
    free(fixture->config.prompts_dir);
    fixture->config.prompts_dir = path_in(fixture->directory, "absent");
    check_list(fixture, "");
    check_unknown(fixture, "a.py", "a.py", NULL);
    assert_null(snippet_description(&fixture->config, "a.py"));
}

/* ---- names */

CASE_WITH(snippets__by_either_name, set_up(fixture))
{
    add(fixture, "hello_world.py", "");
    add(fixture, "a.b.sh", "");
    check_found(fixture, "hello_world.py", "hello_world.py");
    check_found(fixture, "hello_world", "hello_world.py");
    check_found(fixture, "a.b", "a.b.sh");
    check_unknown(fixture, "a", "a", "a.b, hello_world");
    check_unknown(fixture, "hello", "hello", "a.b, hello_world");
    check_unknown(fixture, "hello_world.", "hello_world.", "a.b, hello_world");
    check_unknown(fixture, "Hello_world", "Hello_world", "a.b, hello_world");
    check_shortest(fixture, "a.b|hello_world");
}

CASE_WITH(snippets__base_name_of_several, set_up(fixture))
{
    add(fixture, "x.sh", "");
    add(fixture, "x.py", "");
    add(fixture, "y.py", "");
    check_not_found(fixture, "x", "there are several snippets 'x'; give one of: x.py, x.sh");
    check_found(fixture, "x.sh", "x.sh");
    check_shortest(fixture, "x.py|x.sh|y");
    add(fixture, "\x1b.py", "");
    add(fixture, "\x1b.sh", "");
    check_not_found(fixture, "\x1b",
                    "there are several snippets '\\x1b'; give one of: \\x1b.py, \\x1b.sh");
}

/* A name that is both a base name and a file name means the file. */
CASE_WITH(snippets__file_name_goes_before_a_base_name, set_up(fixture))
{
    add(fixture, "a.py.sh", "");
    check_found(fixture, "a.py", "a.py.sh");
    check_shortest(fixture, "a.py");
    add(fixture, "a.py", "");
    check_found(fixture, "a.py", "a.py");
    check_found(fixture, "a", "a.py");
    check_shortest(fixture, "a|a.py.sh");
}

/* ---- contents */

CASE_WITH(snippets__are_read, set_up(fixture))
{
    CLEANUP_FREE char *path = NULL;

    add(fixture, "a b.py", "print(1)\n");
    add(fixture, "empty.sh", "");
    path = path_in(fixture->prompts, "bytes.py");
    write_bytes(path, "\0\xff\n", 3, 0644);
    check_read(fixture, "a b.py", "print(1)\n", 9);
    check_read(fixture, "empty.sh", "", 0);
    check_read(fixture, "bytes.py", "\0\xff\n", 3);
}

CASE_WITH(snippets__that_there_are_none_of, set_up(fixture))
{
    check_unknown(fixture, "a.py", "a.py", NULL);
    add(fixture, "b.py", "");
    add(fixture, "a.sh", "");
    check_unknown(fixture, "a.py", "a.py", "a, b");
    check_unknown(fixture, "B.py", "B.py", "a, b");
    check_unknown(fixture, "c", "c", "a, b");
    check_unknown(fixture, "", "", "a, b");
    check_unknown(fixture, "x\x1b.py", "x\\x1b.py", "a, b");
}

CASE_WITH(snippets__names_that_lead_elsewhere, set_up(fixture))
{
    CLEANUP_FREE char *absolute = NULL;

    add(fixture, "good.py", "");
    add(fixture, ".hidden.py", "");
    add(fixture, "README.md", "");
    write_in(fixture->directory, "outside.py", "secret");
    add_link(fixture, "link.py", "../outside.py");
    add_fifo(fixture, "fifo.py"); /* must not block */
    add_directory(fixture, "directory.py");
    write_in(fixture->prompts, "directory.py/below.py", "");
    absolute = path_in(fixture->directory, "outside.py");
    check_unknown(fixture, "../outside.py", "../outside.py", "good");
    check_unknown(fixture, absolute, absolute, "good");
    check_unknown(fixture, "./good.py", "./good.py", "good");
    check_unknown(fixture, "directory.py/below.py", "directory.py/below.py", "good");
    check_unknown(fixture, "directory.py", "directory.py", "good");
    check_unknown(fixture, ".hidden.py", ".hidden.py", "good");
    check_unknown(fixture, "README.md", "README.md", "good");
    check_unknown(fixture, "link.py", "link.py", "good");
    check_unknown(fixture, "fifo.py", "fifo.py", "good");
    check_unknown(fixture, "../outside", "../outside", "good");
    check_unknown(fixture, "directory", "directory", "good");
    check_unknown(fixture, ".hidden", ".hidden", "good");
    check_unknown(fixture, "README", "README", "good");
    check_unknown(fixture, "link", "link", "good");
    check_unknown(fixture, "fifo", "fifo", "good");
}

CASE(snippets__that_are_too_large)
{
    struct fixture fixture;
    CLEANUP_FREE char *text = memory_allocate(524289);
    CLEANUP_FREE char *path = NULL;

    memset(text, '#', 524289);
    set_up(&fixture);
    path = path_in(fixture.prompts, "a.py");
    write_bytes(path, text, 524288, 0644);
    check_read(&fixture, "a.py", text, 524288);
    write_bytes(path, text, 524289, 0644);
    check_not_read(&fixture, "a.py", ERROR_INPUT, "the snippet 'a.py' is larger than 512 KiB");
    CLEANUP_FREE char *odd = path_in(fixture.prompts, "\x1b.py");
    write_bytes(odd, text, 524289, 0644);
    check_not_read(&fixture, "\x1b.py", ERROR_INPUT,
                   "the snippet '\\x1b.py' is larger than 512 KiB");
    tear_down(&fixture);
}

/* ---- descriptions */

static void check_description(const char *text, const char *expected)
{
    struct fixture fixture;
    CLEANUP_FREE char *seen = NULL;

    set_up(&fixture);
    add(&fixture, "a.py", text);
    seen = snippet_description(&fixture.config, "a.py");
    assert_text_or_null(seen, expected);
    tear_down(&fixture);
}

CASE(snippets__descriptions)
{
    check_description("# Says hello.\nprint(1)\n", "Says hello.");
    check_description("// Says hello.\n", "Says hello.");
    check_description("#No space, no newline", "No space, no newline");
    check_description("##  Says # and //\r\nmore", "Says # and //");
    check_description("#!/usr/bin/env python3\n# Says hello.\n", "Says hello.");
    check_description("# tab\there \x1b[0m caf\xc3\xa9\n", "tab\\there \\x1b[0m caf\xc3\xa9");
}

CASE(snippets__without_a_description)
{
    check_description("", NULL);
    check_description("print(1) # no\n", NULL);
    check_description("\n# the second line\n", NULL);
    check_description("#\n# the second line\n", NULL);
    check_description("#   \n", NULL);
    check_description("/* of C */\n", NULL);
    check_description("#!/usr/bin/env python3", NULL);
    check_description("#!/bin/sh\necho\n# later\n", NULL);
}

CASE(snippets__long_descriptions_are_cut)
{
    char text[402], expected[299];

    memset(text, 'd', sizeof text);
    memcpy(text, "# ", 2);
    text[401] = '\0';
    memset(expected, 'd', sizeof expected);
    expected[298] = '\0';
    check_description(text, expected);
    memcpy(text + 299, "\xe2\x82\xac", 4); /* a character that does not fit is omitted completely */
    expected[297] = '\0';
    check_description(text, expected);
}

CASE_WITH(snippets__descriptions_of_what_is_no_file, set_up(fixture))
{
    write_in(fixture->directory, "outside.py", "# secret\n");
    add_link(fixture, "link.py", "../outside.py");
    add_fifo(fixture, "fifo.py");
    assert_null(snippet_description(&fixture->config, "link.py"));
    assert_null(snippet_description(&fixture->config, "fifo.py"));
    assert_null(snippet_description(&fixture->config, "absent.py"));
}

CASE(snippets__types)
{
    assert_string_equal(snippet_mime_type("a.py"), "text/x-python");
    assert_string_equal(snippet_mime_type("a.b.go"), "text/x-go");
    assert_string_equal(snippet_mime_type("a.js"), "text/javascript");
    assert_string_equal(snippet_mime_type("a.mjs"), "text/javascript");
    assert_string_equal(snippet_mime_type("a.json"), "application/json");
    assert_string_equal(snippet_mime_type("a.unknown"), "text/plain");
    assert_string_equal(snippet_mime_type("a.PY"), "text/plain");
    assert_string_equal(snippet_mime_type("py"), "text/plain");
    assert_string_equal(snippet_mime_type("a."), "text/plain");
}

/* Without promptsDir there are those that are built in. Each has a base name of its own. */
CASE(snippets__built_in)
{
    CLEANUP(strvec_release) struct strvec files = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(config_release) struct config config;
    CLEANUP_FREE char *found = NULL, *text = NULL, *description = NULL;
    size_t length = 0;

    config_init(&config);
    assert_int_equal(config_load_built_in(&config, &error), 0);
    assert_int_equal(snippets_check(&config, &error), 0);
    snippets_list(&config, &files);
    snippets_shortest_names(&files, &names);
    assert_in_range(files.count, 10, 1000);
    for (size_t i = 0; i < names.count; i++) {
        if (strchr(names.items[i], '.'))
            fail_msg("the base name of %s is not its own", names.items[i]);
        assert_true(i == 0 || strcmp(files.items[i - 1], files.items[i]) < 0);
    }
    found = snippet_find(&config, "hello_world", &error);
    assert_string_equal(found, "hello_world.py");
    text = snippet_read(&config, found, &length, &error);
    assert_int_equal(length, strlen(text));
    assert_non_null(strstr(text, "print(\"Hello, World from Python!\")\n"));
    description = snippet_description(&config, found);
    assert_non_null(description);
    assert_null(snippet_read(&config, "hello", &length, &error));
    assert_non_null(strstr(error.message, "there is no snippet 'hello'; known are: csv_summary, "));
}
