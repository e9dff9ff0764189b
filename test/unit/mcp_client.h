/*
 * What tests of the room mcp share: values of JSON in short, a configuration of two languages, and
 * the client at the other end of an outbox.
 */
#ifndef MCP_CLIENT_H
#define MCP_CLIENT_H

#include "test.h"

#include <jansson.h>
#include <pthread.h>

#include "base/duration.h"
#include "base/linux.h"
#include "mcp/outbox.h"
#include "sandbox/config.h"

/* Long enough for the slowest machine; nothing waits for it to pass. */
enum { CLIENT_PATIENCE_MS = 120000 };

/* The value of a JSON text, a new reference. */
static inline json_t *json_of(const char *text)
{
    json_error_t where;
    json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, &where);

    if (!value)
        fail_msg("%s: '%s'", where.text, text);
    return value;
}

/* Checks the compact text of a value, which is borrowed. */
static inline void check_json(const json_t *value, const char *expected)
{
    CLEANUP_FREE char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

    assert_string_equal(text ? text : "(null)", expected);
}

/* Likewise, and takes the value over. */
static inline void check_new_json(json_t *value, const char *expected)
{
    check_json(value, expected);
    json_decref(value);
}

/* A string member of a member of ...: the names with dots between; "(none)" where there is none. */
static inline const char *string_at(const json_t *value, const char *path)
{
    while (value && *path) {
        const size_t length = strcspn(path, ".");
        CLEANUP_FREE char *name = string_format("%.*s", (int)length, path);

        value = json_is_array(value) ? json_array_get(value, (size_t)atoi(name))
                                     : json_object_get(value, name);
        path += length + (path[length] == '.');
    }
    return json_is_string(value) ? json_string_value(value) : "(none)";
}

/* Fills in a configuration of the languages "py" and "sh", with `more` laid over it (or NULL). */
static inline void set_up_config(struct config *config, const char *more)
{
    static const char text[] =
        "{\"containerCommand\": \"docker\", \"containerWorkdir\": \"/workspace\","
        " \"maxQueued\": 64, \"maxTextBytes\": 50000,"
        " \"defaults\": {\"timeoutSeconds\": 45, \"memoryMB\": 256, \"cpus\": 0.5,"
        "  \"pidsLimit\": 64, \"workdirMB\": 64, \"tmpMB\": 64, \"outputBytes\": 1048576,"
        "  \"network\": \"none\", \"readOnly\": true, \"capDrop\": [\"ALL\"],"
        "  \"user\": \"65534\"},"
        " \"languages\": {"
        "  \"py\": {\"image\": \"py:3\", \"command\": [\"python3\", \"{entrypoint}\"],"
        "   \"extensions\": [\".py\"], \"defaultFilename\": \"main.py\"},"
        "  \"sh\": {\"image\": \"sh:1\", \"command\": [\"sh\", \"{entrypoint}\"],"
        "   \"extensions\": [\".sh\"], \"defaultFilename\": \"main.sh\", \"memoryMB\": 512}}}";
    CLEANUP(error_release) struct error error = ERROR_INIT;

    config_init(config);
    assert_int_equal(config_overlay(config, text, sizeof text - 1, "test", &error), 0);
    if (more)
        config_overlay(config, more, strlen(more), "more", &error);
    assert_no_error(&error);
}

/* A client behind a pipe, with a thread that reads all that comes. */
struct client {
    struct wake wake;
    struct outbox outbox;
    int ends[2];
    pthread_t reader;
    struct strbuf got;
};

static inline void *client_read(void *context)
{
    struct client *client = context;
    char chunk[65536];
    ssize_t length;

    while ((length = read(client->ends[0], chunk, sizeof chunk)) > 0)
        strbuf_add(&client->got, chunk, (size_t)length);
    return NULL;
}

/* Without the thread: nothing is read before client_start_reading(). */
static inline void client_open_silent(struct client *client)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    *client = (struct client){.got = STRBUF_INIT};
    assert_int_equal(linux_pipe(client->ends), 0);
    assert_int_equal(wake_open(&client->wake, &error), 0);
    assert_int_equal(outbox_start(&client->outbox, client->ends[1], &client->wake, &error), 0);
}

static inline void client_start_reading(struct client *client)
{
    assert_int_equal(pthread_create(&client->reader, NULL, client_read, client), 0);
}

static inline void client_open(struct client *client)
{
    client_open_silent(client);
    client_start_reading(client);
}

/* Ends the outbox and reads to its end: `got` is all that was sent. client_close() is still to come. */
static inline void client_finish(struct client *client)
{
    assert_int_equal(outbox_finish(&client->outbox, clock_now_ms() + CLIENT_PATIENCE_MS), 0);
    close(client->ends[1]);
    pthread_join(client->reader, NULL);
    close(client->ends[0]);
    wake_release(&client->wake);
}

static inline void client_close(struct client *client)
{
    strbuf_release(&client->got);
}

/* Checks all that was sent, and takes the client down. */
static inline void client_check(struct client *client, const char *expected)
{
    client_finish(client);
    assert_string_equal(strbuf_string(&client->got), expected);
    client_close(client);
}

/* All that was sent as an array of the values of its lines, a new reference; takes the client down. */
static inline json_t *client_lines(struct client *client)
{
    json_t *lines = json_array();
    char *rest = NULL;

    client_finish(client);
    strbuf_addstr(&client->got, ""); /* so that there is a string */
    for (char *line = strtok_r(client->got.data, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        json_array_append_new(lines, json_of(line));
    client_close(client);
    return lines;
}

#endif
