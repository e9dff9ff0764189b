#include "mcp_client.h"

#include <poll.h>
#include <signal.h>

#include "base/clock.h"
#include "base/memory.h"

enum { WAITING_MAX = 4194304 };

static void put(struct client *client, const char *text)
{
    writer_put(&client->writer, string_copy(text), strlen(text));
}

/* A line with this many bytes. */
static void put_bytes(struct client *client, size_t length)
{
    char *line = memory_allocate(length);

    memset(line, 'x', length);
    line[length - 1] = '\n';
    writer_put(&client->writer, line, length);
}

static void wait_for_input(int fd)
{
    struct pollfd polled = {fd, POLLIN, 0};

    if (poll(&polled, 1, CLIENT_PATIENCE_MS) != 1)
        fail_msg("nothing comes");
}

static void wait_until_woken(const struct client *client)
{
    wait_for_input(notifier_fd(&client->wake));
}

/* Closes the other end of a client that has closed its own. */
static void close_gone(struct client *client)
{
    assert_int_equal(writer_finish(&client->writer, clock_now_ms() + CLIENT_PATIENCE_MS), 0);
    close(client->ends[1]);
    notifier_release(&client->wake);
    client_close(client);
}

CASE(writer__writes_in_order)
{
    struct client client;

    client_open(&client);
    put(&client, "one\n");
    put(&client, "two\n");
    put(&client, "three\n");
    client_check(&client, "one\ntwo\nthree\n");
}

/* Another process that has our end open may have set O_NONBLOCK on it. */
CASE(writer__waits_if_the_pipe_is_nonblocking)
{
    struct client client;

    client_open_silent(&client);
    assert_int_equal(fcntl(client.ends[1], F_SETFL, O_NONBLOCK), 0);
    put_bytes(&client, 1000000);
    wait_for_input(client.ends[0]);
    client_start_reading(&client);
    client_finish(&client);
    assert_int_equal(client.got.length, 1000000);
    client_close(&client);
}

CASE(writer__nothing_to_write)
{
    struct client client;

    client_open(&client);
    assert_false(writer_full(&client.writer));
    assert_false(writer_broken(&client.writer));
    writer_wait(&client.writer);
    client_check(&client, "");
}

CASE(writer__any_bytes)
{
    struct client client;
    char *line = memory_allocate(4);

    memcpy(line, "a\0b\n", 4);
    client_open(&client);
    writer_put(&client.writer, line, 4);
    client_finish(&client);
    assert_int_equal(client.got.length, 4);
    assert_memory_equal(client.got.data, "a\0b\n", 4);
    client_close(&client);
}

/* More than a pipe holds. */
CASE(writer__large_lines_are_written_whole)
{
    struct client client;

    client_open(&client);
    put_bytes(&client, 3000000);
    put_bytes(&client, 1);
    client_finish(&client);
    assert_int_equal(client.got.length, 3000001);
    assert_string_equal(client.got.data + 2999998, "x\n\n");
    client_close(&client);
}

static void *put_many(void *context)
{
    struct client *client = context;

    for (int i = 0; i < 500; i++)
        put(client, "a line of one thread\n");
    return NULL;
}

CASE(writer__lines_of_threads_stay_whole)
{
    enum { THREADS = 4 };
    struct client client;
    pthread_t threads[THREADS];
    size_t lines = 0;

    client_open(&client);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, put_many, &client), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    client_finish(&client);
    for (const char *at = client.got.data; *at; at += 21, lines++)
        assert_memory_equal(at, "a line of one thread\n", 21);
    assert_int_equal(lines, 2000);
    client_close(&client);
}

/* ---- a client that does not read */

CASE(writer__is_full)
{
    struct client client;

    client_open_silent(&client);
    put_bytes(&client, WAITING_MAX);
    assert_false(writer_full(&client.writer));
    put_bytes(&client, 70000); /* bytes in the pipe count until all are written */
    assert_true(writer_full(&client.writer));
    put_bytes(&client, 10); /* does not block */
    client_start_reading(&client);
    client_finish(&client);
    assert_int_equal(client.got.length, WAITING_MAX + 70010);
    client_close(&client);
}

CASE(writer__waits_for_room)
{
    struct client client;

    client_open_silent(&client);
    put_bytes(&client, WAITING_MAX + 1);
    client_start_reading(&client);
    writer_wait(&client.writer);
    assert_false(writer_full(&client.writer));
    client_finish(&client);
    client_close(&client);
}

/* The main loop then reads again. */
CASE(writer__wakes_when_there_is_room_again)
{
    struct client client;

    client_open_silent(&client);
    put_bytes(&client, 100000); /* more than fits into the pipe, so the thread waits */
    wait_for_input(client.ends[0]);
    put_bytes(&client, WAITING_MAX);
    assert_true(writer_full(&client.writer));
    client_start_reading(&client);
    wait_until_woken(&client);
    writer_wait(&client.writer);
    client_finish(&client);
    client_close(&client);
}

CASE(writer__does_not_wait_at_the_end)
{
    struct client client;

    client_open_silent(&client);
    put_bytes(&client, WAITING_MAX + 1);
    writer_stop_waiting(&client.writer);
    writer_wait(&client.writer);
    assert_true(writer_full(&client.writer));
    put(&client, "a line that is written later\n");
    client_start_reading(&client);
    client_finish(&client);
    assert_int_equal(client.got.length, WAITING_MAX + 30);
    client_close(&client);
}

static void *stop_waiting(void *context)
{
    writer_stop_waiting(context);
    return NULL;
}

CASE(writer__the_end_stops_the_waiting)
{
    struct client client;
    pthread_t thread;

    client_open_silent(&client);
    put_bytes(&client, WAITING_MAX + 1);
    assert_int_equal(pthread_create(&thread, NULL, stop_waiting, &client.writer), 0);
    writer_wait(&client.writer);
    pthread_join(thread, NULL);
    assert_true(writer_full(&client.writer));
    client_start_reading(&client);
    client_finish(&client);
    client_close(&client);
}

/* Nothing was freed, so it can be called again. */
CASE(writer__finish_gives_up_at_the_deadline)
{
    struct client client;

    client_open_silent(&client);
    put_bytes(&client, 200000);
    assert_int_equal(writer_finish(&client.writer, clock_now_ms() + 50), -1);
    assert_int_equal(writer_finish(&client.writer, clock_now_ms() - 1000), -1);
    assert_false(writer_broken(&client.writer));
    client_start_reading(&client);
    client_finish(&client);
    assert_int_equal(client.got.length, 200000);
    client_close(&client);
}

/* ---- a client that goes away */

CASE(writer__is_broken)
{
    struct client client;

    client_open_silent(&client);
    close(client.ends[0]);
    assert_false(writer_broken(&client.writer)); /* nothing was written yet */
    put(&client, "line\n");
    wait_until_woken(&client);
    assert_true(writer_broken(&client.writer));
    put_bytes(&client, WAITING_MAX + 1); /* dropped */
    assert_false(writer_full(&client.writer));
    writer_wait(&client.writer);
    close_gone(&client);
}

CASE(writer__breaks_while_it_writes)
{
    struct client client;

    client_open_silent(&client);
    put_bytes(&client, 1000000);
    wait_for_input(client.ends[0]);
    put_bytes(&client, WAITING_MAX);
    assert_true(writer_full(&client.writer));
    close(client.ends[0]); /* the rest is lost */
    wait_until_woken(&client);
    assert_true(writer_broken(&client.writer));
    assert_false(writer_full(&client.writer));
    writer_wait(&client.writer);
    close_gone(&client);
}

static int set_up_group(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    return 0;
}

/* The lines that nobody reads are not written, and a server that shuts down waits for nothing. */
CASE(writer__flush)
{
    struct client client;
    char *large = memory_allocate(1 << 20);

    client_open(&client);
    assert_true(writer_flush(&client.writer));
    writer_put(&client.writer, string_copy("one\n"), 4);
    assert_true(writer_flush(&client.writer));
    client_check(&client, "one\n");

    client_open_silent(&client);
    memset(large, 'x', 1 << 20);
    writer_put(&client.writer, large, 1 << 20);
    writer_stop_waiting(&client.writer);
    assert_false(writer_flush(&client.writer));
    client_start_reading(&client);
    client_finish(&client);
    client_close(&client);
}
