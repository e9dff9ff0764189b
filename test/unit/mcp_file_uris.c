#include "json.h"

#include "mcp/file_uris.h"

/* A directory of input files with "a b.csv", and a store with one file. */
struct fixture {
    char *directory;
    struct config config;
    struct result_store store;
    char id[STORED_ID_SIZE];
    struct file_uris uris;
};

static void set_up(struct fixture *fixture)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct stored_result *stored = stored_result_new(NULL, 0);

    *fixture = (struct fixture){.directory = temp_create()};
    set_up_config(&fixture->config, NULL);
    fixture->config.inputs_dir = string_copy(fixture->directory);
    write_in(fixture->directory, "a b.csv", "input");
    result_store_init(&fixture->store, 1 << 20);
    memcpy(fixture->id, stored_result_id(stored), sizeof fixture->id);
    assert_int_equal(stored_result_add(stored, "files/d/x%?", "text/csv", "artifact", 8, &error),
                     0);
    result_store_add(&fixture->store, stored);
    fixture->uris = (struct file_uris){&fixture->config, &fixture->store};
}

static void tear_down(struct fixture *fixture)
{
    result_store_release(&fixture->store);
    config_release(&fixture->config);
    temp_remove(fixture->directory);
}

static void check_opened(struct fixture *fixture, const char *uri, const char *content)
{
    const struct file_opener opener = file_uris_opener(&fixture->uris);
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct file_range range;
    char data[100] = "";
    const int result = opener.open(opener.context, uri, &range, &error);

    assert_no_error(&error);
    assert_int_equal(result, 0);
    assert_int_equal(range.length, strlen(content));
    assert_int_equal(shared_file_read(range.file, range.offset, data, strlen(content)), 0);
    assert_string_equal(data, content);
    shared_file_release(range.file);
}

static void check_refused(struct fixture *fixture, const char *uri, const char *message)
{
    const struct file_opener opener = file_uris_opener(&fixture->uris);
    struct error error = ERROR_INIT;
    struct file_range range;

    assert_int_equal(opener.open(opener.context, uri, &range, &error), -1);
    assert_error(&error, ERROR_INPUT, message);
}

CASE_WITH(file_uris__of_a_call, set_up(fixture))
{
    static const char unknown[] =
        "this server knows no such run; copy the uri from the result of a call";
    static const char other[] = "must be isolator://runs/ID/files/NAME, as a result names it, or "
                                "isolator://inputs/NAME";
    CLEANUP_FREE char *uri = NULL;
    CLEANUP_FREE char *part = NULL;
    CLEANUP_FREE char *longer = NULL;

    uri = string_format("isolator://runs/%s/files/d/x%%25%%3F", fixture->id);
    part = string_format("%s?offset=0", uri);
    longer = string_format("isolator://runs/%s0/files/d/x%%25%%3F", fixture->id);
    check_opened(fixture, uri, "artifact");
    check_opened(fixture, "isolator://inputs/a%20b.csv", "input");
    check_opened(fixture, "isolator://inputs/a b.csv", "input"); /* as models write it */
    check_refused(fixture, part, "a call gets the whole file; leave out the '?'");
    check_refused(fixture, longer, unknown);
    check_refused(fixture, "isolator://runs/", unknown);
    check_refused(fixture, "isolator://runs/0123456789abcdef/files/x", unknown);
    check_refused(fixture, "", other);
    check_refused(fixture, "file:///etc/passwd", other);
    check_refused(fixture, "isolator://snippets/a.py", other);
    check_refused(fixture, "ISOLATOR://inputs/a%20b.csv", other);
    check_refused(fixture, "isolator://inputs/..%2Fa",
                  "there is no input file '../a'; known are: a b.csv");
    check_refused(fixture, "isolator://inputs/a%00",
                  "there is no input file ''; known are: a b.csv");
}

static void check_split(const char *uri, const char *plain, long long offset, long long length)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    long long got_offset, got_length;
    CLEANUP_FREE char *got = file_uris_split(uri, &got_offset, &got_length, &error);

    assert_no_error(&error);
    assert_string_equal(got, plain);
    assert_int_equal(got_offset, offset);
    assert_int_equal(got_length, length);
}

CASE(file_uris__queries)
{
    check_split("isolator://inputs/a", "isolator://inputs/a", -1, -1);
    check_split("x?offset=0", "x", 0, -1);
    check_split("x?length=012", "x", -1, 12);
    check_split("x?offset=999999999999999&length=1", "x", 999999999999999, 1);
    check_split("x?length=1&offset=2", "x", 2, 1);
}
