#include "test.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "base/linux.h"
#include "base/notifier.h"
#include "base/process.h"
#include "base/strvec.h"

/*
 * A test waits until LATE for an event that must happen, and until SOON for one that must not. A
 * child that must not end by itself sleeps for longer than both.
 */
enum { MEGABYTE = 1 << 20, SOON_MS = 200, LATE_MS = 60000 };

/* A child that runs /bin/sh, and its output. */
struct child {
    struct process process;
    struct process_pump pump;
    struct strbuf out[2];
    size_t pause_at; /* the sink pauses when it has so many bytes of both streams */
    const struct notifier *cancel_at_once; /* the sink raises it */
    struct error error;
};

static bool collect(void *context, enum process_stream stream, const char *data, size_t length)
{
    struct child *child = context;

    strbuf_add(&child->out[stream], data, length);
    if (child->cancel_at_once)
        notifier_raise(child->cancel_at_once);
    return child->out[0].length + child->out[1].length < child->pause_at;
}

static void init(struct child *child)
{
    *child = (struct child){.process = PROCESS_INIT, .pump = PROCESS_PUMP_INIT};
    child->pump.sink = collect;
    child->pump.context = child;
    child->pump.deadline = clock_now_ms() + LATE_MS;
    child->pause_at = SIZE_MAX;
}

static int start(struct child *child, const char *script, enum process_stdin kind, int file)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    const struct process_options options = {
        .arguments = &arguments, .stdin_kind = kind, .stdin_file = file};

    strvec_push_each(&arguments, "sh", "-c", script, NULL);
    return process_start(&child->process, &options, &child->error);
}

static void start_shell(struct child *child, const char *script, enum process_stdin kind)
{
    int result;

    init(child);
    result = start(child, script, kind, -1);
    assert_no_error(&child->error);
    assert_int_equal(result, 0);
}

static enum process_event pump(struct child *child)
{
    return process_pump(&child->process, &child->pump);
}

static void end(struct child *child)
{
    process_release(&child->process);
    strbuf_release(&child->out[0]);
    strbuf_release(&child->out[1]);
    error_release(&child->error);
}

/* Runs a script without stdin to its end and checks its status and output. */
static void check(const char *script, int status, const char *out, const char *err)
{
    struct child child;

    start_shell(&child, script, PROCESS_STDIN_NULL);
    assert_int_equal(pump(&child), PROCESS_EXITED);
    assert_string_equal(strbuf_string(&child.out[0]), out);
    assert_string_equal(strbuf_string(&child.out[1]), err);
    assert_true(child.process.exited);
    assert_int_equal(child.process.status, status);
    end(&child);
}

CASE(process__exit_status)
{
    check("exit 0", 0, "", "");
    check("exit 7", 7, "", "");
    check("exit 255", 255, "", "");
    check("echo out; echo err >&2; exit 3", 3, "out\n", "err\n");
}

CASE(process__signal_status)
{
    check("kill -KILL $$", 128 + 9, "", "");
    check("kill -TERM $$", 128 + 15, "", "");
    check("echo last; kill -ABRT $$", 128 + 6, "last\n", "");
}

CASE(process__program_that_does_not_exist)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    const struct process_options options = {.arguments = &arguments};
    struct child child;

    init(&child);
    strvec_push(&arguments, "isolator-no-such-program");
    assert_int_equal(process_start(&child.process, &options, &child.error), -1);
    assert_error(&child.error, ERROR_ENGINE,
                 "cannot run 'isolator-no-such-program': No such file or directory");
    assert_int_equal(child.process.pid, 0);
    end(&child);
}

CASE(process__program_that_cannot_be_executed)
{
    static const char *const reasons[] = {"Permission denied", "Not a directory"};
    char *directory = temp_create();
    CLEANUP_FREE char *plain = path_in(directory, "plain");
    CLEANUP_FREE char *below = path_in(directory, "plain/below");
    const char *const paths[] = {plain, below};

    write_in(directory, "plain", "#!/bin/sh\n");
    for (size_t i = 0; i < 2; i++) {
        CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
        const struct process_options options = {.arguments = &arguments,
                                                .stdin_kind = PROCESS_STDIN_PIPE};
        CLEANUP_FREE char *message = string_format("cannot run '%s': %s", paths[i], reasons[i]);
        struct child child;

        init(&child);
        strvec_push(&arguments, paths[i]);
        assert_int_equal(process_start(&child.process, &options, &child.error), -1);
        assert_error(&child.error, ERROR_ENGINE, message);
        end(&child);
    }
    temp_remove(directory);
}

CASE(process__arguments_arrive_as_they_are)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    const struct process_options options = {.arguments = &arguments};
    struct child child;

    init(&child);
    strvec_push_each(&arguments, "printf", "%s|", "a b", "", "$x", "'\"", "*", "\xff\n", NULL);
    assert_int_equal(process_start(&child.process, &options, &child.error), 0);
    assert_int_equal(pump(&child), PROCESS_EXITED);
    assert_string_equal(strbuf_string(&child.out[0]), "a b||$x|'\"|*|\xff\n|");
    end(&child);
}

/* The child has the variable in addition to all of ours, which has none of it. */
CASE(process__variable)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    const struct process_options options = {.arguments = &arguments,
                                            .variable = "ISOLATOR_ADDED=a b=c"};
    struct child child;

    init(&child);
    setenv("ISOLATOR_KEPT", "kept", 1);
    strvec_push_each(&arguments, "sh", "-c", "echo \"$ISOLATOR_ADDED|$ISOLATOR_KEPT\"", NULL);
    assert_int_equal(process_start(&child.process, &options, &child.error), 0);
    assert_int_equal(pump(&child), PROCESS_EXITED);
    assert_string_equal(strbuf_string(&child.out[0]), "a b=c|kept\n");
    assert_null(getenv("ISOLATOR_ADDED"));
    unsetenv("ISOLATOR_KEPT");
    end(&child);
}

/* Names are compared as a whole, and a variable of the options is none of ours. */
CASE(process__withheld_variable)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    const struct process_options options = {.arguments = &arguments,
                                            .variable = "ISOLATOR_ADDED=a"};
    struct child child;

    init(&child);
    setenv("ISOLATOR_SECRET", "secret", 1);
    setenv("ISOLATOR_SECRET_2", "2", 1);
    setenv("ISOLATOR_ADDED", "secret", 1);
    process_withhold("ISOLATOR_SECRET");
    process_withhold("ISOLATOR_ADDED");
    process_withhold("ISOLATOR_SECRET");
    strvec_push_each(&arguments, "sh", "-c",
                     "echo \"${ISOLATOR_SECRET-none}|$ISOLATOR_SECRET_2|$ISOLATOR_ADDED\"", NULL);
    assert_int_equal(process_start(&child.process, &options, &child.error), 0);
    assert_int_equal(pump(&child), PROCESS_EXITED);
    assert_string_equal(strbuf_string(&child.out[0]), "none|2|a\n");
    assert_string_equal(getenv("ISOLATOR_SECRET"), "secret");
    unsetenv("ISOLATOR_SECRET");
    unsetenv("ISOLATOR_SECRET_2");
    unsetenv("ISOLATOR_ADDED");
    end(&child);
}

CASE(process__working_directory)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    const struct process_options options = {.arguments = &arguments, .directory = "/proc"};
    struct child child;

    init(&child);
    strvec_push_each(&arguments, "sh", "-c", "pwd", NULL);
    assert_int_equal(process_start(&child.process, &options, &child.error), 0);
    assert_int_equal(pump(&child), PROCESS_EXITED);
    assert_string_equal(strbuf_string(&child.out[0]), "/proc\n");
    end(&child);
}

/* One megabyte on each stream at the same time: neither pipe may block the other. */
CASE(process__both_streams_come_whole)
{
    struct child child;

    start_shell(&child,
                "head -c 1048576 /dev/zero | tr '\\0' a & "
                "head -c 1048576 /dev/zero | tr '\\0' b >&2 & wait",
                PROCESS_STDIN_NULL);
    assert_int_equal(pump(&child), PROCESS_EXITED);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(child.out[i].length, MEGABYTE);
        assert_int_equal(strspn(child.out[i].data, i == 0 ? "a" : "b"), MEGABYTE);
    }
    end(&child);
}

CASE(process__streams_one_after_the_other)
{
    struct child child;

    start_shell(&child,
                "head -c 1048576 /dev/zero; head -c 1048576 /dev/zero >&2; "
                "head -c 1048576 /dev/zero",
                PROCESS_STDIN_NULL);
    assert_int_equal(pump(&child), PROCESS_EXITED);
    assert_int_equal(child.out[0].length, 2 * MEGABYTE);
    assert_int_equal(child.out[1].length, MEGABYTE);
    end(&child);
}

CASE(process__without_a_sink_output_is_discarded)
{
    struct child child;

    start_shell(&child, "head -c 1048576 /dev/zero; exit 5", PROCESS_STDIN_NULL);
    child.pump.sink = NULL;
    assert_int_equal(pump(&child), PROCESS_EXITED);
    assert_int_equal(child.process.status, 5);
    end(&child);
}

CASE(process__stdin_is_dev_null)
{
    check("cat; readlink /proc/self/fd/0", 0, "/dev/null\n", "");
}

/* Bytes without a short period, so that a lost or repeated piece is noticed. */
static struct strbuf pattern(size_t length)
{
    struct strbuf text = STRBUF_INIT;

    for (size_t i = 0; text.length < length; i++)
        strbuf_addf(&text, "%zu,", i);
    text.length = length;
    text.data[length] = '\0';
    return text;
}

CASE(process__stdin_through_a_pipe_and_back)
{
    struct strbuf sent = pattern(MEGABYTE);
    struct child child;

    start_shell(&child, "cat", PROCESS_STDIN_PIPE);
    process_write(&child.process, sent.data, 1000);
    process_write(&child.process, sent.data + 1000, sent.length - 1000);
    child.pause_at = MEGABYTE;
    assert_int_equal(pump(&child), PROCESS_PAUSED);
    assert_int_equal(child.out[0].length, MEGABYTE);
    assert_memory_equal(child.out[0].data, sent.data, MEGABYTE);
    process_close_stdin(&child.process);
    child.pause_at = SIZE_MAX;
    assert_int_equal(pump(&child), PROCESS_EXITED);
    assert_int_equal(child.out[0].length, MEGABYTE);
    assert_int_equal(child.process.status, 0);
    strbuf_release(&sent);
    end(&child);
}

static int file_of(const char *text, size_t length)
{
    const int fd = linux_unnamed_file();

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, length), length);
    return fd; /* its offset is its end */
}

CASE(process__stdin_from_a_file_from_its_start)
{
    struct strbuf sent = pattern(MEGABYTE);
    CLEANUP_FD int fd = file_of(sent.data, sent.length);
    struct child child;

    for (int i = 0; i < 2; i++) {
        init(&child);
        assert_int_equal(start(&child, "cat", PROCESS_STDIN_FILE, fd), 0);
        assert_int_equal(pump(&child), PROCESS_EXITED);
        assert_int_equal(child.out[0].length, MEGABYTE);
        assert_memory_equal(child.out[0].data, sent.data, MEGABYTE);
        end(&child);
    }
    assert_true(fcntl(fd, F_GETFD) >= 0);
    strbuf_release(&sent);
}

/* Gives the parts of a text, one a call, and then nothing. */
struct parts {
    const char *next[4]; /* ends with NULL */
    int calls;
};

static void add_part(void *context, struct strbuf *queue)
{
    struct parts *parts = context;

    assert_int_equal(queue->length, 0);
    parts->calls++;
    if (!parts->next[0])
        return;
    strbuf_addstr(queue, parts->next[0]);
    memmove(parts->next, parts->next + 1, sizeof parts->next - sizeof *parts->next);
}

/* The source is asked whenever the queue is empty; bytes that are queued come first. */
CASE(process__stdin_from_a_source)
{
    struct parts parts = {.next = {"[one]", "[two]", "[three]"}};
    struct child child;

    start_shell(&child, "head -c 23", PROCESS_STDIN_PIPE);
    process_write(&child.process, "bytes,", 6);
    child.process.source = add_part;
    child.process.source_context = &parts;
    assert_int_equal(pump(&child), PROCESS_EXITED);
    assert_string_equal(strbuf_string(&child.out[0]), "bytes,[one][two][three]");
    end(&child);
}

/* A source that has nothing now is asked again when something has happened. */
CASE(process__source_that_has_more_later)
{
    struct parts parts = {.next = {"first\n"}};
    struct child child;

    start_shell(&child, "read a; echo $a; read b; echo $b", PROCESS_STDIN_PIPE);
    child.process.source = add_part;
    child.process.source_context = &parts;
    child.pause_at = 6;
    assert_int_equal(pump(&child), PROCESS_PAUSED);
    assert_string_equal(strbuf_string(&child.out[0]), "first\n");
    parts.next[0] = "second\n";
    child.pause_at = SIZE_MAX;
    assert_int_equal(pump(&child), PROCESS_EXITED);
    assert_string_equal(strbuf_string(&child.out[0]), "first\nsecond\n");
    end(&child);
}

/* A file that is sent piece by piece. */
struct piecewise {
    const struct strbuf *all;
    size_t done, largest;
};

static void add_piece(void *context, struct strbuf *queue)
{
    struct piecewise *piecewise = context;
    const size_t left = piecewise->all->length - piecewise->done;
    const size_t length = left < 10007 ? left : 10007;

    strbuf_add(queue, piecewise->all->data + piecewise->done, length);
    piecewise->done += length;
    if (queue->length > piecewise->largest)
        piecewise->largest = queue->length;
}

CASE(process__source_of_more_than_a_pipe_holds)
{
    struct strbuf sent = pattern(MEGABYTE);
    struct piecewise piecewise = {&sent, 0, 0};
    struct child child;

    start_shell(&child, "head -c 1048576", PROCESS_STDIN_PIPE);
    child.process.source = add_piece;
    child.process.source_context = &piecewise;
    assert_int_equal(pump(&child), PROCESS_EXITED);
    assert_int_equal(child.out[0].length, MEGABYTE);
    assert_memory_equal(child.out[0].data, sent.data, MEGABYTE);
    assert_int_equal(piecewise.largest, 10007); /* nothing is asked for in advance */
    strbuf_release(&sent);
    end(&child);
}

CASE(process__stdin_stays_open_until_closed)
{
    struct child child;

    start_shell(&child, "cat; echo end", PROCESS_STDIN_PIPE);
    process_write(&child.process, "text,", 5);
    child.pause_at = 5;
    assert_int_equal(pump(&child), PROCESS_PAUSED);
    child.pause_at = SIZE_MAX;
    child.pump.deadline = clock_now_ms() + SOON_MS;
    assert_int_equal(pump(&child), PROCESS_DEADLINE);
    assert_string_equal(strbuf_string(&child.out[0]), "text,");
    process_close_stdin(&child.process);
    process_write(&child.process, "too late", 8);
    child.pump.deadline = clock_now_ms() + LATE_MS;
    assert_int_equal(pump(&child), PROCESS_EXITED);
    assert_string_equal(strbuf_string(&child.out[0]), "text,end\n");
    end(&child);
}

CASE(process__closing_stdin_drops_what_is_queued)
{
    struct parts parts = {.next = {"part"}};
    struct child child;

    start_shell(&child, "cat; echo end", PROCESS_STDIN_PIPE);
    process_write(&child.process, "bytes", 5);
    child.process.source = add_part;
    child.process.source_context = &parts;
    process_close_stdin(&child.process);
    assert_int_equal(pump(&child), PROCESS_EXITED);
    assert_string_equal(strbuf_string(&child.out[0]), "end\n");
    assert_int_equal(parts.calls, 0);
    end(&child);
}

/* The child has closed its end: no SIGPIPE (which programs ignore), no hang, no failure. */
CASE(process__child_that_does_not_read_its_stdin)
{
    struct strbuf sent = pattern(MEGABYTE);
    struct child child;

    start_shell(&child, "exec <&-; sleep 0.1; echo done", PROCESS_STDIN_PIPE);
    process_write(&child.process, sent.data, sent.length);
    assert_int_equal(pump(&child), PROCESS_EXITED);
    assert_string_equal(strbuf_string(&child.out[0]), "done\n");
    assert_int_equal(child.process.in, -1);
    strbuf_release(&sent);
    end(&child);
}

CASE(process__deadline)
{
    struct child child;
    pid_t pid;

    start_shell(&child, "echo early; exec sleep 300", PROCESS_STDIN_NULL);
    pid = child.process.pid;
    child.pause_at = 6;
    assert_int_equal(pump(&child), PROCESS_PAUSED);
    child.pump.deadline = clock_now_ms() + SOON_MS;
    assert_int_equal(pump(&child), PROCESS_DEADLINE);
    assert_true(clock_now_ms() >= child.pump.deadline);
    assert_string_equal(strbuf_string(&child.out[0]), "early\n");
    assert_false(child.process.exited);
    assert_int_equal(kill(pid, 0), 0); /* the child goes on */
    assert_int_equal(pump(&child), PROCESS_DEADLINE);
    end(&child);
    assert_int_equal(kill(pid, 0), -1);
    assert_int_equal(errno, ESRCH);
}

/* The deadline holds even if the child never stops writing. */
CASE(process__deadline_of_a_child_that_floods)
{
    struct child child;

    start_shell(&child, "exec cat /dev/zero", PROCESS_STDIN_NULL);
    child.pump.sink = NULL;
    child.pump.deadline = clock_now_ms() + SOON_MS;
    assert_int_equal(pump(&child), PROCESS_DEADLINE);
    assert_true(clock_now_ms() >= child.pump.deadline);
    end(&child);
}

CASE(process__cancelled_before_it_is_pumped)
{
    struct notifier cancel = NOTIFIER_INIT;
    struct child child;

    init(&child);
    assert_int_equal(notifier_open(&cancel, &child.error), 0);
    notifier_raise(&cancel);
    assert_int_equal(start(&child, "exec sleep 300", PROCESS_STDIN_NULL, -1), 0);
    child.pump.cancel = notifier_fd(&cancel);
    assert_int_equal(pump(&child), PROCESS_CANCELLED);
    assert_int_equal(pump(&child), PROCESS_CANCELLED); /* it stays raised */
    end(&child);
    notifier_release(&cancel);
}

CASE(process__cancelled_while_it_runs)
{
    struct notifier cancel = NOTIFIER_INIT;
    struct child child;

    start_shell(&child, "echo running; exec sleep 300", PROCESS_STDIN_NULL);
    assert_int_equal(notifier_open(&cancel, &child.error), 0);
    child.pump.cancel = notifier_fd(&cancel);
    child.cancel_at_once = &cancel;
    assert_int_equal(pump(&child), PROCESS_CANCELLED);
    assert_string_equal(strbuf_string(&child.out[0]), "running\n");
    end(&child);
    notifier_release(&cancel);
}

CASE(process__sink_pauses_and_goes_on)
{
    struct child child;

    start_shell(&child, "echo one; read line; echo two; exit 4", PROCESS_STDIN_PIPE);
    child.pause_at = 4;
    assert_int_equal(pump(&child), PROCESS_PAUSED);
    assert_string_equal(strbuf_string(&child.out[0]), "one\n");
    process_write(&child.process, "\n", 1);
    child.pause_at = SIZE_MAX;
    assert_int_equal(pump(&child), PROCESS_EXITED);
    assert_string_equal(strbuf_string(&child.out[0]), "one\ntwo\n");
    assert_int_equal(child.process.status, 4);
    assert_int_equal(pump(&child), PROCESS_EXITED); /* nothing changes after the end */
    end(&child);
}

/* Programs ignore SIGPIPE and may block signals; children would inherit both. */
CASE(process__signals_are_at_their_defaults)
{
    sigset_t blocked, before;

    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    signal(SIGINT, SIG_IGN);
    check("kill -PIPE $$; echo alive", 128 + 13, "", "");
    check("kill -TERM $$; echo alive", 128 + 15, "", "");
    check("kill -INT $$; echo alive", 128 + 2, "", "");
    signal(SIGINT, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

CASE(process__has_a_process_group_of_its_own)
{
    struct child child;

    start_shell(&child, "read line", PROCESS_STDIN_PIPE);
    assert_int_equal(getpgid(child.process.pid), child.process.pid);
    assert_int_not_equal(getpgrp(), child.process.pid);
    end(&child);
}

CASE(process__child_sees_three_descriptors)
{
    CLEANUP_FD int file = file_of("file", 4);
    struct notifier cancel = NOTIFIER_INIT;
    struct child other, child;
    const enum process_stdin kinds[] = {PROCESS_STDIN_NULL, PROCESS_STDIN_FILE, PROCESS_STDIN_PIPE};

    start_shell(&other, "read line", PROCESS_STDIN_PIPE);
    assert_int_equal(notifier_open(&cancel, &other.error), 0);
    for (size_t i = 0; i < 3; i++) {
        init(&child);
        assert_int_equal(start(&child, "ls /proc/$$/fd; :", kinds[i], file), 0);
        assert_int_equal(pump(&child), PROCESS_EXITED);
        assert_string_equal(strbuf_string(&child.out[0]), "0\n1\n2\n");
        end(&child);
    }
    end(&other);
    notifier_release(&cancel);
}

/* Like the ssh connection that docker leaves behind. */
CASE(process__grandchild_that_holds_the_pipes)
{
    struct child child;

    start_shell(&child, "sleep 300 & echo out; echo err >&2; exit 6", PROCESS_STDIN_NULL);
    assert_int_equal(pump(&child), PROCESS_EXITED);
    assert_string_equal(strbuf_string(&child.out[0]), "out\n");
    assert_string_equal(strbuf_string(&child.out[1]), "err\n");
    assert_int_equal(child.process.status, 6);
    kill(-child.process.pid, SIGKILL); /* the sleep is in the child's process group */
    end(&child);
}

/* A child that closes its streams early has not ended. */
CASE(process__child_that_closes_its_streams)
{
    struct child child;

    start_shell(&child, "exec >&- 2>&-; sleep 0.1; exit 9", PROCESS_STDIN_NULL);
    assert_int_equal(pump(&child), PROCESS_EXITED);
    assert_int_equal(child.process.status, 9);
    end(&child);
}

/* With a child that cannot do its work without them, the end of one is enough. */
CASE(process__needed_pipe_is_closed)
{
    struct child child;

    start_shell(&child, "echo out; exec >&-; sleep 100", PROCESS_STDIN_PIPE);
    child.pump.needs_pipes = true;
    assert_int_equal(pump(&child), PROCESS_PAUSED);
    assert_string_equal(strbuf_string(&child.out[0]), "out\n");
    end(&child);
    start_shell(&child, "exec <&-; echo closed; sleep 100", PROCESS_STDIN_PIPE);
    child.pause_at = 7;
    assert_int_equal(pump(&child), PROCESS_PAUSED);
    child.pause_at = SIZE_MAX;
    child.pump.needs_pipes = true;
    process_write(&child.process, "in", 2);
    assert_int_equal(pump(&child), PROCESS_PAUSED);
    end(&child);
}

/* Fills a pipe to the last byte. */
static void fill(int fd)
{
    static const char zeros[4096];

    fcntl(fd, F_SETFL, O_NONBLOCK);
    while (write(fd, zeros, sizeof zeros) > 0)
        ;
    while (write(fd, zeros, 1) > 0)
        ;
}

static void drain(int fd)
{
    char chunk[65536];

    fcntl(fd, F_SETFL, O_NONBLOCK);
    while (read(fd, chunk, sizeof chunk) > 0)
        ;
}

/* A child whose caller wants to write to two places. */
struct writer {
    struct child child;
    int places[2];
    int calls[2]; /* of the callback, by index */
};

static bool collect_for_writer(void *context, enum process_stream stream, const char *data,
                               size_t length)
{
    return collect(&((struct writer *)context)->child, stream, data, length);
}

/* Wants to write no more. */
static void note_writable(void *context, int index)
{
    struct writer *writer = context;

    writer->calls[index]++;
    writer->places[index] = -1;
}

static void watch_places(void *context, struct loop *loop)
{
    struct writer *writer = context;

    for (int i = 0; i < 2; i++)
        loop_add(loop, writer->places[i], POLLOUT, note_writable, writer, i);
}

static void start_writer(struct writer *writer, const char *script)
{
    *writer = (struct writer){.places = {-1, -1}};
    start_shell(&writer->child, script, PROCESS_STDIN_NULL);
    writer->child.pump.sink = collect_for_writer;
    writer->child.pump.context = writer;
    writer->child.pump.watch = watch_places;
}

static bool has_called(const void *context)
{
    return ((const struct writer *)context)->calls[0] > 0;
}

/* The child writes nothing more: what another descriptor has brought about ends the wait. */
CASE(process__is_done_by_another_descriptor)
{
    struct writer writer;
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    start_writer(&writer, "exec sleep 100");
    writer.child.pump.is_done = has_called;
    writer.child.pump.deadline = clock_now_ms() + 60000;
    writer.places[0] = ends[1];
    assert_int_equal(process_pump(&writer.child.process, &writer.child.pump), PROCESS_PAUSED);
    close(ends[0]);
    close(ends[1]);
    end(&writer.child);
}

/* A child whose caller wants to read from a descriptor, too. */
struct reader {
    struct child child;
    int wanted;
    struct strbuf got; /* from it */
    size_t enough;     /* bytes, after which it is not wanted */
};

static bool collect_for_reader(void *context, enum process_stream stream, const char *data,
                               size_t length)
{
    return collect(&((struct reader *)context)->child, stream, data, length);
}

/* Not while the child has written something to its stderr. */
static int wanted(const struct reader *reader)
{
    return reader->got.length < reader->enough && reader->child.out[1].length == 0 ? reader->wanted
                                                                                   : -1;
}

static void read_wanted(void *context, int number)
{
    struct reader *reader = context;
    char byte;

    (void)number;
    if (wanted(reader) < 0)
        return;
    assert_int_equal(read(reader->wanted, &byte, 1), 1);
    strbuf_add(&reader->got, &byte, 1);
    process_write(&reader->child.process, &byte, 1);
}

static void watch_wanted(void *context, struct loop *loop)
{
    loop_add(loop, wanted(context), POLLIN, read_wanted, context, 0);
}

static void start_reader(struct reader *reader, const char *script, int fd, size_t enough)
{
    *reader = (struct reader){.wanted = fd, .enough = enough};
    start_shell(&reader->child, script, PROCESS_STDIN_PIPE);
    reader->child.pump.sink = collect_for_reader;
    reader->child.pump.context = reader;
    reader->child.pump.watch = watch_wanted;
}

/* Bytes are passed on to the child as they come, for as long as the caller wants them. */
CASE(process__wanted_descriptor)
{
    struct pollfd written = {-1, POLLIN, 0};
    struct reader reader;
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "a\nb\nc\n", 6), 6);
    start_reader(&reader, "read a; echo $a; read b; echo $b; echo 1", ends[0], 4);
    assert_int_equal(pump(&reader.child), PROCESS_EXITED);
    assert_string_equal(strbuf_string(&reader.child.out[0]), "a\nb\n1\n");
    assert_string_equal(strbuf_string(&reader.got), "a\nb\n");
    strbuf_release(&reader.got);
    end(&reader.child);

    /* what the child has just written is a reason not to read, also if both are there at once */
    start_reader(&reader, "echo x >&2; exec sleep 300", ends[0], 100);
    written.fd = reader.child.process.out[1];
    assert_int_equal(poll(&written, 1, -1), 1);
    reader.child.pump.deadline = clock_now_ms() + SOON_MS;
    assert_int_equal(pump(&reader.child), PROCESS_DEADLINE);
    assert_int_equal(reader.got.length, 0);
    end(&reader.child);
    close(ends[0]);
    close(ends[1]);
}

/* A descriptor with nothing to read delays neither the deadline nor the end of the child. */
CASE(process__wanted_descriptor_without_bytes)
{
    struct reader reader;
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    start_reader(&reader, "exec sleep 300", ends[0], 100);
    reader.child.pump.deadline = clock_now_ms() + SOON_MS;
    assert_int_equal(pump(&reader.child), PROCESS_DEADLINE);
    end(&reader.child);
    start_reader(&reader, "echo x", ends[0], 100);
    assert_int_equal(pump(&reader.child), PROCESS_EXITED);
    assert_string_equal(strbuf_string(&reader.child.out[0]), "x\n");
    end(&reader.child);
    close(ends[0]);
    close(ends[1]);
}

/* A place without room delays neither the streams nor the deadline. */
CASE(process__destination_without_room)
{
    int place[2];
    struct writer writer;

    assert_int_equal(pipe(place), 0);
    fill(place[1]);
    start_writer(&writer, "head -c 100000 /dev/zero; echo err >&2; exec sleep 300");
    writer.places[0] = place[1];
    writer.child.pause_at = 100004;
    assert_int_equal(pump(&writer.child), PROCESS_PAUSED);
    writer.child.pause_at = SIZE_MAX;
    writer.child.pump.deadline = clock_now_ms() + SOON_MS;
    assert_int_equal(pump(&writer.child), PROCESS_DEADLINE);
    assert_int_equal(writer.calls[0], 0);
    assert_int_equal(writer.places[0], place[1]);
    end(&writer.child);
    close(place[0]);
    close(place[1]);
}

/* The callback is told which of the two has room, once, since it wants no more then. */
CASE(process__destination_with_room)
{
    int full[2], empty[2];
    struct writer writer;

    assert_int_equal(pipe(full), 0);
    assert_int_equal(pipe(empty), 0);
    fill(full[1]);
    start_writer(&writer, "exec sleep 300");
    writer.places[0] = full[1];
    writer.places[1] = empty[1];
    writer.child.pump.deadline = clock_now_ms() + SOON_MS;
    assert_int_equal(pump(&writer.child), PROCESS_DEADLINE);
    assert_int_equal(writer.calls[0], 0);
    assert_int_equal(writer.calls[1], 1);
    drain(full[0]);
    writer.child.pump.deadline = clock_now_ms() + SOON_MS;
    assert_int_equal(pump(&writer.child), PROCESS_DEADLINE);
    assert_int_equal(writer.calls[0], 1);
    assert_int_equal(writer.calls[1], 1);
    end(&writer.child);
    for (int i = 0; i < 2; i++) {
        close(full[i]);
        close(empty[i]);
    }
}

/* The place has no reader any more: the callback is called and will notice. */
CASE(process__destination_that_is_gone)
{
    int place[2];
    struct writer writer;

    assert_int_equal(pipe(place), 0);
    fill(place[1]);
    close(place[0]);
    start_writer(&writer, "sleep 0.1; echo out");
    writer.places[1] = place[1];
    assert_int_equal(pump(&writer.child), PROCESS_EXITED);
    assert_int_equal(writer.calls[1], 1);
    assert_string_equal(strbuf_string(&writer.child.out[0]), "out\n");
    end(&writer.child);
    close(place[1]);
}

/* The child that is pumped waits for another child, whose output has to be read meanwhile. */
CASE(process__drains_another_child)
{
    char *directory = temp_create();
    CLEANUP_FREE char *fifo = path_in(directory, "fifo");
    CLEANUP_FREE char *script = string_format(
        "head -c 1048576 /dev/zero; head -c 1048576 /dev/zero >&2; echo done >%s", fifo);
    CLEANUP_FREE char *waiting = string_format("cat %s", fifo);
    struct child other, child;

    assert_int_equal(mkfifo(fifo, 0600), 0);
    start_shell(&other, script, PROCESS_STDIN_NULL);
    start_shell(&child, waiting, PROCESS_STDIN_NULL);
    child.pump.drain = &(struct process_drain){&other.process, collect, &other};
    assert_int_equal(pump(&child), PROCESS_EXITED);
    assert_string_equal(strbuf_string(&child.out[0]), "done\n");
    /* the rest may be in a pipe */
    assert_in_range(other.out[0].length, MEGABYTE - 65536, MEGABYTE);
    assert_in_range(other.out[1].length, MEGABYTE - 65536, MEGABYTE);
    end(&child);
    end(&other);
    temp_remove(directory);
}

CASE(process__release_kills_and_reaps)
{
    struct process never = PROCESS_INIT;
    struct child child;
    pid_t pid;

    process_release(&never);
    start_shell(&child, "trap '' TERM INT HUP; while :; do sleep 300; done", PROCESS_STDIN_PIPE);
    pid = child.process.pid;
    process_write(&child.process, "queued", 6);
    process_release(&child.process);
    assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    process_release(&child.process);
    kill(-pid, SIGKILL); /* the sleep */
    end(&child);
}

/* Without a deadline it waits until the child ends. */
CASE(process__no_deadline)
{
    struct child child;

    start_shell(&child, "sleep 0.1; echo out", PROCESS_STDIN_NULL);
    child.pump.deadline = 0;
    assert_int_equal(pump(&child), PROCESS_EXITED);
    assert_string_equal(strbuf_string(&child.out[0]), "out\n");
    end(&child);
}

/* poll() of more descriptors than RLIMIT_NOFILE allows fails with EINVAL. */
static int pump_without_poll(void)
{
    const struct rlimit few = {1, 1};
    struct rusage before, after;
    struct child child;
    bool ended;

    start_shell(&child, "exec sleep 300", PROCESS_STDIN_NULL);
    child.pump.deadline = clock_now_ms() + 500;
    setrlimit(RLIMIT_NOFILE, &few);
    getrusage(RUSAGE_SELF, &before);
    ended = pump(&child) == PROCESS_DEADLINE;
    getrusage(RUSAGE_SELF, &after);
    end(&child);
    if (!ended)
        return 1;
    return after.ru_nvcsw - before.ru_nvcsw >= 5 ? 0 : 2; /* it has slept, up to 25 times */
}

CASE(process__poll_that_fails_is_no_busy_loop)
{
    const pid_t child = fork();
    int status;

    if (child == 0)
        _exit(pump_without_poll());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void check_start_with_room(int room)
{
    struct rlimit limit, before;
    const int lowest = dup(0);
    struct child child;
    int result;

    close(lowest);
    init(&child);
    getrlimit(RLIMIT_NOFILE, &before);
    limit = before;
    limit.rlim_cur = (rlim_t)(lowest + room);
    setrlimit(RLIMIT_NOFILE, &limit);
    result = start(&child, "exit 0", PROCESS_STDIN_PIPE, -1);
    setrlimit(RLIMIT_NOFILE, &before);
    if (room < 7) {
        assert_int_equal(result, -1);
        assert_error(&child.error, ERROR_SYSTEM,
                     room < 6 ? "cannot make a pipe: Too many open files"
                              : "cannot watch a child process: Too many open files");
    } else {
        assert_int_equal(result, 0);
    }
    assert_true(room < 7 ? child.process.pid == 0 : child.process.pid > 0);
    end(&child);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    assert_int_equal(dup(0), lowest);
    close(lowest);
}

/*
 * Closes the descriptors that this program was started with, or that a failed test has left open.
 */
static void close_others(void)
{
    DIR *dir = opendir("/proc/self/fd");
    struct dirent *entry;

    assert_non_null(dir);
    while ((entry = readdir(dir)))
        if (atoi(entry->d_name) > 2 && atoi(entry->d_name) != dirfd(dir))
            close(atoi(entry->d_name));
    closedir(dir);
}

/* Three pipes and a pidfd: whichever cannot be opened, no descriptor stays open. */
CASE(process__start_without_descriptors)
{
    close_others();
    for (int room = 0; room <= 7; room++)
        check_start_with_room(room);
}

CASE(process__leaves_no_descriptor_behind)
{
    const int before = dup(0);
    int after;

    close(before);
    check("echo out", 0, "out\n", "");
    process__program_that_does_not_exist(NULL);
    process__stdin_stays_open_until_closed(NULL);
    after = dup(0);
    close(after);
    assert_int_equal(after, before);
}

static int set_up_group(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN); /* as the mains do */
    setenv("PATH", "/usr/bin:/bin", 1);
    close_others();
    return 0;
}
