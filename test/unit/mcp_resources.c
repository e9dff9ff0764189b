#include "mcp_client.h"

#include "base/memory.h"
#include "mcp/jsonrpc.h"
#include "mcp/resource_templates.h"
#include "mcp/resources.h"
#include "mcp/responder.h"

/* A configuration with directories of snippets and of input files, and an empty store. */
struct fixture {
    char *directory, *inputs;
    struct config config;
    struct result_store store;
    struct error error;
};

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.directory = temp_create(), .inputs = temp_create()};
    set_up_config(&fixture->config, NULL);
    fixture->config.prompts_dir = string_copy(fixture->directory);
    fixture->config.inputs_dir = string_copy(fixture->inputs);
    result_store_init(&fixture->store, 16 << 20);
}

static void tear_down(struct fixture *fixture)
{
    error_release(&fixture->error);
    result_store_release(&fixture->store);
    config_release(&fixture->config);
    temp_remove(fixture->directory);
    temp_remove(fixture->inputs);
}

/* Makes a directory in that of the input files. */
static void make_directory(const struct fixture *fixture, const char *name)
{
    CLEANUP_FREE char *path = path_in(fixture->inputs, name);

    assert_int_equal(mkdir(path, 0755), 0);
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

CASE_WITH(resources__are_listed, set_up(fixture))
{
    check_new_json(resources_list(&fixture->config, NULL), "{\"resources\":[]}");
    write_in(fixture->directory, "b.sh", "echo\n");
    write_in(fixture->directory, "a.py", "# Says hello.\n");
    check_new_json(
        resources_list(&fixture->config, NULL),
        "{\"resources\":["
        "{\"uri\":\"isolator://snippets/a.py\",\"name\":\"a.py\",\"mimeType\":\"text/x-python\","
        "\"description\":\"Says hello.\"},"
        "{\"uri\":\"isolator://snippets/b.sh\",\"name\":\"b.sh\","
        "\"mimeType\":\"text/x-shellscript\"}]}");
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

CASE(resources__names_in_uris)
{
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

CASE(resources__pages)
{
    check_pages(1, "1 ");
    check_pages(100, "100 ");
    check_pages(101, "100 1 ");
    check_pages(250, "100 100 50 ");
}

CASE_WITH(resources__invalid_cursors, set_up(fixture))
{
    assert_null(resources_list(&fixture->config, ""));
    assert_null(resources_list(&fixture->config, "0000.py"));
    add_snippets(fixture, 3);
    assert_null(resources_list(&fixture->config, ""));
    assert_null(resources_list(&fixture->config, "0003.py"));
    assert_null(resources_list(&fixture->config, "isolator://snippets/0000.py"));
    check_new_json(resources_list(&fixture->config, "0002.py"), "{\"resources\":[]}");
}

CASE_WITH(resources__input_files_are_listed, set_up(fixture))
{
    write_in(fixture->directory, "b.sh", "echo\n");
    make_directory(fixture, "a");
    write_in(fixture->inputs, "a/x y.csv", "1,2\n");
    write_in(fixture->inputs, "a.txt", "text");
    check_new_json(resources_list(&fixture->config, NULL),
                   "{\"resources\":["
                   "{\"uri\":\"isolator://snippets/b.sh\",\"name\":\"b.sh\","
                   "\"mimeType\":\"text/x-shellscript\"},"
                   "{\"uri\":\"isolator://inputs/a.txt\",\"name\":\"a.txt\","
                   "\"mimeType\":\"text/plain\",\"size\":4},"
                   "{\"uri\":\"isolator://inputs/a/x%20y.csv\",\"name\":\"a/x y.csv\","
                   "\"mimeType\":\"text/csv\",\"size\":4}]}");
}

/* Snippets come first; the next page begins after the last name, even if that file is gone. */
CASE_WITH(resources__pages_of_input_files, set_up(fixture))
{
    json_t *page;

    add_snippets(fixture, 100);
    for (int i = 0; i < 101; i++) {
        CLEANUP_FREE char *name = string_format("%04d %%", i);
        write_in(fixture->inputs, name, "");
    }
    page = resources_list(&fixture->config, NULL);
    assert_string_equal(string_at(page, "nextCursor"), "0099.py");
    json_decref(page);
    page = resources_list(&fixture->config, "0099.py");
    assert_string_equal(string_at(page, "resources.0.name"), "0000 %");
    assert_string_equal(string_at(page, "resources.99.name"), "0099 %");
    assert_string_equal(string_at(page, "nextCursor"), "isolator://inputs/0099%20%25");
    json_decref(page);
    remove_below(AT_FDCWD, fixture->inputs);
    assert_int_equal(mkdir(fixture->inputs, 0755), 0);
    write_in(fixture->inputs, "0100 %", "");
    page = resources_list(&fixture->config, "isolator://inputs/0099%20%25");
    assert_string_equal(string_at(page, "resources.0.name"), "0100 %");
    assert_null(json_object_get(page, "nextCursor"));
    json_decref(page);
    assert_null(resources_list(&fixture->config, "isolator://inputs/%zz"));
}

CASE_WITH(resources__templates, set_up(fixture))
{
    static const char snippet[] =
        "{\"uriTemplate\":\"isolator://snippets/{snippet_name}\",\"name\":\"snippet\","
        "\"description\":\"A stored snippet; execute_code runs it by snippet_name.\","
        "\"mimeType\":\"text/plain\"}";
    static const char input[] =
        "{\"uriTemplate\":\"isolator://inputs/{name}{?offset,length}\",\"name\":\"input\","
        "\"description\":\"An input file, or a part of it.\"}";
    static const char artifact[] =
        "{\"uriTemplate\":\"isolator://runs/{id}/files/{name}{?offset,length}\","
        "\"name\":\"artifact\",\"description\":\"A file of an earlier call, or a part of it.\"}";
    CLEANUP_FREE char *all =
        string_format("{\"resourceTemplates\":[%s,%s,%s]}", snippet, input, artifact);
    CLEANUP_FREE char *without =
        string_format("{\"resourceTemplates\":[%s,%s]}", snippet, artifact);

    check_new_json(resource_templates_list(&fixture->config), all);
    free(steal_pointer(&fixture->config.inputs_dir));
    check_new_json(resource_templates_list(&fixture->config), without);
}

/* ---- snippets */

CASE_WITH(resources__snippets_are_read, set_up(fixture))
{
    CLEANUP_FREE char *path = NULL;

    write_in(fixture->directory, "a b.py", "print(1)\n");
    check_read(fixture, "isolator://snippets/a%20b.py",
               "{\"contents\":[{\"uri\":\"isolator://snippets/a%20b.py\","
               "\"mimeType\":\"text/x-python\",\"text\":\"print(1)\\n\"}]}");
    check_read(fixture, "isolator://snippets/%61 b%2epy",
               "{\"contents\":[{\"uri\":\"isolator://snippets/%61 b%2epy\","
               "\"mimeType\":\"text/x-python\",\"text\":\"print(1)\\n\"}]}");
    path = path_in(fixture->directory, "c.sh");
    write_bytes(path, "\xff\0", 2, 0644);
    check_read(fixture, "isolator://snippets/c.sh",
               "{\"contents\":[{\"uri\":\"isolator://snippets/c.sh\","
               "\"mimeType\":\"text/x-shellscript\",\"text\":\"\xef\xbf\xbd\\u0000\"}]}");
    check_read(fixture, "isolator://snippets/c",
               "{\"contents\":[{\"uri\":\"isolator://snippets/c\","
               "\"mimeType\":\"text/x-shellscript\",\"text\":\"\xef\xbf\xbd\\u0000\"}]}");
}

CASE_WITH(resources__unknown_snippets, set_up(fixture))
{
    static const char *const bad[] = {"%", "%6", "%zz.py", "%6g.py", "a%00.py", ""};

    write_in(fixture->directory, "a.py", "");
    check_not_read(fixture, "isolator://snippets/b.py", "there is no snippet 'b.py'; known are: a");
    check_not_read(fixture, "isolator://snippets/..%2Fa.py",
                   "there is no snippet '../a.py'; known are: a");
    for (size_t i = 0; i < COUNT(bad); i++) {
        CLEANUP_FREE char *uri = string_format("isolator://snippets/%s", bad[i]);
        check_not_read(fixture, uri, "there is no snippet ''; known are: a");
    }
}

CASE_WITH(resources__other_uris, set_up(fixture))
{
    static const char *const others[] = {"",
                                         "a.py",
                                         "file:///etc/passwd",
                                         "isolator://",
                                         "ISOLATOR://snippets/a.py",
                                         "isolator://snippets"};

    write_in(fixture->directory, "a.py", "");
    for (size_t i = 0; i < COUNT(others); i++)
        check_not_read(fixture, others[i],
                       "a resource URI begins with isolator://snippets/, isolator://inputs/ or "
                       "isolator://runs/");
}

/* 512 KiB become six times as large if JSON escapes each byte. */
CASE_WITH(resources__snippet_that_does_not_fit_into_a_message, set_up(fixture))
{
    CLEANUP_FREE char *text = memory_allocate(524288);
    CLEANUP_FREE char *path = NULL;

    path = path_in(fixture->directory, "a.py");
    memset(text, 'x', 524288);
    write_bytes(path, text, 524288, 0644);
    json_decref(read_uri(fixture, "isolator://snippets/a.py"));
    assert_no_error(&fixture->error);
    memset(text, '\x01', 524288);
    write_bytes(path, text, 524288, 0644);
    check_not_read(fixture, "isolator://snippets/a.py",
                   "the resource is too large for one message");
}

/* ---- stored results */

static void add_part(struct stored_result *stored, const char *name, const char *type,
                     const char *data, size_t length)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    assert_int_equal(stored_result_add(stored, name, type, data, length, &error), 0);
}

/* Stores `length` of this byte as stdout and "err" as stderr. Returns the URI, owned. */
static char *store_output(struct fixture *fixture, char byte, size_t length, const char *stream)
{
    CLEANUP_FREE char *bytes = memory_allocate(length);
    struct stored_result *stored = stored_result_new(NULL, 0);
    CLEANUP_FREE char *uri =
        string_format("isolator://runs/%s/%s", stored_result_id(stored), stream);

    memset(bytes, byte, length);
    add_part(stored, "stdout", "text/plain", bytes, length);
    add_part(stored, "stderr", "text/plain", "err", 3);
    result_store_add(&fixture->store, stored);
    return steal_pointer(&uri);
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

CASE(resources__output_is_read)
{
    check_stream("stdout", "xxx");
    check_stream("stderr", "err");
}

CASE_WITH(resources__output_that_is_not_stored, set_up(fixture))
{
    static const char *const streams[] = {"", "stdin", "stdout/", "stdout2", "/stdout", "STDOUT"};
    static const char *const others[] = {"", "/stdout", "0123456789abcdef/stdout",
                                         "0123456789abcdef0123456789abcdef/stdout"};

    for (size_t i = 0; i < COUNT(streams); i++) {
        CLEANUP_FREE char *uri = store_output(fixture, 'x', 1, streams[i]);
        CLEANUP_FREE char *id =
            string_format("%.16s", uri + strlen("isolator://runs/")); /* its 16 digits */
        CLEANUP_FREE char *message =
            string_format("the run '%s' has no '%s'; it has: stdout, stderr", id, streams[i]);
        check_not_read(fixture, uri, message);
    }
    for (size_t i = 0; i < COUNT(others); i++) {
        CLEANUP_FREE char *uri = string_format("isolator://runs/%s", others[i]);
        check_not_read(fixture, uri,
                       "this server knows no such run; copy the uri from the result of a call");
    }
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

CASE(resources__output_is_cut_to_fit_into_a_message)
{
    check_fits('x', 900000, 900000);
    check_fits('\n', 400000, 400000);
    check_fits('\n', 900000, 0);
    check_fits('\x01', 900000, 0);
}

/* Stores a file with this content. Returns its URI, owned. */
static char *store_file(struct fixture *fixture, const char *type, const char *data, size_t length)
{
    struct stored_result *stored = stored_result_new(NULL, 0);
    CLEANUP_FREE char *uri = string_format("isolator://runs/%s/files/a", stored_result_id(stored));

    add_part(stored, "files/a", type, data, length);
    result_store_add(&fixture->store, stored);
    return steal_pointer(&uri);
}

/* A file is always whole: in base64 if its text would be too large for a message. */
CASE_WITH(resources__files_fit_into_a_message, set_up(fixture))
{
    enum { LENGTH = 600000, MOST = 700000 };
    CLEANUP_FREE char *lines = memory_allocate(MOST + 1);
    CLEANUP_FREE char *uri = NULL;
    CLEANUP_FREE char *most = NULL;
    CLEANUP_FREE char *large = NULL;
    json_t *result;
    const char *blob;

    memset(lines, '\n', MOST + 1);
    uri = store_file(fixture, "text/plain", lines, LENGTH);
    result = read_uri(fixture, uri);
    assert_no_error(&fixture->error);
    assert_in_range(jsonrpc_size(result), LENGTH, MESSAGE_MAX - 10000);
    blob = string_at(result, "contents.0.blob");
    assert_int_equal(strlen(blob), LENGTH / 3 * 4);
    assert_memory_equal(blob, "CgoKCgoK", 8);
    json_decref(result);
    most = store_file(fixture, "text/plain", lines, MOST);
    result = read_uri(fixture, most);
    assert_in_range(jsonrpc_size(result), MOST, MESSAGE_MAX - 10000);
    json_decref(result);
    large = store_file(fixture, "text/plain", lines, MOST + 1);
    check_not_read(fixture, large,
                   "it has 700001 bytes, too many for one message; read it in parts: append "
                   "?offset=0&length=700000, and so on");
}

/* ---- parts of files */

/* Checks what "text" or "blob" of a part is. */
static void check_part(struct fixture *fixture, const char *uri, const char *query,
                       const char *member, const char *expected)
{
    CLEANUP_FREE char *asked = string_format("%s%s", uri, query);
    CLEANUP_FREE char *path = string_format("contents.0.%s", member);
    json_t *result = read_uri(fixture, asked);

    assert_no_error(&fixture->error);
    assert_string_equal(string_at(result, "contents.0.uri"), asked);
    assert_string_equal(string_at(result, path), expected);
    json_decref(result);
}

static void check_no_part(struct fixture *fixture, const char *uri, const char *query,
                          const char *message)
{
    CLEANUP_FREE char *asked = string_format("%s%s", uri, query);

    check_not_read(fixture, asked, message);
}

CASE_WITH(resources__parts_of_files, set_up(fixture))
{
    static const char wrong[] =
        "after the '?' of the URI of a file, only offset=NUMBER and length=NUMBER may follow";
    static const char *const queries[] = {"?",
                                          "?offset",
                                          "?offset=",
                                          "?offset=-1",
                                          "?offset=1&",
                                          "?offset=1x",
                                          "?offset=1&offset=2",
                                          "?offset=1&length=2&length=3",
                                          "?length=1;offset=2",
                                          "?offset=1000000000000000",
                                          "?other=1",
                                          "??offset=1",
                                          "?offset=%31"};
    CLEANUP_FREE char *uri = NULL;

    uri = store_file(fixture, "text/plain",
                     "0123\xc3\xa4"
                     "6789",
                     10);
    check_part(fixture, uri, "?offset=2&length=4", "text", "23\xc3\xa4");
    check_part(fixture, uri, "?length=2&offset=8", "text", "89");
    check_part(fixture, uri, "?offset=2&length=3", "blob", "MjPD"); /* half of a character */
    check_part(fixture, uri, "?length=1", "text", "0");
    check_part(fixture, uri, "?offset=8", "text", "89");
    check_part(fixture, uri, "?offset=8&length=700000", "text", "89");
    check_part(fixture, uri, "?offset=10", "text", "");
    check_part(fixture, uri, "?offset=3&length=0", "text", "");
    check_no_part(fixture, uri, "?offset=11", "it has only 10 bytes");
    check_no_part(fixture, uri, "?length=700001", "length can be at most 700000");
    for (size_t i = 0; i < COUNT(queries); i++)
        check_no_part(fixture, uri, queries[i], wrong);
}

CASE_WITH(resources__parts_of_a_large_file, set_up(fixture))
{
    enum { LENGTH = 1500000 };
    CLEANUP_FREE char *data = memory_allocate(LENGTH);
    CLEANUP_FREE char *path = NULL;
    json_t *result;

    memset(data, 'x', LENGTH);
    data[LENGTH - 1] = 'y';
    path = path_in(fixture->inputs, "large");
    write_bytes(path, data, LENGTH, 0644);
    result = read_uri(fixture, "isolator://inputs/large?offset=1");
    assert_int_equal(strlen(string_at(result, "contents.0.text")), 700000);
    json_decref(result);
    check_part(fixture, "isolator://inputs/large", "?offset=1499998", "text", "xy");
    check_not_read(fixture, "isolator://inputs/large",
                   "it has 1500000 bytes, too many for one message; read it in parts: append "
                   "?offset=0&length=700000, and so on");
}

/* Parts of output are exact, too. */
CASE_WITH(resources__parts_of_output, set_up(fixture))
{
    CLEANUP_FREE char *uri = NULL;

    uri = store_output(fixture, '\x01', 900000, "stdout");
    check_part(fixture, uri, "?offset=899998", "text", "\x01\x01");
}

CASE_WITH(resources__input_files_are_read, set_up(fixture))
{
    make_directory(fixture, "d");
    write_in(fixture->inputs, "d/a?b%.csv", "1,2\n");
    check_read(fixture, "isolator://inputs/d/a%3Fb%25.csv",
               "{\"contents\":[{\"uri\":\"isolator://inputs/d/a%3Fb%25.csv\","
               "\"mimeType\":\"text/csv\",\"text\":\"1,2\\n\"}]}");
    check_not_read(fixture, "isolator://inputs/",
                   "there is no input file ''; known are: d/a?b%.csv");
    check_not_read(fixture, "isolator://inputs/%zz",
                   "there is no input file ''; known are: d/a?b%.csv");
    check_not_read(fixture, "isolator://inputs/d%2F..%2Fd%2Fa",
                   "there is no input file 'd/../d/a'; known are: d/a?b%.csv");
}

/* ---- completion */

static const char TEMPLATE[] = "isolator://snippets/{snippet_name}";

CASE_WITH(resources__completion, set_up(fixture))
{
    write_in(fixture->directory, "hello.py", "");
    write_in(fixture->directory, "hello.sh", "");
    write_in(fixture->directory, "other.py", "");
    check_new_json(resource_templates_complete(&fixture->config, TEMPLATE, "snippet_name", "hel"),
                   "{\"completion\":{\"values\":[\"hello.py\",\"hello.sh\"],\"total\":2,"
                   "\"hasMore\":false}}");
    check_new_json(
        resource_templates_complete(&fixture->config, TEMPLATE, "snippet_name", "other.py"),
        "{\"completion\":{\"values\":[\"other.py\"],\"total\":1,\"hasMore\":false}}");
    check_new_json(resource_templates_complete(&fixture->config, TEMPLATE, "snippet_name", "oth"),
                   "{\"completion\":{\"values\":[\"other\"],\"total\":1,\"hasMore\":false}}");
    check_new_json(resource_templates_complete(&fixture->config, TEMPLATE, "snippet_name", "x"),
                   "{\"completion\":{\"values\":[],\"total\":0,\"hasMore\":false}}");
    assert_null(resource_templates_complete(&fixture->config, TEMPLATE, "name", ""));
    assert_null(
        resource_templates_complete(&fixture->config, "isolator://runs/{id}", "snippet_name", ""));
}

CASE_WITH(resources__completion_of_files, set_up(fixture))
{
    static const char inputs[] = "isolator://inputs/{name}{?offset,length}";
    static const char runs[] = "isolator://runs/{id}/files/{name}{?offset,length}";
    static const char none[] = "{\"completion\":{\"values\":[],\"total\":0,\"hasMore\":false}}";

    make_directory(fixture, "d");
    write_in(fixture->inputs, "d/a b.csv", "");
    write_in(fixture->inputs, "e.csv", "");
    check_new_json(resource_templates_complete(&fixture->config, inputs, "name", "d/"),
                   "{\"completion\":{\"values\":[\"d/a b.csv\"],\"total\":1,\"hasMore\":false}}");
    check_new_json(resource_templates_complete(&fixture->config, inputs, "offset", ""), none);
    check_new_json(resource_templates_complete(&fixture->config, runs, "id", ""), none);
    check_new_json(resource_templates_complete(&fixture->config, runs, "length", ""), none);
    assert_null(resource_templates_complete(&fixture->config, runs, "", ""));
    assert_null(resource_templates_complete(&fixture->config, inputs, "id", ""));
    free(steal_pointer(&fixture->config.inputs_dir));
    assert_null(resource_templates_complete(&fixture->config, inputs, "name", ""));
}

static void check_completed(int count, size_t values, int total, bool more)
{
    struct fixture fixture;
    json_t *result;
    const json_t *completion;

    set_up(&fixture);
    add_snippets(&fixture, count);
    result = resource_templates_complete(&fixture.config, TEMPLATE, "snippet_name", "");
    completion = json_object_get(result, "completion");
    assert_int_equal(json_array_size(json_object_get(completion, "values")), values);
    assert_int_equal(json_integer_value(json_object_get(completion, "total")), total);
    assert_int_equal(json_is_true(json_object_get(completion, "hasMore")), more);
    json_decref(result);
    tear_down(&fixture);
}

/* At most 100 (server/utilities/completion). */
CASE(resources__completion_of_many)
{
    check_completed(100, 100, 100, false);
    check_completed(101, 100, 101, true);
}
