#include "terminal.h"
#include "test.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/linux.h"
#include "base/memory.h"
#include "base/output.h"

/* More than a pipe, a socket or a terminal buffers. */
enum { LARGE = 4 << 20 };

static size_t write_now(const struct output *output, const char *data, size_t length)
{
    errno = 0;
    return output_write(output, data, length, clock_now_ms(), NULL);
}

/* Everything that can be read at once. */
static struct strbuf read_waiting(int fd)
{
    struct pollfd polled = {fd, POLLIN, 0};
    struct strbuf text = STRBUF_INIT;
    char chunk[4096];
    ssize_t length;

    while (poll(&polled, 1, 0) > 0 && (length = read(fd, chunk, sizeof chunk)) > 0)
        strbuf_add(&text, chunk, (size_t)length);
    return text;
}

/* Writes until there is no room, without blocking, and reads the same bytes. */
static void check_unread(int writer, int reader)
{
    CLEANUP_FREE char *data = memory_allocate(LARGE);
    CLEANUP(output_release) struct output output;
    const int flags = fcntl(writer, F_GETFL);
    struct strbuf text;
    size_t written;

    for (size_t i = 0; i < LARGE; i++)
        data[i] = (char)('a' + i % 23);
    output_open(&output, writer);
    written = write_now(&output, data, LARGE);
    assert_in_range(written, 64, LARGE - 1);
    assert_int_equal(errno, ETIMEDOUT);
    assert_int_equal(write_now(&output, data, PIPE_BUF), 0);
    assert_int_equal(errno, ETIMEDOUT);
    assert_int_equal(fcntl(writer, F_GETFL), flags);
    text = read_waiting(reader);
    assert_int_equal(text.length, written);
    assert_memory_equal(text.data, data, written);
    strbuf_release(&text);
    assert_int_equal(write_now(&output, "more\n", 5), 5);
}

CASE(output__full_pipe)
{
    int ends[2];

    assert_int_equal(linux_pipe(ends), 0);
    check_unread(ends[1], ends[0]);
    close(ends[0]);
    close(ends[1]);
}

CASE(output__full_socket)
{
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    check_unread(ends[1], ends[0]);
    close(ends[0]);
    close(ends[1]);
}

/* A terminal writes a newline as two characters, so only the number of bytes is checked. */
CASE(output__full_terminal)
{
    struct terminal terminal = terminal_open();
    CLEANUP(output_release) struct output output;
    CLEANUP_FREE char *data = memory_allocate(LARGE);
    struct strbuf text;

    memset(data, '\n', LARGE);
    output_open(&output, terminal.slave);
    assert_in_range(write_now(&output, data, LARGE), 64, LARGE - 1);
    assert_int_equal(errno, ETIMEDOUT);
    text = read_waiting(terminal.master);
    strbuf_release(&text);
    assert_int_equal(write_now(&output, "more\n", 5), 5);
    terminal_close(&terminal);
}

CASE(output__stopped_terminal)
{
    struct terminal terminal = terminal_open();
    CLEANUP(output_release) struct output output;
    struct strbuf text;

    output_open(&output, terminal.slave);
    terminal_stop(&terminal);
    assert_int_equal(write_now(&output, "stopped\n", 8), 0);
    assert_int_equal(errno, ETIMEDOUT);
    terminal_continue(&terminal);
    assert_int_equal(write_now(&output, "goes on\n", 8), 8);
    text = read_waiting(terminal.master);
    assert_string_equal(strbuf_string(&text), "goes on\r\n");
    strbuf_release(&text);
    terminal_close(&terminal);
}

/* As if /proc was not mounted, or the terminal belonged to another user. */
CASE(output__that_cannot_be_opened_again)
{
    struct terminal terminal = terminal_open();
    struct output output;
    int ends[2];

    assert_int_equal(linux_pipe(ends), 0);
    output_open(&output, ends[1]);
    output_release(&output);
    assert_in_range(write_now(&output, (char[100000]){0}, 100000), PIPE_BUF, 99999);
    assert_int_equal(errno, ETIMEDOUT);
    assert_int_equal(write_now(&output, "x", 1), 0);
    close(ends[0]);
    close(ends[1]);

    output_open(&output, terminal.slave);
    output_release(&output);
    assert_int_equal(write_now(&output, "room\n", 5), 5);
    terminal_stop(&terminal);
    assert_int_equal(write_now(&output, "stopped\n", 8), 0);
    assert_int_equal(errno, ETIMEDOUT);
    terminal_close(&terminal);
}

/* The master side can be a stream too; opening it again would create another terminal. */
CASE(output__master_of_a_terminal)
{
    struct terminal terminal = terminal_open();
    CLEANUP(output_release) struct output output;
    char text[6] = "";

    output_open(&output, terminal.master);
    assert_int_equal(output.reopened, -1);
    assert_int_equal(write_now(&output, "typed\n", 6), 6);
    assert_int_equal(read(terminal.slave, text, 6), 6);
    assert_memory_equal(text, "typed\n", 6);
    terminal_close(&terminal);
}

CASE(output__file_is_written_where_it_is)
{
    char *directory = temp_create();
    CLEANUP_FREE char *path = path_in(directory, "file");
    CLEANUP(output_release) struct output output;
    CLEANUP_FREE char *content = NULL;
    int fd;

    write_in(directory, "file", "");
    fd = open(path, O_WRONLY | O_CLOEXEC);
    output_open(&output, fd);
    assert_int_equal(write(fd, "one ", 4), 4);
    assert_int_equal(write_now(&output, "two ", 4), 4);
    assert_int_equal(write(fd, "three", 5), 5);
    content = read_in(directory, "file");
    assert_string_equal(content, "one two three");
    close(fd);
    temp_remove(directory);
}

static void check_error(int fd, int expected)
{
    CLEANUP(output_release) struct output output;

    output_open(&output, fd);
    assert_int_equal(write_now(&output, "text", 4), 0);
    assert_int_equal(errno, expected);
}

CASE(output__errors_of_write)
{
    CLEANUP_FD int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    int pipe_ends[2], socket_ends[2];

    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(linux_pipe(pipe_ends), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, socket_ends), 0);
    close(pipe_ends[0]);
    close(socket_ends[0]);
    check_error(pipe_ends[1], EPIPE);
    check_error(socket_ends[1], EPIPE);
    check_error(full, ENOSPC);
    check_error(-1, EBADF);
    close(pipe_ends[1]);
    close(socket_ends[1]);
    signal(SIGPIPE, SIG_DFL);
}

struct reader {
    int fd;
    struct strbuf text;
};

static void *read_slowly(void *context)
{
    struct reader *reader = context;

    reader->text = read_all(reader->fd);
    return NULL;
}

CASE(output__waits_for_room)
{
    CLEANUP_FREE char *data = memory_allocate(LARGE);
    CLEANUP(output_release) struct output output;
    struct reader reader;
    pthread_t thread;
    int ends[2];

    memset(data, 'x', LARGE);
    assert_int_equal(linux_pipe(ends), 0);
    output_open(&output, ends[1]);
    assert_true(write_now(&output, data, LARGE) < LARGE);
    reader.fd = ends[0];
    assert_int_equal(pthread_create(&thread, NULL, read_slowly, &reader), 0);
    assert_int_equal(output_write(&output, data, LARGE, 0, NULL), LARGE);
    output_release(&output);
    close(ends[1]);
    pthread_join(thread, NULL);
    assert_true(reader.text.length > LARGE);
    strbuf_release(&reader.text);
    close(ends[0]);
}

static void *raise_in_thread(void *context)
{
    notifier_raise(context);
    return NULL;
}

/* Text that fits is written even if `cancel` is already raised. */
CASE(output__waits_until_it_is_cancelled)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(notifier_release) struct notifier cancel = NOTIFIER_INIT;
    struct terminal terminal = terminal_open();
    CLEANUP(output_release) struct output output;
    pthread_t thread;

    assert_int_equal(notifier_open(&cancel, &error), 0);
    output_open(&output, terminal.slave);
    terminal_stop(&terminal);
    assert_int_equal(pthread_create(&thread, NULL, raise_in_thread, &cancel), 0);
    assert_int_equal(output_write(&output, "stopped\n", 8, 0, &cancel), 0);
    assert_int_equal(errno, ECANCELED);
    pthread_join(thread, NULL);
    terminal_continue(&terminal);
    assert_int_equal(output_write(&output, "fits\n", 5, 0, &cancel), 5);
    terminal_close(&terminal);
}

CASE(output__no_child_inherits_it)
{
    CLEANUP(output_release) struct output output;
    int ends[2];

    assert_int_equal(linux_pipe(ends), 0);
    output_open(&output, ends[1]);
    assert_true(output.reopened >= 0);
    assert_int_equal(fcntl(output.reopened, F_GETFD), FD_CLOEXEC);
    close(ends[0]);
    close(ends[1]);
}
