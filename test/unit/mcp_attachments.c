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

/* The descriptions of links to files. */
#define KEPT "A file of the program; kept until newer results need its room."
#define KEPT_LARGE                                                                                 \
    "A file of the program, too large for one message: append ?offset=N&length=N to the uri to "   \
    "read a part. Kept until newer results need its room."

static const char NEWEST[] = "2025-11-25";

static void set_up(struct fixture *fixture, const char *revision, size_t text_left)
{
    result_store_init(&fixture->store, 16 << 20);
    fixture->tool_result = json_pack("{s:[{s:s}]}", "content", "type", "text");
    attachments_begin(&fixture->attachments, fixture->tool_result, revision_legacy(revision),
                      stored_result_new(NULL, 0), text_left);
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
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *got = NULL;
    char id[STORED_ID_SIZE], data[64] = "";
    struct stored_part part;

    memcpy(id, stored_result_id(fixture->attachments.stored), sizeof id);
    attachments_end(&fixture->attachments, &fixture->store);
    if (result_store_open(&fixture->store, id, name, &part, &error) == 0) {
        assert_int_equal(
            shared_file_read(part.range.file, part.range.offset, data, (size_t)part.range.length),
            0);
        shared_file_release(part.range.file);
        got = string_format("%s %s", part.mime_type, data);
    } else {
        got = string_copy("nothing");
    }
    assert_string_equal(got, expected);
    json_decref(fixture->tool_result);
    result_store_release(&fixture->store);
}

CASE(attachments__pictures_and_audio)
{
    struct fixture fixture;

    set_up(&fixture, "2024-11-05", 0);
    ADD(&fixture, "a.png", PNG);
    check_last(
        &fixture,
        "{\"type\":\"image\",\"data\":\"iVBORw0KGgoAAAANSUhEUg==\",\"mimeType\":\"image/png\"}");
    check_stored(&fixture, "files/a.png", "image/png \x89PNG\r\n\x1a\n");
    set_up(&fixture, "2025-03-26", 0);
    ADD(&fixture, "a", "OggS\0");
    check_last(&fixture, "{\"type\":\"audio\",\"data\":\"T2dnUwA=\",\"mimeType\":\"audio/ogg\"}");
    check_stored(&fixture, "files/a", "audio/ogg OggS");
}

/* Some clients hand on no links, and no pictures: the text has the URI of what is stored. */
CASE(attachments__that_a_client_does_not_hand_on)
{
    struct fixture fixture;
    struct revision part = *revision_legacy(NEWEST);

    set_up(&fixture, NEWEST, 0);
    fixture.attachments.revision = &part;
    part.links = part.media = false;
    ADD(&fixture, "a.png", PNG);
    check_last(&fixture, "{\"type\":\"text\",\"text\":\"The artifact 'a.png' is not in this "
                         "message; its uri is isolator://runs/ID/files/a.png.\"}");
    part.media = true;
    ADD(&fixture, "a.png", PNG);
    check_last(
        &fixture,
        "{\"type\":\"image\",\"data\":\"iVBORw0KGgoAAAANSUhEUg==\",\"mimeType\":\"image/png\"}");
    ADD(&fixture, "b", "text");
    check_last(&fixture, "{\"type\":\"text\",\"text\":\"The artifact 'b' is not in this message; "
                         "its uri is isolator://runs/ID/files/b.\"}");
    check_stored(&fixture, "files/b", "text/plain text");
}

CASE(attachments__texts)
{
    struct fixture fixture;

    set_up(&fixture, NEWEST, 10);
    ADD(&fixture, "b/a b.csv", "1,\xc3\xa4\n");
    check_last(&fixture, "{\"type\":\"resource\",\"resource\":{\"uri\":"
                         "\"isolator://runs/ID/files/b/a%20b.csv\",\"mimeType\":\"text/csv\","
                         "\"text\":\"1,\xc3\xa4\\n\"}}");
    ADD(&fixture, "c", "123456"); /* more text than may be embedded */
    check_last(&fixture, "{\"type\":\"resource_link\",\"uri\":\"isolator://runs/ID/files/c\","
                         "\"name\":\"c\",\"description\":\"" KEPT
                         "\",\"mimeType\":\"text/plain\",\"size\":6}");
    ADD(&fixture, "d", "12345");
    check_last(&fixture, "{\"type\":\"resource\",\"resource\":{\"uri\":"
                         "\"isolator://runs/ID/files/d\",\"mimeType\":\"text/plain\","
                         "\"text\":\"12345\"}}");
    check_stored(&fixture, "files/b/a b.csv", "text/csv 1,\xc3\xa4\n");
}

CASE(attachments__other_files)
{
    struct fixture fixture;

    set_up(&fixture, NEWEST, 100);
    ADD(&fixture, "a.zip", "PK\3\4\xff");
    check_last(&fixture, "{\"type\":\"resource_link\",\"uri\":\"isolator://runs/ID/files/a.zip\","
                         "\"name\":\"a.zip\",\"description\":\"" KEPT
                         "\",\"mimeType\":\"application/zip\",\"size\":5}");
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

CASE(attachments__files_that_do_not_fit_into_a_message)
{
    struct fixture fixture;

    set_up(&fixture, NEWEST, 100);
    add_large(&fixture, "b", PNG, sizeof PNG - 1, 720000);
    check_last(&fixture, "{\"type\":\"resource_link\",\"uri\":\"isolator://runs/ID/files/b\","
                         "\"name\":\"b\",\"description\":\"" KEPT_LARGE
                         "\",\"mimeType\":\"image/png\",\"size\":720016}");
    add_large(&fixture, "a", PNG, sizeof PNG - 1, 600000);
    add_large(&fixture, "d", PNG, sizeof PNG - 1, 150000); /* does not fit, so it is linked */
    check_last(&fixture, "{\"type\":\"resource_link\",\"uri\":\"isolator://runs/ID/files/d\","
                         "\"name\":\"d\",\"description\":\"" KEPT
                         "\",\"mimeType\":\"image/png\",\"size\":150016}");
    ADD(&fixture, "e", "\xff");
    check_stored(&fixture, "files/e", "application/octet-stream \xff");
    set_up(&fixture, "2025-03-26", 100); /* has no links */
    add_large(&fixture, "b", PNG, sizeof PNG - 1, 720000);
    check_last(&fixture, "{\"type\":\"text\",\"text\":\"The artifact 'b' is not in this "
                         "message; its uri is isolator://runs/ID/files/b.\"}");
    ADD(&fixture, "c", "text");
    check_stored(&fixture, "files/c", "text/plain text");
}

/* An artifact of a run whose content was written to a file. */
CASE(attachments__files_that_are_not_in_memory)
{
    struct artifacts artifacts = ARTIFACTS_INIT;
    struct error error = ERROR_INIT;
    struct fixture fixture;
    char digest[SHA256_HEX_SIZE];

    assert_int_equal(artifacts_open_file(&artifacts, &error), 0);
    for (int i = 0; i < 2; i++) {
        sha256_of("1,2\n", 4, digest);
        assert_int_equal(shared_file_write(artifacts.file, artifacts.file_length, "1,2\n", 4), 0);
        assert_int_equal(artifacts_add_written(&artifacts, string_copy(i == 0 ? "a.csv" : "b.csv"),
                                               4, digest, false, &error),
                         0);
    }
    set_up(&fixture, NEWEST, 4);
    result_store_add(&fixture.store, fixture.attachments.stored); /* frees it: it is empty */
    fixture.attachments.stored = stored_result_new(artifacts.file, artifacts.file_length);
    attachments_add_file(&fixture.attachments, &artifacts.items[0]);
    check_last(&fixture, "{\"type\":\"resource\",\"resource\":{\"uri\":"
                         "\"isolator://runs/ID/files/a.csv\",\"mimeType\":\"text/csv\","
                         "\"text\":\"1,2\\n\"}}");
    attachments_add_file(&fixture.attachments, &artifacts.items[1]); /* more text than may be */
    check_last(&fixture, "{\"type\":\"resource_link\",\"uri\":\"isolator://runs/ID/files/b.csv\","
                         "\"name\":\"b.csv\",\"description\":\"" KEPT
                         "\",\"mimeType\":\"text/csv\",\"size\":4}");
    artifacts_release(&artifacts); /* the store has the file */
    check_stored(&fixture, "files/b.csv", "text/csv 1,2\n");
}

/* The host has no room for the file. The client gets what fits into the message. */
CASE(attachments__files_that_cannot_be_stored)
{
    struct fixture fixture;
    struct shared_file *full = shared_file_new(open("/dev/full", O_WRONLY | O_CLOEXEC));
    const json_t *content;

    set_up(&fixture, NEWEST, 100);
    result_store_add(&fixture.store, fixture.attachments.stored); /* frees it: it is empty */
    fixture.attachments.stored = stored_result_new(full, 0);
    shared_file_release(full);
    content = json_object_get(fixture.tool_result, "content");
    ADD(&fixture, "a.txt", "text");
    assert_string_equal(string_at(json_array_get(content, 1), "resource.text"), "text");
    check_last(&fixture, "{\"type\":\"text\",\"text\":\"The artifact 'a.txt' is not kept for later "
                         "calls: cannot write an unnamed file: No space left on device.\"}");
    ADD(&fixture, "b", "\xff");
    assert_int_equal(json_array_size(content), 4);
    check_last(&fixture, "{\"type\":\"text\",\"text\":\"The artifact 'b' is not kept for later "
                         "calls: cannot write an unnamed file: No space left on device.\"}");
    check_stored(&fixture, "files/b", "nothing");
}

CASE(attachments__long_output)
{
    struct fixture fixture;
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    set_up(&fixture, NEWEST, 0);
    strbuf_addstr(&text, "all of it");
    attachments_add_output(&fixture.attachments, "stdout", &text);
    check_last(&fixture, "{\"type\":\"resource_link\",\"uri\":\"isolator://runs/ID/stdout\","
                         "\"name\":\"stdout\",\"description\":\"More of the output; kept until "
                         "newer results need its room.\",\"mimeType\":\"text/plain\",\"size\":9}");
    check_stored(&fixture, "stdout", "text/plain all of it");
    set_up(&fixture, "2025-03-26", 0);
    attachments_add_output(&fixture.attachments, "stdout", &text);
    check_last(&fixture, "{\"type\":\"text\"}");
    check_stored(&fixture, "stdout", "text/plain all of it"); /* the text has its URI */
}
