/*
 * A client of the supervisor: sends frames, and takes those that come back.
 *
 * The supervisor runs here as a child that is not process 1: it ends the process group of its
 * program instead of all processes. A test waits until LATE for what must happen, and until SOON
 * for what must not.
 */
#ifndef SUPERVISOR_CLIENT_H
#define SUPERVISOR_CLIENT_H

#include "test.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "base/archive.h"
#include "base/clock.h"
#include "base/linux.h"
#include "base/sealed_lines.h"
#include "base/untar.h"
#include "supervisor/protocol.h"
#include "supervisor/supervise.h"

enum { LATE_MS = 60000, SOON_MS = 200, MEGABYTE = 1 << 20 };

struct fixture {
    char *directory;
    const char *fifos; /* directory with those of an interaction; NULL: `tables` */
    char *tables; /* directory with the table of mounts, and the lists of System V objects: none */
    pid_t supervisor;
    int fd;             /* our end of the connection, a socket */
    struct strbuf sent; /* frames, not written yet */
    struct strbuf pending, payload;
    bool grants; /* each byte of output that arrives is granted again */
    /* The lines that come back, of a script or after SEAL: see read_lines(). */
    struct sealed_lines sealed;
    struct strbuf lines;
    size_t line_count;
    /* What has arrived. */
    struct strbuf out[2], report, files, too_large, network;
    size_t stdin_credit, network_credit;
    bool stdin_closed;
    struct frame_failed failed;
    struct strbuf failed_path;
    struct frame_end end;
    struct frame_wait_state wait_state;
    struct strbuf trace; /* one word for each frame but STDOUT and STDERR, see note_frame() */
};

/* ---- sending */

static inline void add(struct fixture *fixture, int type, const void *payload, size_t length)
{
    const char header[FRAME_HEADER] = {(char)length, (char)(length >> 8), (char)(length >> 16), 0,
                                       (char)type};

    strbuf_add(&fixture->sent, header, sizeof header);
    strbuf_add(&fixture->sent, payload, length);
}

static inline void add_text(struct fixture *fixture, int type, const char *text)
{
    add(fixture, type, text, strlen(text));
}

static inline void add_credit(struct fixture *fixture, int stream, size_t bytes)
{
    const struct frame_credit credit = {(uint32_t)stream, (uint32_t)bytes};

    add(fixture, FRAME_CREDIT, &credit, sizeof credit);
}

static inline void add_run(struct fixture *fixture, uint64_t output_max)
{
    const struct frame_run run = {
        .timer_ms = 2 * LATE_MS, .linger_ms = 2 * LATE_MS, .output_max = output_max};

    add(fixture, FRAME_RUN, &run, sizeof run);
}

static inline void add_script(struct fixture *fixture, const char *script)
{
    add_text(fixture, FRAME_ARGUMENT, "/bin/sh");
    add_text(fixture, FRAME_ARGUMENT, "-c");
    add_text(fixture, FRAME_ARGUMENT, script);
}

/* ---- receiving */

/* Adds the name of a frame, and where bytes are omitted between those of two streams. */
static inline void note_frame(struct fixture *fixture, int type)
{
    static const char *const names[] = {
        [FRAME_HELLO] = "HELLO",     [FRAME_FAILED] = "FAILED",
        [FRAME_BEGUN] = "BEGUN",     [FRAME_STDIN_CLOSED] = "STDIN_CLOSED",
        [FRAME_END] = "END",         [FRAME_FILES_END] = "FILES_END",
        [FRAME_KEPT] = "KEPT",       [FRAME_DETACHED] = "DETACHED",
        [FRAME_CREDIT] = "CREDIT",   [FRAME_TOO_LARGE] = "TOO_LARGE",
        [FRAME_OMITTED] = "OMITTED", [FRAME_WAIT_STATE] = "WAIT_STATE",
        [FRAME_READY] = "READY",     [FRAME_STORED] = "STORED"};
    struct frame_omitted omitted;

    if (type == FRAME_STDOUT || type == FRAME_STDERR || type == FRAME_FILES ||
        type == FRAME_NETWORK)
        return;
    strbuf_addf(&fixture->trace, "%s ", names[type]);
    if (type != FRAME_OMITTED)
        return;
    assert_int_equal(fixture->payload.length, sizeof omitted);
    memcpy(&omitted, fixture->payload.data, sizeof omitted);
    strbuf_addf(&fixture->trace, "%s %llu ", omitted.stream == FRAME_STDOUT ? "out" : "err",
                (unsigned long long)omitted.bytes);
    strbuf_addf(&fixture->out[omitted.stream == FRAME_STDERR], "<%llu>",
                (unsigned long long)omitted.bytes);
}

static inline void take_frame(struct fixture *fixture, int type)
{
    const struct strbuf *payload = &fixture->payload;
    struct frame_credit credit;

    if (type == FRAME_STDOUT || type == FRAME_STDERR) {
        strbuf_add(&fixture->out[type == FRAME_STDERR], payload->data, payload->length);
        if (fixture->grants)
            add_credit(fixture, type, payload->length);
    } else if (type == FRAME_FILES) {
        strbuf_add(&fixture->files, payload->data, payload->length);
        if (fixture->grants)
            add_credit(fixture, type, payload->length);
    } else if (type == FRAME_NETWORK) {
        strbuf_add(&fixture->network, payload->data, payload->length);
        if (fixture->grants)
            add_credit(fixture, type, payload->length);
    } else if (type == FRAME_WAIT_STATE) {
        assert_int_equal(payload->length, sizeof fixture->wait_state);
        memcpy(&fixture->wait_state, payload->data, sizeof fixture->wait_state);
    } else if (type == FRAME_REPORT) {
        strbuf_add(&fixture->report, payload->data, payload->length);
        if (fixture->grants)
            add_credit(fixture, type, payload->length);
    } else if (type == FRAME_TOO_LARGE) {
        strbuf_addf(&fixture->too_large, "%s;", strbuf_string(payload));
    } else if (type == FRAME_CREDIT) {
        assert_int_equal(payload->length, sizeof credit);
        memcpy(&credit, payload->data, sizeof credit);
        assert_true(credit.stream == FRAME_STDIN || credit.stream == FRAME_NETWORK);
        *(credit.stream == FRAME_STDIN ? &fixture->stdin_credit : &fixture->network_credit) +=
            credit.bytes;
    } else if (type == FRAME_STDIN_CLOSED) {
        fixture->stdin_closed = true;
    } else if (type == FRAME_END) {
        assert_int_equal(payload->length, sizeof fixture->end);
        memcpy(&fixture->end, payload->data, sizeof fixture->end);
    } else if (type == FRAME_FAILED) {
        assert_true(payload->length >= sizeof fixture->failed);
        memcpy(&fixture->failed, payload->data, sizeof fixture->failed);
        strbuf_add(&fixture->failed_path, payload->data + sizeof fixture->failed,
                   payload->length - sizeof fixture->failed);
    }
}

/* Takes the next frame out of what has arrived; its type, or 0 if none is complete. */
static inline int next_frame(struct fixture *fixture)
{
    const unsigned char *header = (const unsigned char *)fixture->pending.data;
    size_t length;
    int type;

    if (fixture->pending.length < FRAME_HEADER)
        return 0;
    length = header[0] | (size_t)header[1] << 8 | (size_t)header[2] << 16;
    assert_true(length <= FRAME_PAYLOAD_MAX);
    if (fixture->pending.length < FRAME_HEADER + length)
        return 0;
    type = header[4];
    strbuf_release(&fixture->payload);
    strbuf_add(&fixture->payload, fixture->pending.data + FRAME_HEADER, length);
    strbuf_drop(&fixture->pending, FRAME_HEADER + length);
    note_frame(fixture, type);
    take_frame(fixture, type);
    return type;
}

/* Writes and reads once, or waits until the deadline. False after the deadline, or at the end. */
static inline bool exchange(struct fixture *fixture, long long deadline)
{
    static char chunk[65536];
    const long long left = deadline - clock_now_ms();
    struct pollfd polled = {fixture->fd, (short)(POLLIN | (fixture->sent.length > 0 ? POLLOUT : 0)),
                            0};
    ssize_t length;

    if (left <= 0 || poll(&polled, 1, (int)left) <= 0)
        return false;
    if (polled.revents & POLLOUT) {
        length = send(fixture->fd, fixture->sent.data, fixture->sent.length, MSG_NOSIGNAL);
        if (length > 0)
            strbuf_drop(&fixture->sent, (size_t)length);
    }
    if (!(polled.revents & (POLLIN | POLLHUP)))
        return true;
    length = read(fixture->fd, chunk, sizeof chunk);
    if (length > 0)
        strbuf_add(&fixture->pending, chunk, (size_t)length);
    return length > 0 || (length < 0 && errno == EAGAIN);
}

/* Handles frames until one of these types; the others are kept. The type. */
static inline int expect_either(struct fixture *fixture, int type, int other)
{
    const long long deadline = clock_now_ms() + LATE_MS;
    int got;

    do {
        while ((got = next_frame(fixture)) == 0)
            if (!exchange(fixture, deadline))
                fail_msg("no frame of type %d", type);
        if (got == FRAME_FAILED && type != FRAME_FAILED && other != FRAME_FAILED)
            fail_msg("failed: %s: %s", strbuf_string(&fixture->failed_path),
                     strerror((int)fixture->failed.error));
    } while (got != type && got != other);
    return got;
}

static inline void expect(struct fixture *fixture, int type)
{
    expect_either(fixture, type, type);
}

/* Handles frames until so many bytes of a stream have arrived. */
static inline void expect_output(struct fixture *fixture, int stream, size_t length)
{
    const long long deadline = clock_now_ms() + LATE_MS;

    while (fixture->out[stream].length < length)
        if (next_frame(fixture) == 0 && !exchange(fixture, deadline))
            fail_msg("%zu bytes of output", fixture->out[stream].length);
}

/* Handles frames for a while, in which no frame of this type may arrive. */
static inline void expect_none(struct fixture *fixture, int type)
{
    const long long deadline = clock_now_ms() + SOON_MS;
    int got;

    do {
        while ((got = next_frame(fixture)) != 0)
            assert_int_not_equal(got, type);
    } while (exchange(fixture, deadline));
}

/* Writes all frames that wait. */
static inline void flush(struct fixture *fixture)
{
    const long long deadline = clock_now_ms() + LATE_MS;

    while (fixture->sent.length > 0)
        assert_true(exchange(fixture, deadline));
}

/* ---- the supervisor */

/* The line of a mount in the table. */
static inline void add_mount(struct strbuf *table, const char *path, const char *options,
                             const char *type)
{
    strbuf_addf(table, "1 1 0:1 / %s %s shared:1 - %s none %s\n", path, options, type, options);
}

/*
 * Makes the directory, which is the working directory and that of the cgroup, and the only one that
 * the supervisor may empty.
 */
static inline void prepare(struct fixture *fixture)
{
    CLEANUP(strbuf_release) struct strbuf table = STRBUF_INIT;

    *fixture =
        (struct fixture){.directory = temp_create(), .tables = temp_create(), .grants = true};
    add_mount(&table, "/", "ro", "overlay");
    add_mount(&table, fixture->directory, "rw", "tmpfs");
    write_in(fixture->tables, "mountinfo", strbuf_string(&table));
}

/* Starts a supervisor with these ends; in the child, `other` is closed. */
static inline void start_supervisor(struct fixture *fixture, const char *workdir, int in, int out,
                                    const char *key, int other)
{
    const char *fifos = fixture->fifos ? fixture->fifos : fixture->tables;

    fixture->supervisor = fork();
    if (fixture->supervisor == 0) {
        CLEANUP_FREE char *mountinfo = path_in(fixture->tables, "mountinfo");
        CLEANUP_FREE char *sockets = path_in(fixture->tables, "sockets");
        const struct supervise_options options = {.in = in,
                                                  .out = out,
                                                  .key = key,
                                                  .workdir = workdir,
                                                  .cgroup_dir =
                                                      key ? fixture->tables : fixture->directory,
                                                  .mountinfo = mountinfo,
                                                  .sysvipc = fixture->tables,
                                                  .sockets = sockets,
                                                  .fifos = fifos};

        close(other);
        _exit(supervise(&options));
    }
}

static inline void launch(struct fixture *fixture, const char *workdir)
{
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    start_supervisor(fixture, workdir, ends[1], ends[1], NULL, ends[0]);
    close(ends[1]);
    fixture->fd = ends[0];
    fcntl(fixture->fd, F_SETFL, O_NONBLOCK);
}

/* Waits for the end of the supervisor; its exit status. */
static inline int exit_status(struct fixture *fixture)
{
    static const struct timespec pause = {0, 1000000};
    const long long deadline = clock_now_ms() + LATE_MS;
    int status;

    while (waitpid(fixture->supervisor, &status, WNOHANG) == 0) {
        if (clock_now_ms() > deadline)
            fail_msg("the supervisor does not end");
        nanosleep(&pause, NULL);
    }
    fixture->supervisor = 0;
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* The frames that were added are a script; what comes back is read by read_lines(). */
static inline void launch_script(struct fixture *fixture)
{
    const int script = linux_unnamed_file_of(fixture->sent.data, fixture->sent.length);
    int ends[2];

    assert_true(script >= 0);
    lseek(script, 0, SEEK_SET);
    assert_int_equal(pipe(ends), 0);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    start_supervisor(fixture, fixture->directory, script, ends[1], "name", ends[0]);
    close(script);
    close(ends[1]);
    fixture->fd = ends[0];
    fcntl(fixture->fd, F_SETFL, O_NONBLOCK);
    fixture->sent.length = 0;
    fixture->grants = false;
    sealed_lines_init(&fixture->sealed, "name");
}

/* Reads lines once, and handles all frames that are complete. False: that was the end. */
static inline bool read_lines(struct fixture *fixture)
{
    static char chunk[65536];
    struct pollfd polled = {fixture->fd, POLLIN, 0};
    ssize_t length;
    const char *end;

    if (poll(&polled, 1, LATE_MS) <= 0)
        fail_msg("nothing is sent");
    length = read(fixture->fd, chunk, sizeof chunk);
    if (length <= 0)
        return false;
    strbuf_add(&fixture->lines, chunk, (size_t)length);
    while ((end = memchr(fixture->lines.data, '\n', fixture->lines.length))) {
        const size_t line = (size_t)(end - fixture->lines.data);

        assert_true(
            sealed_lines_read(&fixture->sealed, fixture->lines.data, line, &fixture->pending));
        strbuf_drop(&fixture->lines, line + 1);
        fixture->line_count++;
    }
    while (next_frame(fixture) != 0)
        continue;
    return true;
}

/* Reads everything that a script sends; its status. */
static inline int finish_script(struct fixture *fixture)
{
    while (read_lines(fixture))
        continue;
    assert_int_equal(fixture->lines.length, 0);
    assert_int_equal(fixture->pending.length, 0);
    return exit_status(fixture);
}

static inline void set_up(struct fixture *fixture)
{
    prepare(fixture);
    launch(fixture, fixture->directory);
    expect(fixture, FRAME_HELLO);
    assert_int_equal(fixture->payload.length, FRAME_HELLO_SIZE);
    assert_memory_equal(fixture->payload.data, "isolator supervisor\0\24\0\0\0\0\0\0", 28);
}

static inline void release(struct fixture *fixture)
{
    close(fixture->fd);
    strbuf_release(&fixture->sent);
    strbuf_release(&fixture->pending);
    strbuf_release(&fixture->payload);
    strbuf_release(&fixture->out[0]);
    strbuf_release(&fixture->out[1]);
    strbuf_release(&fixture->report);
    strbuf_release(&fixture->files);
    strbuf_release(&fixture->too_large);
    strbuf_release(&fixture->network);
    strbuf_release(&fixture->failed_path);
    strbuf_release(&fixture->trace);
    strbuf_release(&fixture->lines);
    temp_remove(fixture->directory);
    temp_remove(fixture->tables);
}

/* The supervisor refuses a frame that was added: it ends. */
static inline void expect_refusal(struct fixture *fixture)
{
    flush(fixture);
    assert_int_equal(exit_status(fixture), 1);
    release(fixture);
}

/* The end of its input ends the supervisor. */
static inline void tear_down(struct fixture *fixture)
{
    shutdown(fixture->fd, SHUT_WR);
    assert_int_equal(exit_status(fixture), 0);
    release(fixture);
}

/* Runs a script to its end, without stdin. */
static inline void run_script(struct fixture *fixture, const char *script)
{
    set_up(fixture);
    add_script(fixture, script);
    add_run(fixture, MEGABYTE);
    add(fixture, FRAME_STDIN_END, NULL, 0);
    expect(fixture, FRAME_END);
}

static inline void check_end(const struct fixture *fixture, enum frame_cause cause, unsigned signal,
                             unsigned status)
{
    assert_int_equal(fixture->end.cause, cause);
    assert_int_equal(fixture->end.signal, signal);
    assert_int_equal(fixture->end.status, status);
    assert_int_equal(fixture->end.stays, 0);
}

/* ---- files */

static inline void add_archive(struct fixture *fixture, const char *name, size_t cut)
{
    struct archive archive = ARCHIVE_INIT;
    struct error error = ERROR_INIT;
    struct strbuf tar;

    assert_int_equal(archive_open(&archive, 7, 7, NULL, &error), 0);
    assert_int_equal(archive_add_bytes(&archive, name, "content", 7, &error), 0);
    assert_int_equal(archive_finish(&archive, &error), 0);
    lseek(archive_file(&archive), 0, SEEK_SET);
    tar = read_all(archive_file(&archive));
    for (size_t at = 0; at < tar.length - cut; at += 700) {
        const size_t left = tar.length - cut - at;

        add(fixture, FRAME_FILES, tar.data + at, left < 700 ? left : 700);
    }
    strbuf_release(&tar);
    archive_release(&archive);
}

static inline void add_collect(struct fixture *fixture, uint64_t file_max)
{
    const struct frame_collect order = {file_max, 100 * (uint64_t)MEGABYTE};

    add(fixture, FRAME_COLLECT, &order, sizeof order);
}

static inline void note_name(void *context, const struct untar_entry *entry)
{
    strbuf_addf(context, "%s %lld;", entry->name, entry->size);
}

static inline void note_nothing(void *context, const char *data, size_t length)
{
    (void)context, (void)data, (void)length;
}

static inline void note_end(void *context)
{
    (void)context;
}

/* Checks the names in the archive that has arrived. */
static inline void check_files(struct fixture *fixture, const char *expected)
{
    static const struct untar_handler handler = {note_name, note_nothing, note_end};
    struct strbuf names = STRBUF_INIT;
    struct error error = ERROR_INIT;
    struct untar untar;

    untar_init(&untar, &handler, &names);
    untar_feed(&untar, fixture->files.data, fixture->files.length, &error);
    assert_no_error(&error);
    assert_true(untar_done(&untar));
    assert_string_equal(strbuf_string(&names), expected);
    untar_release(&untar);
    strbuf_release(&names);
}

/* ---- stdin */

/* Sends as many bytes as there is credit for, and counts them. */
static inline size_t send_stdin(struct fixture *fixture, size_t left)
{
    static const char zeros[FRAME_CHUNK];
    size_t sent = 0;

    while (fixture->stdin_credit > 0 && sent < left) {
        size_t part = left - sent;

        part = part < sizeof zeros ? part : sizeof zeros;
        part = part < fixture->stdin_credit ? part : fixture->stdin_credit;
        add(fixture, FRAME_STDIN, zeros, part);
        fixture->stdin_credit -= part;
        sent += part;
    }
    return sent;
}

/* ---- processes */

/* A FIFO that the program has open for writing as long as one of its processes lives. */
static inline int open_alive(const struct fixture *fixture)
{
    CLEANUP_FREE char *path = path_in(fixture->directory, "alive");
    int fd;

    assert_int_equal(mkfifo(path, 0600), 0);
    fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

/* All processes of the program have ended. */
static inline void check_dead(int alive)
{
    struct pollfd polled = {alive, POLLIN, 0};

    assert_int_equal(poll(&polled, 1, LATE_MS), 1);
    assert_true(polled.revents & POLLHUP);
    close(alive);
}

#endif
