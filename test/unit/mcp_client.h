/* Shared by the unit tests of mcp: a client at the other end of a writer. */
#ifndef MCP_CLIENT_H
#define MCP_CLIENT_H

#include "json.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/linux.h"
#include "mcp/writer.h"

/* Long enough for the slowest machine; nothing waits for it to pass. */
enum { CLIENT_PATIENCE_MS = 120000 };

/* A client at the end of a pipe, with a thread that reads everything. */
struct client {
    struct notifier wake;
    struct writer writer;
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
    assert_int_equal(notifier_open(&client->wake, &error), 0);
    assert_int_equal(writer_start(&client->writer, client->ends[1], &client->wake, &error), 0);
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

/* Finishes the writer and reads to the end: `got` is everything sent. Then client_close(). */
static inline void client_finish(struct client *client)
{
    assert_int_equal(writer_finish(&client->writer, clock_now_ms() + CLIENT_PATIENCE_MS), 0);
    close(client->ends[1]);
    pthread_join(client->reader, NULL);
    close(client->ends[0]);
    notifier_release(&client->wake);
}

static inline void client_close(struct client *client)
{
    strbuf_release(&client->got);
}

/* Checks everything that was sent, and closes the client. */
static inline void client_check(struct client *client, const char *expected)
{
    client_finish(client);
    assert_string_equal(strbuf_string(&client->got), expected);
    client_close(client);
}

/* The JSON values of all lines sent, as an array, a new reference. Closes the client. */
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
