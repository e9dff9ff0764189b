#include "mcp_client.h"

#include "base/memory.h"
#include "mcp/jsonrpc.h"
#include "mcp/resources.h"
#include "mcp/responder.h"

/* A configuration with a directory of snippets, and an empty store. */
struct fixture {
    char *directory;
    struct config config;
    struct result_store store;
    struct error error;
};

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.directory = temp_create()};
    set_up_config(&fixture->config, NULL);
    fixture->config.prompts_dir = string_copy(fixture->directory);
    result_store_init(&fixture->store);
}

static void tear_down(struct fixture *fixture)
{
    error_release(&fixture->error);
    result_store_release(&fixture->store);
    config_release(&fixture->config);
    temp_remove(fixture->directory);
}

/* Adds this many snippets, "0000.py" and so on. */
static void add_snippets(const struct fixture *fixture, int count)
{
    for (int i = 0; i < count; i++) {
        CLEANUP_FREE char *name = string_format("%04d.py", i);
        write_in(fixture->directory, name, "");
    }
}

static json_t *read_uri(struct fixture *fixture, const char *uri)
{
    return resources_read(&fixture->config, &fixture->store, uri, &fixture->error);
}

static void check_read(struct fixture *fixture, const char *uri, const char *expected)
{
    json_t *result = read_uri(fixture, uri);

    assert_no_error(&fixture->error);
    check_new_json(result, expected);
}

/* Checks only the message, since the kind of the error is always the same. */
static void check_not_read(struct fixture *fixture, const char *uri, const char *message)
{
    assert_null(read_uri(fixture, uri));
    assert_error(&fixture->error, fixture->error.kind, message);
}

/* ---- the list */

static void resources__are_listed(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture);
    check_new_json(resources_list(&fixture.config, NULL), "{\"resources\":[]}");
    write_in(fixture.directory, "b.sh", "echo\n");
    write_in(fixture.directory, "a.py", "# Says hello.\n");
    check_new_json(
        resources_list(&fixture.config, NULL),
        "{\"resources\":["
        "{\"uri\":\"isolator://snippets/a.py\",\"name\":\"a.py\",\"mimeType\":\"text/x-python\","
        "\"description\":\"Says hello.\"},"
        "{\"uri\":\"isolator://snippets/b.sh\",\"name\":\"b.sh\","
        "\"mimeType\":\"text/x-shellscript\"}]}");
    tear_down(&fixture);
}

static void check_uri(const char *name, const char *expected)
{
    struct fixture fixture;
    json_t *list, *content;

    set_up(&fixture);
    write_in(fixture.directory, name, "content");
    list = resources_list(&fixture.config, NULL);
    assert_string_equal(string_at(list, "resources.0.uri"), expected);
    assert_string_equal(string_at(list, "resources.0.name"), name);
    content = read_uri(&fixture, expected); /* the URI leads to the snippet */
    assert_string_equal(string_at(content, "contents.0.uri"), expected);
    assert_string_equal(string_at(content, "contents.0.text"), "content");
    json_decref(content);
    json_decref(list);
    tear_down(&fixture);
}

static void resources__names_in_uris(void **state)
{
    (void)state;
    check_uri("aZ09-._~.py", "isolator://snippets/aZ09-._~.py");
    check_uri("a b.py", "isolator://snippets/a%20b.py");
    check_uri("100%.py", "isolator://snippets/100%25.py");
    check_uri("a?b#c&d=e+f.py", "isolator://snippets/a%3Fb%23c%26d%3De%2Bf.py");
    check_uri("caf\xc3\xa9.py", "isolator://snippets/caf%C3%A9.py");
    check_uri("%41.py", "isolator://snippets/%2541.py");
}

/* Follows the cursors, and checks the number of snippets on each page. */
static void check_pages(int count, const char *expected)
{
    CLEANUP(strbuf_release) struct strbuf seen = STRBUF_INIT;
    CLEANUP_FREE char *cursor = NULL;
    struct fixture fixture;
    int total = 0;

    set_up(&fixture);
    add_snippets(&fixture, count);
    for (;;) {
        json_t *page = resources_list(&fixture.config, cursor);
        const json_t *resources = json_object_get(page, "resources");
        const json_t *next = json_object_get(page, "nextCursor");

        assert_non_null(page);
        for (size_t i = 0; i < json_array_size(resources); i++, total++) {
            CLEANUP_FREE char *name = string_format("%04d.py", total);
            assert_string_equal(string_at(json_array_get(resources, i), "name"), name);
        }
        strbuf_addf(&seen, "%zu ", json_array_size(resources));
        free(steal_pointer(&cursor));
        cursor = next ? string_copy(json_string_value(next)) : NULL;
        json_decref(page);
        if (!cursor)
            break;
    }
    assert_int_equal(total, count);
    assert_string_equal(strbuf_string(&seen), expected);
    tear_down(&fixture);
}

static void resources__pages(void **state)
{
    (void)state;
    check_pages(1, "1 ");
    check_pages(100, "100 ");
    check_pages(101, "100 1 ");
    check_pages(250, "100 100 50 ");
}

static void resources__invalid_cursors(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture);
    assert_null(resources_list(&fixture.config, ""));
    assert_null(resources_list(&fixture.config, "0000.py"));
    add_snippets(&fixture, 3);
    assert_null(resources_list(&fixture.config, ""));
    assert_null(resources_list(&fixture.config, "0003.py"));
    assert_null(resources_list(&fixture.config, "isolator://snippets/0000.py"));
    check_new_json(resources_list(&fixture.config, "0002.py"), "{\"resources\":[]}");
    tear_down(&fixture);
}

static void resources__templates(void **state)
{
    (void)state;
    check_new_json(
        resources_templates(),
        "{\"resourceTemplates\":[{\"uriTemplate\":\"isolator://snippets/{snippet_name}\","
        "\"name\":\"snippet\",\"description\":\"A stored snippet; execute_code runs it by "
        "snippet_name.\",\"mimeType\":\"text/plain\"}]}");
}

/* ---- snippets */

static void resources__snippets_are_read(void **state)
{
    struct fixture fixture;
    CLEANUP_FREE char *path = NULL;

    (void)state;
    set_up(&fixture);
    write_in(fixture.directory, "a b.py", "print(1)\n");
    check_read(&fixture, "isolator://snippets/a%20b.py",
               "{\"contents\":[{\"uri\":\"isolator://snippets/a%20b.py\","
               "\"mimeType\":\"text/x-python\",\"text\":\"print(1)\\n\"}]}");
    check_read(&fixture, "isolator://snippets/%61 b%2epy",
               "{\"contents\":[{\"uri\":\"isolator://snippets/%61 b%2epy\","
               "\"mimeType\":\"text/x-python\",\"text\":\"print(1)\\n\"}]}");
    path = path_in(fixture.directory, "c.sh");
    write_bytes(path, "\xff\0", 2, 0644);
    check_read(&fixture, "isolator://snippets/c.sh",
               "{\"contents\":[{\"uri\":\"isolator://snippets/c.sh\","
               "\"mimeType\":\"text/x-shellscript\",\"text\":\"\xef\xbf\xbd\\u0000\"}]}");
    check_read(&fixture, "isolator://snippets/c",
               "{\"contents\":[{\"uri\":\"isolator://snippets/c\","
               "\"mimeType\":\"text/x-shellscript\",\"text\":\"\xef\xbf\xbd\\u0000\"}]}");
    tear_down(&fixture);
}

static void resources__unknown_snippets(void **state)
{
    static const char *const bad[] = {"%", "%6", "%zz.py", "%6g.py", "a%00.py", ""};
    struct fixture fixture;

    (void)state;
    set_up(&fixture);
    write_in(fixture.directory, "a.py", "");
    check_not_read(&fixture, "isolator://snippets/b.py",
                   "there is no snippet 'b.py'; known are: a");
    check_not_read(&fixture, "isolator://snippets/..%2Fa.py",
                   "there is no snippet '../a.py'; known are: a");
    for (size_t i = 0; i < COUNT(bad); i++) {
        CLEANUP_FREE char *uri = string_format("isolator://snippets/%s", bad[i]);
        check_not_read(&fixture, uri, "there is no snippet ''; known are: a");
    }
    tear_down(&fixture);
}

static void resources__other_uris(void **state)
{
    static const char *const others[] = {"",
                                         "a.py",
                                         "file:///etc/passwd",
                                         "isolator://",
                                         "ISOLATOR://snippets/a.py",
                                         "isolator://snippets"};
    struct fixture fixture;

    (void)state;
    set_up(&fixture);
    write_in(fixture.directory, "a.py", "");
    for (size_t i = 0; i < COUNT(others); i++)
        check_not_read(&fixture, others[i],
                       "a resource URI begins with isolator://snippets/ or isolator://runs/");
    tear_down(&fixture);
}

/* 512 KiB become six times as large if JSON escapes each byte. */
static void resources__snippet_that_does_not_fit_into_a_message(void **state)
{
    CLEANUP_FREE char *text = memory_allocate(524288);
    CLEANUP_FREE char *path = NULL;
    struct fixture fixture;

    (void)state;
    set_up(&fixture);
    path = path_in(fixture.directory, "a.py");
    memset(text, 'x', 524288);
    write_bytes(path, text, 524288, 0644);
    json_decref(read_uri(&fixture, "isolator://snippets/a.py"));
    assert_no_error(&fixture.error);
    memset(text, '\x01', 524288);
    write_bytes(path, text, 524288, 0644);
    check_not_read(&fixture, "isolator://snippets/a.py",
                   "the resource is too large for one message");
    tear_down(&fixture);
}

/* ---- stored results */

/* Stores `length` of this byte as stdout and "err" as stderr. Returns the URI, owned. */
static char *store_output(struct fixture *fixture, char byte, size_t length, const char *stream)
{
    struct strbuf text[2] = {STRBUF_INIT, STRBUF_INIT};
    CLEANUP_FREE char *bytes = memory_allocate(length);
    struct stored_result *stored = stored_result_new();
    char id[STORED_ID_SIZE];

    memset(bytes, byte, length);
    strbuf_add(&text[0], bytes, length);
    strbuf_addstr(&text[1], "err");
    memcpy(id, stored_result_id(stored), sizeof id);
    for (int i = 0; i < 2; i++)
        stored_result_add(stored, stream_names[i], "text/plain", &text[i]);
    result_store_add(&fixture->store, stored);
    return string_format("isolator://runs/%s/%s", id, stream);
}

static void check_stream(const char *stream, const char *text)
{
    struct fixture fixture;
    CLEANUP_FREE char *uri = NULL;
    CLEANUP_FREE char *expected = NULL;

    set_up(&fixture);
    uri = store_output(&fixture, 'x', 3, stream);
    expected = string_format("{\"contents\":[{\"uri\":\"%s\",\"mimeType\":\"text/plain\","
                             "\"text\":\"%s\"}]}",
                             uri, text);
    check_read(&fixture, uri, expected);
    tear_down(&fixture);
}

static void resources__output_is_read(void **state)
{
    (void)state;
    check_stream("stdout", "xxx");
    check_stream("stderr", "err");
}

static void resources__output_that_is_not_stored(void **state)
{
    static const char *const streams[] = {"", "stdin", "stdout/", "stdout2", "/stdout", "STDOUT"};
    static const char *const others[] = {"", "/stdout", "0123456789abcdef/stdout",
                                         "0123456789abcdef0123456789abcdef/stdout"};
    struct fixture fixture;

    (void)state;
    set_up(&fixture);
    for (size_t i = 0; i < COUNT(streams); i++) {
        CLEANUP_FREE char *uri = store_output(&fixture, 'x', 1, streams[i]);
        check_not_read(&fixture, uri, "this output has expired or never existed");
    }
    for (size_t i = 0; i < COUNT(others); i++) {
        CLEANUP_FREE char *uri = string_format("isolator://runs/%s", others[i]);
        check_not_read(&fixture, uri, "this output has expired or never existed");
    }
    tear_down(&fixture);
}

/* Checks the length of the text, or, if 0 is expected, that its middle is omitted. */
static void check_fits(char byte, size_t length, size_t expected)
{
    struct fixture fixture;
    CLEANUP_FREE char *uri = NULL;
    json_t *result;
    const char *text;

    set_up(&fixture);
    uri = store_output(&fixture, byte, length, "stdout");
    result = read_uri(&fixture, uri);
    assert_no_error(&fixture.error);
    assert_in_range(jsonrpc_size(result), 300000, MESSAGE_MAX - 10000);
    text = string_at(result, "contents.0.text");
    if (expected > 0)
        assert_int_equal(strlen(text), expected);
    else
        assert_non_null(strstr(text, " bytes left out ...]"));
    json_decref(result);
    tear_down(&fixture);
}

static void resources__output_is_cut_to_fit_into_a_message(void **state)
{
    (void)state;
    check_fits('x', 900000, 900000);
    check_fits('\n', 400000, 400000);
    check_fits('\n', 900000, 0);
    check_fits('\x01', 900000, 0);
}

/* A file is always whole: in base64 if its text would be too large for a message. */
static void resources__files_fit_into_a_message(void **state)
{
    enum { LENGTH = 600000 };
    struct strbuf lines = STRBUF_INIT;
    CLEANUP_FREE char *uri = NULL;
    struct stored_result *stored = stored_result_new();
    struct fixture fixture;
    json_t *result;
    const char *blob;

    (void)state;
    set_up(&fixture);
    uri = string_format("isolator://runs/%s/files/a", stored_result_id(stored));
    for (int i = 0; i < LENGTH; i++)
        strbuf_addch(&lines, '\n');
    stored_result_add(stored, "files/a", "text/plain", &lines);
    result_store_add(&fixture.store, stored);
    result = read_uri(&fixture, uri);
    assert_no_error(&fixture.error);
    assert_in_range(jsonrpc_size(result), LENGTH, MESSAGE_MAX - 10000);
    blob = string_at(result, "contents.0.blob");
    assert_int_equal(strlen(blob), LENGTH / 3 * 4);
    assert_memory_equal(blob, "CgoKCgoK", 8);
    json_decref(result);
    tear_down(&fixture);
}

/* ---- completion */

static const char TEMPLATE[] = "isolator://snippets/{snippet_name}";

static void resources__completion(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture);
    write_in(fixture.directory, "hello.py", "");
    write_in(fixture.directory, "hello.sh", "");
    write_in(fixture.directory, "other.py", "");
    check_new_json(resources_complete(&fixture.config, TEMPLATE, "snippet_name", "hel"),
                   "{\"completion\":{\"values\":[\"hello.py\",\"hello.sh\"],\"total\":2,"
                   "\"hasMore\":false}}");
    check_new_json(resources_complete(&fixture.config, TEMPLATE, "snippet_name", "other.py"),
                   "{\"completion\":{\"values\":[\"other.py\"],\"total\":1,\"hasMore\":false}}");
    check_new_json(resources_complete(&fixture.config, TEMPLATE, "snippet_name", "oth"),
                   "{\"completion\":{\"values\":[\"other\"],\"total\":1,\"hasMore\":false}}");
    check_new_json(resources_complete(&fixture.config, TEMPLATE, "snippet_name", "x"),
                   "{\"completion\":{\"values\":[],\"total\":0,\"hasMore\":false}}");
    assert_null(resources_complete(&fixture.config, TEMPLATE, "name", ""));
    assert_null(resources_complete(&fixture.config, "isolator://runs/{id}", "snippet_name", ""));
    tear_down(&fixture);
}

static void check_completed(int count, size_t values, int total, bool more)
{
    struct fixture fixture;
    json_t *result;
    const json_t *completion;

    set_up(&fixture);
    add_snippets(&fixture, count);
    result = resources_complete(&fixture.config, TEMPLATE, "snippet_name", "");
    completion = json_object_get(result, "completion");
    assert_int_equal(json_array_size(json_object_get(completion, "values")), values);
    assert_int_equal(json_integer_value(json_object_get(completion, "total")), total);
    assert_int_equal(json_is_true(json_object_get(completion, "hasMore")), more);
    json_decref(result);
    tear_down(&fixture);
}

/* At most 100 (server/utilities/completion). */
static void resources__completion_of_many(void **state)
{
    (void)state;
    check_completed(100, 100, 100, false);
    check_completed(101, 100, 101, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resources__are_listed),
        cmocka_unit_test(resources__names_in_uris),
        cmocka_unit_test(resources__pages),
        cmocka_unit_test(resources__invalid_cursors),
        cmocka_unit_test(resources__templates),
        cmocka_unit_test(resources__snippets_are_read),
        cmocka_unit_test(resources__unknown_snippets),
        cmocka_unit_test(resources__other_uris),
        cmocka_unit_test(resources__snippet_that_does_not_fit_into_a_message),
        cmocka_unit_test(resources__output_is_read),
        cmocka_unit_test(resources__output_that_is_not_stored),
        cmocka_unit_test(resources__output_is_cut_to_fit_into_a_message),
        cmocka_unit_test(resources__files_fit_into_a_message),
        cmocka_unit_test(resources__completion),
        cmocka_unit_test(resources__completion_of_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
