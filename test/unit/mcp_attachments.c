#include "mcp_client.h"

#include "base/memory.h"
#include "mcp/attachments.h"
#include "mcp/jsonrpc.h"
#include "mcp/responder.h"

/* A tool result with a text, and a store. */
struct fixture {
    struct result_store store;
    json_t *tool_result;
    struct attachments attachments;
};

/* The first bytes of a PNG. */
#define PNG "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"

static const char NEWEST[] = "2025-11-25";

static void set_up(struct fixture *fixture, const char *revision, size_t text_left)
{
    result_store_init(&fixture->store);
    fixture->tool_result = json_pack("{s:[{s:s}]}", "content", "type", "text");
    attachments_begin(&fixture->attachments, fixture->tool_result, revision_legacy(revision),
                      text_left);
}

static void add(struct fixture *fixture, const char *name, const char *data, size_t length)
{
    struct artifacts artifacts = ARTIFACTS_INIT;
    char *copy = memory_allocate(length);

    memcpy(copy, data, length);
    artifacts_add(&artifacts, string_copy(name), copy, length, false);
    attachments_add_file(&fixture->attachments, &artifacts.items[0]);
    artifacts_release(&artifacts);
}

#define ADD(fixture, name, bytes) add(fixture, name, bytes, sizeof bytes - 1)

/* Adds a file with `start` and this many further bytes. */
static void add_large(struct fixture *fixture, const char *name, const char *start, size_t length,
                      size_t more)
{
    CLEANUP_FREE char *data = memory_allocate(length + more);

    memcpy(data, start, length);
    memset(data + length, 'x', more);
    add(fixture, name, data, length + more);
}

/* The last item of the content, with "ID" instead of the id of the run. */
static void check_last(const struct fixture *fixture, const char *expected)
{
    const json_t *content = json_object_get(fixture->tool_result, "content");
    const json_t *last = json_array_get(content, json_array_size(content) - 1);
    CLEANUP_FREE char *text = json_dumps(last, JSON_COMPACT);
    char *id = strstr(text, "isolator://runs/");

    if (id) {
        id += strlen("isolator://runs/");
        memcpy(id, "ID", 2);
        memmove(id + 2, id + 16, strlen(id + 16) + 1);
    }
    assert_string_equal(text, expected);
    assert_in_range(jsonrpc_size(fixture->tool_result), 1, RESULT_MAX);
}

/* Checks the stored part of this name, "TYPE CONTENT" or "nothing". Ends the attachments. */
static void check_stored(struct fixture *fixture, const char *name, const char *expected)
{
    CLEANUP(strbuf_release) struct strbuf data = STRBUF_INIT;
    char id[STORED_ID_SIZE];
    const char *type;

    memcpy(id, stored_result_id(fixture->attachments.stored), sizeof id);
    attachments_end(&fixture->attachments, &fixture->store);
    type = result_store_read(&fixture->store, id, name, &data);
    CLEANUP_FREE char *got =
        type ? string_format("%s %s", type, strbuf_string(&data)) : string_copy("nothing");
    assert_string_equal(got, expected);
    json_decref(fixture->tool_result);
    result_store_release(&fixture->store);
}

static void attachments__pictures_and_audio(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture, "2024-11-05", 0);
    ADD(&fixture, "a.png", PNG);
    check_last(
        &fixture,
        "{\"type\":\"image\",\"data\":\"iVBORw0KGgoAAAANSUhEUg==\",\"mimeType\":\"image/png\"}");
    check_stored(&fixture, "files/a.png", "nothing");
    set_up(&fixture, "2025-03-26", 0);
    ADD(&fixture, "a", "OggS\0");
    check_last(&fixture, "{\"type\":\"audio\",\"data\":\"T2dnUwA=\",\"mimeType\":\"audio/ogg\"}");
    check_stored(&fixture, "files/a", "nothing");
}

static void attachments__texts(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture, NEWEST, 10);
    ADD(&fixture, "b/a b.csv", "1,\xc3\xa4\n");
    check_last(&fixture, "{\"type\":\"resource\",\"resource\":{\"uri\":"
                         "\"isolator://runs/ID/files/b/a%20b.csv\",\"mimeType\":\"text/csv\","
                         "\"text\":\"1,\xc3\xa4\\n\"}}");
    ADD(&fixture, "c", "123456"); /* more text than may be embedded */
    check_last(&fixture, "{\"type\":\"resource_link\",\"uri\":\"isolator://runs/ID/files/c\","
                         "\"name\":\"c\",\"description\":\"A file of the program; kept for some "
                         "minutes.\",\"mimeType\":\"text/plain\",\"size\":6}");
    ADD(&fixture, "d", "12345");
    check_last(&fixture, "{\"type\":\"resource\",\"resource\":{\"uri\":"
                         "\"isolator://runs/ID/files/d\",\"mimeType\":\"text/plain\","
                         "\"text\":\"12345\"}}");
    check_stored(&fixture, "files/b/a b.csv", "text/csv 1,\xc3\xa4\n");
}

static void attachments__other_files(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture, NEWEST, 100);
    ADD(&fixture, "a.zip", "PK\3\4\xff");
    check_last(&fixture, "{\"type\":\"resource_link\",\"uri\":\"isolator://runs/ID/files/a.zip\","
                         "\"name\":\"a.zip\",\"description\":\"A file of the program; kept for "
                         "some minutes.\",\"mimeType\":\"application/zip\",\"size\":5}");
    check_stored(&fixture, "files/a.zip", "application/zip PK\3\4\xff");
    set_up(&fixture, "2024-11-05", 100); /* has neither links nor audio */
    ADD(&fixture, "a.ogg", "OggS\0");
    check_last(&fixture, "{\"type\":\"resource\",\"resource\":{\"uri\":"
                         "\"isolator://runs/ID/files/a.ogg\",\"mimeType\":\"audio/ogg\","
                         "\"blob\":\"T2dnUwA=\"}}");
    ADD(&fixture, "a.zip", "PK\3\4\xff");
    check_last(&fixture, "{\"type\":\"resource\",\"resource\":{\"uri\":"
                         "\"isolator://runs/ID/files/a.zip\",\"mimeType\":\"application/zip\","
                         "\"blob\":\"UEsDBP8=\"}}");
    check_stored(&fixture, "files/a.ogg", "audio/ogg OggS");
}

static const char too_large[] = "{\"type\":\"text\",\"text\":\"The artifact 'b' does not fit into "
                                "this message; make it smaller or ask for fewer files.\"}";

static void attachments__files_that_do_not_fit_into_a_message(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture, NEWEST, 100);
    add_large(&fixture, "b", PNG, sizeof PNG - 1, 720000);
    check_last(&fixture, too_large);
    add_large(&fixture, "a", PNG, sizeof PNG - 1, 600000);
    add_large(&fixture, "d", PNG, sizeof PNG - 1, 150000); /* does not fit, so it is linked */
    check_last(&fixture, "{\"type\":\"resource_link\",\"uri\":\"isolator://runs/ID/files/d\","
                         "\"name\":\"d\",\"description\":\"A file of the program; kept for some "
                         "minutes.\",\"mimeType\":\"image/png\",\"size\":150016}");
    add_large(&fixture, "b", "\xff", 1, 720000); /* too large to be read later */
    check_last(&fixture, too_large);
    add_large(&fixture, "c", "\xff", 1, 600000);
    check_stored(&fixture, "files/b", "nothing");
}

/* One result never needs more than the whole store. */
static void attachments__files_that_do_not_fit_into_the_store(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture, NEWEST, 0);
    for (int i = 0; i < 30; i++)
        add_large(&fixture, "c", "\xff", 1, 600000);
    add_large(&fixture, "b", "\xff", 1, 600000);
    check_last(&fixture, too_large);
    attachments_end(&fixture.attachments, &fixture.store);
    assert_in_range(fixture.store.bytes, 1000000, RESULT_STORE_BYTES_MAX);
    json_decref(fixture.tool_result);
    result_store_release(&fixture.store);
}

static void attachments__long_output(void **state)
{
    struct fixture fixture;
    struct strbuf text = STRBUF_INIT;

    (void)state;
    set_up(&fixture, NEWEST, 0);
    strbuf_addstr(&text, "all of it");
    attachments_add_output(&fixture.attachments, "stdout", &text);
    check_last(&fixture, "{\"type\":\"resource_link\",\"uri\":\"isolator://runs/ID/stdout\","
                         "\"name\":\"stdout\",\"description\":\"More of the output; kept for some "
                         "minutes.\",\"mimeType\":\"text/plain\",\"size\":9}");
    check_stored(&fixture, "stdout", "text/plain all of it");
    set_up(&fixture, "2025-03-26", 0);
    strbuf_addstr(&text, "all of it");
    attachments_add_output(&fixture.attachments, "stdout", &text);
    check_last(&fixture, "{\"type\":\"text\"}");
    check_stored(&fixture, "stdout", "nothing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attachments__pictures_and_audio),
        cmocka_unit_test(attachments__texts),
        cmocka_unit_test(attachments__other_files),
        cmocka_unit_test(attachments__files_that_do_not_fit_into_a_message),
        cmocka_unit_test(attachments__files_that_do_not_fit_into_the_store),
        cmocka_unit_test(attachments__long_output),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
