#include "terminal.h"
#include "test.h"

#include <poll.h>
#include <pthread.h>
#include <sys/wait.h>

#include "base/diagnostics.h"
#include "base/linux.h"

/*
 * stderr and the state of the module belong to the whole process, so each test runs in a child
 * whose stderr is `writer`. `body` returns the line of the check that failed, or 0.
 */
static void run(int (*body)(const void *context), const void *context, int writer)
{
    const pid_t child = fork();
    int status;

    if (child == 0) {
        dup2(writer, STDERR_FILENO);
        _exit(body(context));
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("the check in line %d (mod 256) failed", WEXITSTATUS(status));
}

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return __LINE__;                                                                       \
    } while (0)

/* Checks everything that was written to the pipe, and closes it. */
static void check_written(int ends[2], const char *expected)
{
    struct strbuf text;

    close(ends[1]);
    text = read_all(ends[0]);
    assert_string_equal(strbuf_string(&text), expected);
    strbuf_release(&text);
    close(ends[0]);
}

static int write_lines(const void *context)
{
    (void)context;
    diagnostics_line("cannot read '%s'", "file");
    diagnostics_set_program("other");
    diagnostics_line("%s", "");
    diagnostics_copy("copied\nhere\n", 8, NULL);
    return 0;
}

CASE(diagnostics__lines_and_texts)
{
    int ends[2];

    assert_int_equal(linux_pipe(ends), 0);
    run(write_lines, NULL, ends[1]);
    check_written(ends, "isolator: cannot read 'file'\nother: \ncopied\nh");
}

/* What draws a line, and what erases it. */
#define DRAWN(line) "\033[?7l" line "\033[?7h"
#define ERASED      "\r\033[K"

static int draw_lines(const void *context)
{
    (void)context;
    diagnostics_draw("");
    diagnostics_draw("50 %");
    diagnostics_draw("60 %");
    diagnostics_draw("");
    diagnostics_draw("70 %");
    diagnostics_line("a line");
    diagnostics_draw("80 %");
    diagnostics_copy("a copy\nand ", 11, NULL);
    diagnostics_draw("not after an incomplete line");
    diagnostics_copy("more\n", 5, NULL);
    diagnostics_draw("90 %");
    return 0;
}

/* There is one line, and something else takes its place. */
CASE(diagnostics__drawn_line)
{
    int ends[2];

    assert_int_equal(linux_pipe(ends), 0);
    run(draw_lines, NULL, ends[1]);
    check_written(ends, DRAWN("50 %") ERASED DRAWN("60 %") ERASED DRAWN("70 %") ERASED
                  "isolator: a line\n" DRAWN("80 %") ERASED "a copy\nand more\n" DRAWN("90 %"));
}

static void empty_pipe(int fd)
{
    struct pollfd polled = {fd, POLLIN, 0};
    char chunk[65536];

    while (poll(&polled, 1, 0) > 0 && read(fd, chunk, sizeof chunk) > 0)
        ;
}

/* Fills the pipe, so that lines are dropped, empties it and writes two more. */
static int drop_lines(const void *context)
{
    const int reader = *(const int *)context;
    char filler[4096];

    memset(filler, '\n', sizeof filler);
    for (int i = 0; i < 16; i++) /* 64 KiB: pipe(7) */
        diagnostics_copy(filler, sizeof filler, NULL);
    for (int i = 0; i < 1000; i++)
        diagnostics_line("dropped");
    empty_pipe(reader);
    diagnostics_draw(".");
    diagnostics_line("first");
    diagnostics_line("second");
    return 0;
}

CASE(diagnostics__what_does_not_fit_is_counted)
{
    int ends[2];

    assert_int_equal(linux_pipe(ends), 0);
    run(drop_lines, &ends[0], ends[1]);
    check_written(ends, DRAWN(".") ERASED "isolator: 1000 lines of diagnostics were dropped\n"
                                          "isolator: first\nisolator: second\n");
}

static int drop_one_line(const void *context)
{
    const struct terminal *terminal = context;

    terminal_stop(terminal);
    diagnostics_draw("dropped, but not counted");
    diagnostics_line("dropped");
    CHECK(tcflow(terminal->slave, TCOON) == 0);
    diagnostics_line("shown");
    return 0;
}

CASE(diagnostics__stopped_terminal)
{
    static const char expected[] = "isolator: 1 line of diagnostics was dropped\r\n"
                                   "isolator: shown\r\n";
    struct terminal terminal = terminal_open();
    char text[200] = "";

    run(drop_one_line, &terminal, terminal.slave);
    assert_int_equal(read(terminal.master, text, sizeof text - 1), sizeof expected - 1);
    assert_string_equal(text, expected);
    terminal_close(&terminal);
}

/* If only a part of a line fits, its rest is written before the next line. */
static int write_long_line(const void *context)
{
    const int reader = *(const int *)context;
    CLEANUP_FREE char *text = string_format("%0100000d", 7);
    struct strbuf seen = STRBUF_INIT;
    char chunk[65536];
    ssize_t length;

    diagnostics_line("%s", text);
    length = read(reader, chunk, sizeof chunk);
    CHECK(length == 65536);
    strbuf_add(&seen, chunk, (size_t)length);
    diagnostics_line("behind it");
    length = read(reader, chunk, sizeof chunk);
    CHECK(length > 0);
    strbuf_add(&seen, chunk, (size_t)length);
    CHECK(strncmp(seen.data, "isolator: 000", 13) == 0);
    CHECK(strcmp(seen.data + 10 + 99999, "7\nisolator: behind it\n") == 0);
    strbuf_release(&seen);
    return 0;
}

CASE(diagnostics__rest_of_a_long_line)
{
    int ends[2];

    assert_int_equal(linux_pipe(ends), 0);
    run(write_long_line, &ends[0], ends[1]);
    close(ends[0]);
    close(ends[1]);
}

/* A slow reader gets all; when nothing is read any more, the text after the pipe's 64 KiB is
 * dropped. */
static int copy_too_much(const void *context)
{
    const int reader = *(const int *)context;
    char filler[4096];

    memset(filler, '#', sizeof filler);
    for (int i = 0; i < 1000; i++)
        diagnostics_copy(filler, sizeof filler, NULL);
    empty_pipe(reader);
    diagnostics_copy("again\n", 6, NULL);
    diagnostics_copy("and again\n", 10, NULL);
    return 0;
}

CASE(diagnostics__copy_does_not_wait_forever)
{
    int ends[2];
    CLEANUP_FREE char *expected = string_format(
        "isolator: %d bytes of output were dropped, since stderr took nothing\nagain\n"
        "and again\n",
        (1000 - 16) * 4096);

    assert_int_equal(linux_pipe(ends), 0);
    run(copy_too_much, &ends[0], ends[1]);
    check_written(ends, expected);
}

static void *read_slowly(void *context)
{
    char chunk[4096];

    for (int i = 0; i < 20; i++) { /* 80 KiB: more than the pipe holds */
        poll(NULL, 0, 1);
        if (read(*(const int *)context, chunk, sizeof chunk) != sizeof chunk)
            return context;
    }
    return NULL;
}

static int copy_to_slow_reader(const void *context)
{
    char filler[4096 * 20];
    pthread_t thread;
    void *failed;

    memset(filler, '#', sizeof filler);
    CHECK(pthread_create(&thread, NULL, read_slowly, (void *)context) == 0);
    diagnostics_copy(filler, sizeof filler, NULL);
    pthread_join(thread, &failed);
    CHECK(!failed);
    diagnostics_copy("end", 3, NULL);
    return 0;
}

CASE(diagnostics__copy_waits_for_a_slow_reader)
{
    int ends[2];

    assert_int_equal(linux_pipe(ends), 0);
    run(copy_to_slow_reader, &ends[0], ends[1]);
    check_written(ends, "end");
}

static int copy_and_cancel(const void *context)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct notifier cancel = NOTIFIER_INIT;

    terminal_stop(context);
    CHECK(notifier_open(&cancel, &error) == 0);
    notifier_raise(&cancel);
    diagnostics_copy("text", 4, &cancel);
    return 0;
}

CASE(diagnostics__copy_ends_when_cancelled)
{
    struct terminal terminal = terminal_open();

    run(copy_and_cancel, &terminal, terminal.slave);
    terminal_close(&terminal);
}

static void *write_many(void *context)
{
    for (int i = 0; i < 200; i++)
        diagnostics_line("%s", (const char *)context);
    return NULL;
}

static int write_from_threads(const void *context)
{
    static char one[] = "one one one one", two[] = "two two two two";
    pthread_t thread;

    (void)context;
    CHECK(pthread_create(&thread, NULL, write_many, one) == 0);
    write_many(two);
    pthread_join(thread, NULL);
    return 0;
}

CASE(diagnostics__lines_of_threads_stay_whole)
{
    struct strbuf text;
    int ends[2], lines = 0;
    char *rest = NULL;

    assert_int_equal(linux_pipe(ends), 0);
    run(write_from_threads, NULL, ends[1]);
    close(ends[1]);
    text = read_all(ends[0]);
    for (char *line = strtok_r(text.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        lines++;
        if (strcmp(line, "isolator: one one one one") != 0)
            assert_string_equal(line, "isolator: two two two two");
    }
    assert_int_equal(lines, 400);
    strbuf_release(&text);
    close(ends[0]);
}
