#include "supervisor_client.h"

/* ---- programs */

CASE(supervise__both_streams)
{
    struct fixture fixture;

    run_script(&fixture, "echo out; echo err >&2; exit 3");
    check_end(&fixture, FRAME_CAUSE_ITSELF, 0, 3);
    assert_string_equal(strbuf_string(&fixture.out[0]), "out\n");
    assert_string_equal(strbuf_string(&fixture.out[1]), "err\n");
    assert_int_equal(fixture.end.written[0], 4);
    assert_int_equal(fixture.end.written[1], 4);
    assert_in_range(fixture.end.wall_us, 1, (uint64_t)LATE_MS * 1000);
    assert_true(fixture.end.peak_bytes == FRAME_UNKNOWN); /* there is no cgroup */
    assert_true(fixture.end.cpu_us == FRAME_UNKNOWN);
    assert_true(fixture.end.oom_kills == FRAME_UNKNOWN);
    tear_down(&fixture);
}

/* Only the kernel can tell a signal from a status above 128. */
CASE(supervise__statuses_and_signals)
{
    static const struct {
        const char *script;
        unsigned signal, status;
    } ends[] = {
        {"exit 0", 0, 0},
        {"exit 255", 0, 255},
        {"exit 137", 0, 137},
        {"kill -KILL $$", 9, 0},
        {"kill -TERM $$", 15, 0},
        {"kill -SEGV $$", 11, 0},
        {"sh -c 'kill -9 $$'; exit $?", 0, 137},
    };

    for (size_t i = 0; i < COUNT(ends); i++) {
        struct fixture fixture;

        run_script(&fixture, ends[i].script);
        check_end(&fixture, FRAME_CAUSE_ITSELF, ends[i].signal, ends[i].status);
        tear_down(&fixture);
    }
}

CASE(supervise__environment_and_directory)
{
    struct fixture fixture;
    CLEANUP_FREE char *expected = NULL;

    setenv("FROM_IMAGE", "1", 1);
    setenv("TO_REMOVE", "1", 1);
    set_up(&fixture);
    add_script(&fixture, "pwd; echo $FROM_IMAGE-$TO_REMOVE-$OWN-$USER");
    add_text(&fixture, FRAME_ENVIRONMENT, "OWN=a b");
    add_text(&fixture, FRAME_ENVIRONMENT, "TO_REMOVE");
    add_run(&fixture, MEGABYTE);
    expect(&fixture, FRAME_END);
    expected = string_format("%s\n1--a b-sandbox\n", fixture.directory);
    assert_string_equal(strbuf_string(&fixture.out[0]), expected);
    tear_down(&fixture);
}

/* For one request; from the working directory on. */
CASE(supervise__directory_of_a_program)
{
    struct fixture fixture;
    CLEANUP_FREE char *below = NULL, *expected = NULL;

    set_up(&fixture);
    below = path_in(fixture.directory, "below");
    assert_int_equal(mkdir(below, 0755), 0);
    for (int i = 0; i < 3; i++) {
        if (i > 0)
            add(&fixture, FRAME_RESET, NULL, 0);
        add_script(&fixture, "pwd");
        if (i < 2)
            add_text(&fixture, FRAME_DIRECTORY, i == 0 ? "below" : "/");
        add_run(&fixture, MEGABYTE);
        expect(&fixture, FRAME_END);
    }
    expected = string_format("%s\n/\n%s\n", below, fixture.directory);
    assert_string_equal(strbuf_string(&fixture.out[0]), expected);
    tear_down(&fixture);
}

/* What the program used, not what was used before. */
CASE(supervise__figures)
{
    struct fixture fixture;

    prepare(&fixture);
    write_in(fixture.directory, "cpu.stat", "usage_usec 1000000\n");
    write_in(fixture.directory, "memory.peak", "4096\n");
    write_in(fixture.directory, "memory.events", "oom_kill 3\n");
    launch(&fixture, fixture.directory);
    add_script(&fixture, "echo usage_usec 91000000 >cpu.stat; echo 8192 >memory.peak;"
                         "echo oom_kill 5 >memory.events");
    add_run(&fixture, MEGABYTE);
    expect(&fixture, FRAME_END);
    assert_in_range(fixture.end.cpu_us, 60000000, 90000000); /* without that of the supervisor */
    assert_int_equal(fixture.end.peak_bytes, 8192);
    assert_int_equal(fixture.end.oom_kills, 2);
    tear_down(&fixture);
}

/* ---- what cannot be run */

static void check_failed(struct fixture *fixture, enum frame_step step, int error, const char *path)
{
    expect(fixture, FRAME_FAILED);
    assert_int_equal(fixture->failed.step, step);
    assert_string_equal(strerror((int)fixture->failed.error), strerror(error));
    assert_string_equal(strbuf_string(&fixture->failed_path), path);
    tear_down(fixture);
}

CASE(supervise__no_working_directory)
{
    struct fixture fixture;

    prepare(&fixture);
    launch(&fixture, "/none");
    check_failed(&fixture, FRAME_STEP_WORKDIR, ENOENT, "/none");

    prepare(&fixture);
    launch(&fixture, "/etc/passwd");
    check_failed(&fixture, FRAME_STEP_WORKDIR, ENOTDIR, "/etc/passwd");
}

CASE(supervise__no_program)
{
    struct fixture fixture;

    set_up(&fixture);
    add_text(&fixture, FRAME_ARGUMENT, "/none");
    add_run(&fixture, MEGABYTE);
    check_failed(&fixture, FRAME_STEP_EXEC, ENOENT, "/none");

    set_up(&fixture);
    add_text(&fixture, FRAME_ARGUMENT, "/etc/passwd");
    add_run(&fixture, MEGABYTE);
    add_text(&fixture, FRAME_STDIN, "is dropped");
    add(&fixture, FRAME_STDIN_END, NULL, 0);
    check_failed(&fixture, FRAME_STEP_EXEC, EACCES, "/etc/passwd");
}

CASE(supervise__no_directory_for_a_program)
{
    struct fixture fixture;

    set_up(&fixture);
    add_script(&fixture, "echo");
    add_text(&fixture, FRAME_DIRECTORY, "none");
    add_run(&fixture, MEGABYTE);
    check_failed(&fixture, FRAME_STEP_DIRECTORY, ENOENT, "none");
}

CASE(supervise__directories_that_cannot_be)
{
    const struct frame_run order = {.stack_max = MEGABYTE};

    for (int i = 0; i < 4; i++) {
        struct fixture fixture;

        set_up(&fixture);
        add_script(&fixture, "exec cat");
        if (i == 0)
            add(&fixture, FRAME_DIRECTORY, "a\0b", 3);
        else
            add_text(&fixture, FRAME_DIRECTORY, "/");
        if (i == 1)
            add_text(&fixture, FRAME_DIRECTORY, "/");
        else if (i == 2)
            add(&fixture, FRAME_MAKE_READY, &order, sizeof order);
        else if (i == 3)
            add_run(&fixture, MEGABYTE);
        if (i == 3)
            add_text(&fixture, FRAME_DIRECTORY, "/");
        expect_refusal(&fixture);
    }
}

/* The end of a path that is too long for a frame is cut off. */
CASE(supervise__name_of_a_program_that_is_too_long)
{
    CLEANUP_FREE char *name = calloc(1, FRAME_PAYLOAD_MAX + 1);
    struct fixture fixture;

    memset(name, '/', FRAME_PAYLOAD_MAX);
    set_up(&fixture);
    add_text(&fixture, FRAME_ARGUMENT, name);
    add_run(&fixture, MEGABYTE);
    name[4096] = '\0';
    check_failed(&fixture, FRAME_STEP_EXEC, ENAMETOOLONG, name);
}

/* ---- files to the program */

/* Without cgroup files nothing tells how much CPU time is used. */
CASE(supervise__cpu_limit_that_cannot_be_kept)
{
    const struct frame_run run = {.timer_ms = LATE_MS, .cpu_max_us = 2000000};
    struct fixture fixture;

    set_up(&fixture);
    add_script(&fixture, "exit 0");
    add(&fixture, FRAME_RUN, &run, sizeof run);
    check_failed(&fixture, FRAME_STEP_CPU, ENOTSUP, "");
}

/* Also of a program that comes after another one. */
CASE(supervise__limit_of_the_stack)
{
    const uint64_t sizes[] = {16 << 20, 24 << 20};
    const char *const expected[] = {"16384\n", "16384\n24576\n"};
    struct fixture fixture;

    set_up(&fixture);
    for (int i = 0; i < 2; i++) {
        const struct frame_run run = {
            .timer_ms = LATE_MS, .output_max = MEGABYTE, .stack_max = sizes[i]};

        if (i > 0)
            add(&fixture, FRAME_RESET, NULL, 0);
        add_script(&fixture, "ulimit -S -s");
        add(&fixture, FRAME_RUN, &run, sizeof run);
        expect(&fixture, FRAME_END);
        assert_string_equal(strbuf_string(&fixture.out[0]), expected[i]);
    }
    tear_down(&fixture);
}

CASE(supervise__files)
{
    struct fixture fixture;

    set_up(&fixture);
    add_archive(&fixture, "a/file", 0);
    add_script(&fixture, "cat a/file");
    add_run(&fixture, MEGABYTE);
    expect(&fixture, FRAME_END);
    assert_string_equal(strbuf_string(&fixture.out[0]), "content");
    tear_down(&fixture);
}

/* A program does not run without all of its files. */
CASE(supervise__damaged_files)
{
    struct fixture fixture;

    set_up(&fixture);
    add_archive(&fixture, "file", 1024);
    add_script(&fixture, "cat file");
    add_run(&fixture, MEGABYTE);
    check_failed(&fixture, FRAME_STEP_UNPACK, 0, "");

    set_up(&fixture);
    add_archive(&fixture, "../file", 0);
    add_script(&fixture, "echo");
    add_run(&fixture, MEGABYTE);
    check_failed(&fixture, FRAME_STEP_UNPACK, EINVAL, "../file");
}

/* ---- stdin */

/* Stdin through the program and back, with no more than the window on its way. */
CASE(supervise__stdin)
{
    const size_t size = 3 * (size_t)MEGABYTE + 1;
    const long long deadline = clock_now_ms() + LATE_MS;
    struct fixture fixture;
    size_t sent = 0;
    int type;

    set_up(&fixture);
    fixture.stdin_credit = FRAME_STDIN_WINDOW;
    sent = send_stdin(&fixture, 1000); /* before the program runs */
    add_text(&fixture, FRAME_ARGUMENT, "cat");
    add_run(&fixture, 4 * (size_t)MEGABYTE);
    do {
        if (sent < size) {
            sent += send_stdin(&fixture, size - sent);
            if (sent == size)
                add(&fixture, FRAME_STDIN_END, NULL, 0);
        }
        type = next_frame(&fixture);
        assert_true(fixture.stdin_credit <= FRAME_STDIN_WINDOW);
        if (type == 0)
            assert_true(exchange(&fixture, deadline));
    } while (type != FRAME_END);
    check_end(&fixture, FRAME_CAUSE_ITSELF, 0, 0);
    assert_int_equal(fixture.out[0].length, size);
    tear_down(&fixture);
}

/* It is there as a whole before the program begins, and cannot be changed. */
CASE(supervise__stdin_file)
{
    const struct frame_run run = {.timer_ms = 2 * LATE_MS,
                                  .linger_ms = 2 * LATE_MS,
                                  .output_max = MEGABYTE,
                                  .flags = FRAME_RUN_STDIN_FILE};
    const size_t size = 3 * (size_t)MEGABYTE + 1;
    const long long deadline = clock_now_ms() + LATE_MS;
    struct fixture fixture;

    set_up(&fixture);
    fixture.stdin_credit = FRAME_STDIN_WINDOW;
    add_script(&fixture, "stat -L -c '%F %s' /proc/self/fd/0; wc -c; wc -c </proc/self/fd/0;"
                         " (echo x >&0) 2>&- || echo refused;"
                         " (echo x >>/proc/self/fd/0) 2>&- || echo refused");
    add(&fixture, FRAME_RUN, &run, sizeof run);
    for (size_t sent = 0; sent < size;) {
        sent += send_stdin(&fixture, size - sent);
        if (next_frame(&fixture) == 0)
            assert_true(exchange(&fixture, deadline));
    }
    flush(&fixture);
    expect_none(&fixture, FRAME_BEGUN);
    add(&fixture, FRAME_STDIN_END, NULL, 0);
    expect(&fixture, FRAME_END);
    check_end(&fixture, FRAME_CAUSE_ITSELF, 0, 0);
    assert_string_equal(strbuf_string(&fixture.out[0]),
                        "regular file 3145729\n3145729\n3145729\nrefused\nrefused\n");
    tear_down(&fixture);
}

CASE(supervise__more_stdin_than_was_granted)
{
    struct fixture fixture;

    set_up(&fixture);
    fixture.stdin_credit = FRAME_STDIN_WINDOW;
    send_stdin(&fixture, FRAME_STDIN_WINDOW);
    flush(&fixture);
    expect_none(&fixture, FRAME_FAILED);
    assert_int_equal(waitpid(fixture.supervisor, NULL, WNOHANG), 0);
    add_text(&fixture, FRAME_STDIN, "x");
    expect_refusal(&fixture);
}

/* The program has closed its stdin: what follows is discarded and holds nothing up. */
CASE(supervise__stdin_is_closed)
{
    struct fixture fixture;

    set_up(&fixture);
    add_script(&fixture, "exec <&-; echo closed; exec sleep 300");
    add_run(&fixture, MEGABYTE);
    expect_output(&fixture, 0, 7);
    fixture.stdin_credit = FRAME_STDIN_WINDOW;
    send_stdin(&fixture, 30000);
    expect(&fixture, FRAME_STDIN_CLOSED);
    send_stdin(&fixture, FRAME_STDIN_WINDOW);
    add(&fixture, FRAME_STDIN_END, NULL, 0);
    add(&fixture, FRAME_STOP, NULL, 0);
    expect(&fixture, FRAME_END);
    check_end(&fixture, FRAME_CAUSE_STOP, 9, 0);
    tear_down(&fixture);
}

/* ---- the end */

/* Starts a program that lives, and whose stdin is full. Its FIFO. */
static int start_deaf_program(struct fixture *fixture)
{
    int alive;

    set_up(fixture);
    alive = open_alive(fixture);
    add_script(fixture, "exec 9>alive; echo begun; sleep 300 & sleep 300");
    add_run(fixture, MEGABYTE);
    expect_output(fixture, 0, 6);
    fixture->stdin_credit = FRAME_STDIN_WINDOW;
    send_stdin(fixture, FRAME_STDIN_WINDOW);
    flush(fixture);
    return alive;
}

CASE(supervise__stop)
{
    struct fixture fixture;
    int alive;

    alive = start_deaf_program(&fixture);
    add(&fixture, FRAME_STOP, NULL, 0);
    expect(&fixture, FRAME_END);
    check_end(&fixture, FRAME_CAUSE_STOP, 9, 0);
    check_dead(alive);
    add(&fixture, FRAME_STOP, NULL, 0); /* once more changes nothing */
    tear_down(&fixture);
}

/* An order to stop that comes before the new process has become the program. */
CASE(supervise__stop_at_the_start)
{
    struct fixture fixture;

    set_up(&fixture);
    add_text(&fixture, FRAME_ARGUMENT, "sleep");
    add_text(&fixture, FRAME_ARGUMENT, "600");
    add_run(&fixture, MEGABYTE);
    add(&fixture, FRAME_STOP, NULL, 0);
    expect(&fixture, FRAME_BEGUN);
    expect(&fixture, FRAME_END);
    check_end(&fixture, FRAME_CAUSE_STOP, 9, 0);
    tear_down(&fixture);
}

/* The end of the input ends it at once, whatever waits. */
CASE(supervise__end_of_input)
{
    struct fixture fixture;
    int alive;

    alive = start_deaf_program(&fixture);
    shutdown(fixture.fd, SHUT_WR);
    assert_int_equal(exit_status(&fixture), 0);
    check_dead(alive);
    release(&fixture);
}

/* The same while nobody takes the output, and while nothing was asked for. */
CASE(supervise__end_of_input_beside_output)
{
    struct fixture fixture;
    int alive;

    set_up(&fixture);
    fixture.grants = false;
    alive = open_alive(&fixture);
    add_script(&fixture, "exec 9>alive; exec cat /dev/zero");
    add_run(&fixture, 64 * (uint64_t)MEGABYTE);
    expect_output(&fixture, 0, 1);
    shutdown(fixture.fd, SHUT_WR);
    assert_int_equal(exit_status(&fixture), 0);
    check_dead(alive);
    release(&fixture);

    set_up(&fixture);
    close(fixture.fd);
    assert_int_equal(exit_status(&fixture), 0);
    fixture.fd = -1;
    release(&fixture);
}

CASE(supervise__timer)
{
    const struct frame_run run = {
        .timer_ms = 100, .linger_ms = 2 * LATE_MS, .output_max = MEGABYTE};
    struct fixture fixture;
    int alive;

    set_up(&fixture);
    alive = open_alive(&fixture);
    add_script(&fixture, "exec 9>alive; sleep 300");
    add(&fixture, FRAME_RUN, &run, sizeof run);
    flush(&fixture);
    assert_int_equal(exit_status(&fixture), 0);
    check_dead(alive);
    release(&fixture);
}

CASE(supervise__extends_the_timers)
{
    const struct frame_run run = {.timer_ms = 300, .late_ms = 200, .output_max = MEGABYTE};
    const struct frame_extend more = {LATE_MS}, no_more = {0};
    struct fixture fixture;

    set_up(&fixture);
    add(&fixture, FRAME_EXTEND, &more, sizeof more); /* no program runs */
    add_script(&fixture, "echo out; sleep 1; exit 6");
    add(&fixture, FRAME_RUN, &run, sizeof run);
    add(&fixture, FRAME_EXTEND, &more, sizeof more);
    add(&fixture, FRAME_EXTEND, &no_more, sizeof no_more);
    expect(&fixture, FRAME_END);
    check_end(&fixture, FRAME_CAUSE_ITSELF, 0, 6);
    add(&fixture, FRAME_EXTEND, &more, sizeof more); /* it has ended */
    tear_down(&fixture);
}

/* What is off stays off. */
CASE(supervise__extends_no_timer_that_is_off)
{
    const struct frame_run run = {.linger_ms = 2 * LATE_MS, .output_max = MEGABYTE};
    const struct frame_extend more = {50};
    struct fixture fixture;

    set_up(&fixture);
    add_script(&fixture, "sleep 0.3; exit 6");
    add(&fixture, FRAME_RUN, &run, sizeof run);
    add(&fixture, FRAME_EXTEND, &more, sizeof more);
    expect(&fixture, FRAME_END);
    check_end(&fixture, FRAME_CAUSE_ITSELF, 0, 6);
    tear_down(&fixture);
}

/* After the end of the program nobody may come back. */
CASE(supervise__lingers)
{
    const struct frame_run run = {
        .timer_ms = 2 * LATE_MS, .linger_ms = 100, .output_max = MEGABYTE};
    struct fixture fixture;

    set_up(&fixture);
    add_script(&fixture, "exit 0");
    add(&fixture, FRAME_RUN, &run, sizeof run);
    expect(&fixture, FRAME_END);
    assert_int_equal(exit_status(&fixture), 0);
    release(&fixture);
}

/* Its children hold the pipes: they are ended, and what they had written is sent. */
CASE(supervise__children_that_hold_the_pipes)
{
    struct fixture fixture;
    int alive;

    set_up(&fixture);
    alive = open_alive(&fixture);
    add_script(&fixture, "exec 9>alive; { echo child; exec sleep 300; } &"
                         "(sleep 300 & sleep 300 & echo orphans) ; exit 5");
    add_run(&fixture, MEGABYTE);
    expect(&fixture, FRAME_END);
    check_end(&fixture, FRAME_CAUSE_ITSELF, 0, 5);
    assert_non_null(strstr(strbuf_string(&fixture.out[0]), "orphans\n"));
    check_dead(alive);
    tear_down(&fixture);
}

/*
 * A process elsewhere holds the program's stdout, as a descriptor does that was sent over a socket:
 * the pipe never ends, but it is empty.
 */
CASE(supervise__pipe_that_never_ends)
{
    struct fixture fixture;
    CLEANUP_FREE char *pid = NULL;
    CLEANUP_FREE char *path = NULL;
    int held;

    set_up(&fixture);
    add_script(&fixture, "printf $$ >pid; echo begun; read line; echo end; exit 6");
    add_run(&fixture, MEGABYTE);
    expect_output(&fixture, 0, 6);
    pid = read_in(fixture.directory, "pid");
    path = string_format("/proc/%s/fd/1", pid);
    held = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(held >= 0);
    add(&fixture, FRAME_STDIN_END, NULL, 0);
    expect(&fixture, FRAME_END);
    check_end(&fixture, FRAME_CAUSE_ITSELF, 0, 6);
    assert_string_equal(strbuf_string(&fixture.out[0]), "begun\nend\n");
    close(held);
    tear_down(&fixture);
}

/* ---- output */

/* Without a grant no more than the window arrives, and the other stream is not held up. */
CASE(supervise__output_needs_credit)
{
    struct fixture fixture;

    set_up(&fixture);
    fixture.grants = false;
    add_script(&fixture, "cat /dev/zero & sleep 0.1; echo err >&2; wait");
    add_run(&fixture, 64 * (uint64_t)MEGABYTE);
    expect_output(&fixture, 0, FRAME_WINDOW);
    expect_output(&fixture, 1, 4);
    expect_none(&fixture, FRAME_STDOUT);
    assert_int_equal(fixture.out[0].length, FRAME_WINDOW);
    add_credit(&fixture, FRAME_STDOUT, 1);
    add_credit(&fixture, FRAME_STDERR, 1000);
    expect_output(&fixture, 0, FRAME_WINDOW + 1);
    add_credit(&fixture, FRAME_STDOUT, 100000);
    expect_output(&fixture, 0, FRAME_WINDOW + 100001);
    expect_none(&fixture, FRAME_STDOUT);
    add(&fixture, FRAME_STOP, NULL, 0);
    expect(&fixture, FRAME_END);
    assert_int_equal(fixture.out[0].length, FRAME_WINDOW + 100001);
    assert_int_equal(fixture.end.written[0], FRAME_WINDOW + 100001);
    assert_int_equal(fixture.end.written[1], 4);
    check_end(&fixture, FRAME_CAUSE_STOP, 9, 0);
    tear_down(&fixture);
}

/* What the program wrote before it ended is not lost if it has to wait for credit. */
CASE(supervise__end_waits_for_the_output)
{
    struct fixture fixture;

    set_up(&fixture);
    fixture.grants = false;
    add_script(&fixture, "exec head -c 300000 /dev/zero");
    add_run(&fixture, MEGABYTE);
    expect_output(&fixture, 0, FRAME_WINDOW);
    expect_none(&fixture, FRAME_END);
    add_credit(&fixture, FRAME_STDOUT, 300000);
    expect(&fixture, FRAME_END);
    check_end(&fixture, FRAME_CAUSE_ITSELF, 0, 0);
    assert_int_equal(fixture.out[0].length, 300000);
    assert_int_equal(fixture.end.written[0], 300000);
    tear_down(&fixture);
}

/* But STOP ends the wait: the rest is dropped, and the status stays. */
CASE(supervise__stop_after_the_end)
{
    struct fixture fixture;

    set_up(&fixture);
    fixture.grants = false;
    add_script(&fixture, "head -c 300000 /dev/zero; exit 4");
    add_run(&fixture, MEGABYTE);
    expect_output(&fixture, 0, FRAME_WINDOW);
    expect_none(&fixture, FRAME_END);
    add(&fixture, FRAME_STOP, NULL, 0);
    expect(&fixture, FRAME_END);
    check_end(&fixture, FRAME_CAUSE_STOP, 0, 4);
    assert_int_equal(fixture.end.written[0], FRAME_WINDOW);
    tear_down(&fixture);
}

/* Runs the script with a limit of 2 s of CPU time, after 5 s were used before. */
static void run_with_cpu_limit(struct fixture *fixture, const char *script)
{
    const struct frame_run run = {.timer_ms = 2 * LATE_MS,
                                  .linger_ms = 2 * LATE_MS,
                                  .output_max = MEGABYTE,
                                  .cpu_max_us = 2000000};

    prepare(fixture);
    write_in(fixture->directory, "cpu.stat", "usage_usec 5000000\n");
    launch(fixture, fixture->directory);
    add_script(fixture, script);
    add(fixture, FRAME_RUN, &run, sizeof run);
}

CASE(supervise__cpu_limit)
{
    struct fixture fixture;
    int alive;

    run_with_cpu_limit(&fixture, "exec 9>alive; echo usage_usec 7900000 >cpu.stat; echo out;"
                                 "sleep 300 & sleep 300");
    alive = open_alive(&fixture);
    expect(&fixture, FRAME_END);
    check_end(&fixture, FRAME_CAUSE_CPU, 9, 0);
    assert_in_range(fixture.end.cpu_us, 2000001, 2900000);
    assert_string_equal(strbuf_string(&fixture.out[0]), "out\n");
    check_dead(alive);
    tear_down(&fixture);
}

/* A figure that is unreadable for a moment lifts nothing. */
CASE(supervise__cpu_limit_of_a_figure_that_vanishes)
{
    struct fixture fixture;

    run_with_cpu_limit(&fixture, ">cpu.stat; sleep 0.3; echo usage_usec 9000000 >cpu.stat;"
                                 "sleep 300");
    expect(&fixture, FRAME_END);
    check_end(&fixture, FRAME_CAUSE_CPU, 9, 0);
    tear_down(&fixture);
}

CASE(supervise__cpu_limit_that_is_kept)
{
    struct fixture fixture;

    run_with_cpu_limit(&fixture, "echo usage_usec 6900000 >cpu.stat; sleep 0.3; exit 4");
    expect(&fixture, FRAME_END);
    check_end(&fixture, FRAME_CAUSE_ITSELF, 0, 4);
    tear_down(&fixture);
}

/* It has used too much, and has ended before that was seen. */
CASE(supervise__cpu_limit_found_at_the_end)
{
    struct fixture fixture;

    run_with_cpu_limit(&fixture, "echo usage_usec 8900000 >cpu.stat; exit 4");
    expect(&fixture, FRAME_END);
    assert_int_equal(fixture.end.cause, FRAME_CAUSE_CPU);
    tear_down(&fixture);
}

/* It is one of a request, not of the container. */
CASE(supervise__cpu_limit_of_one_request)
{
    struct fixture fixture;

    run_with_cpu_limit(&fixture, "echo usage_usec 9000000 >cpu.stat; sleep 300");
    expect(&fixture, FRAME_END);
    check_end(&fixture, FRAME_CAUSE_CPU, 9, 0);
    add(&fixture, FRAME_RESET, NULL, 0);
    add_script(&fixture, "echo usage_usec 19000000 >cpu.stat; sleep 0.2; exit 5");
    add_run(&fixture, MEGABYTE);
    expect(&fixture, FRAME_END);
    check_end(&fixture, FRAME_CAUSE_ITSELF, 0, 5);
    tear_down(&fixture);
}

CASE(supervise__output_limit)
{
    static const char *const scripts[] = {"exec cat /dev/zero", "exec cat /dev/zero >&2"};

    for (int stream = 0; stream < 2; stream++) {
        struct fixture fixture;

        set_up(&fixture);
        add_script(&fixture, scripts[stream]);
        add_run(&fixture, 1000000);
        expect(&fixture, FRAME_END);
        check_end(&fixture, FRAME_CAUSE_OUTPUT, 9, 0);
        assert_in_range(fixture.out[stream].length, 1000001, 1000000 + FRAME_CHUNK);
        assert_int_equal(fixture.end.written[stream], fixture.out[stream].length);
        assert_int_equal(fixture.end.written[1 - stream], 0);
        tear_down(&fixture);
    }
}

/* Exactly the limit is not too much. */
CASE(supervise__output_at_the_limit)
{
    struct fixture fixture;

    set_up(&fixture);
    add_script(&fixture, "head -c 100000 /dev/zero");
    add_run(&fixture, 100000);
    expect(&fixture, FRAME_END);
    check_end(&fixture, FRAME_CAUSE_ITSELF, 0, 0);
    tear_down(&fixture);
}

/* ---- values */

static void run_for_value(struct fixture *fixture, const char *script, uint32_t max)
{
    const struct frame_run run = {.timer_ms = 2 * LATE_MS,
                                  .linger_ms = 2 * LATE_MS,
                                  .output_max = MEGABYTE,
                                  .flags = FRAME_RUN_VALUE,
                                  .report_max = max};

    add_script(fixture, script);
    add(fixture, FRAME_RUN, &run, sizeof run);
    expect(fixture, FRAME_END);
}

CASE(supervise__value)
{
    struct fixture fixture;

    set_up(&fixture);
    run_for_value(&fixture, "echo out; echo value >&3; echo more >&3; exec 3>&-; echo end", 100);
    check_end(&fixture, FRAME_CAUSE_ITSELF, 0, 0);
    assert_string_equal(strbuf_string(&fixture.report), "value\nmore\n");
    assert_string_equal(strbuf_string(&fixture.out[0]), "out\nend\n");
    assert_int_equal(fixture.end.written[0], 8);
    tear_down(&fixture);
}

/* What another process of the program writes last comes before END. */
CASE(supervise__value_of_all_processes)
{
    struct fixture fixture;

    set_up(&fixture);
    run_for_value(&fixture, "head -c 200000 /dev/zero >&3 & wait; sleep 1000 >&3 & exit 0", 300000);
    check_end(&fixture, FRAME_CAUSE_ITSELF, 0, 0);
    assert_int_equal(fixture.report.length, 200000);
    tear_down(&fixture);
}

CASE(supervise__value_that_is_too_large)
{
    struct fixture fixture;

    set_up(&fixture);
    run_for_value(&fixture, "exec cat /dev/zero >&3", 100000);
    check_end(&fixture, FRAME_CAUSE_OUTPUT, 9, 0);
    assert_in_range(fixture.report.length, 100001, 100000 + FRAME_CHUNK);
    tear_down(&fixture);
}

/* The next program has no such descriptor without the flag, and one of its own with it. */
CASE(supervise__value_of_one_program)
{
    struct fixture fixture;

    set_up(&fixture);
    run_for_value(&fixture, "echo first >&3", 100);
    add(&fixture, FRAME_RESET, NULL, 0);
    add_script(&fixture,
               "ls /proc/self/fd | sort -n | head -n 3 | tr '\\n' ' '; echo x >&3 || echo none");
    add_run(&fixture, MEGABYTE);
    expect(&fixture, FRAME_END);
    assert_string_equal(strbuf_string(&fixture.out[0]), "0 1 2 none\n");
    add(&fixture, FRAME_RESET, NULL, 0);
    run_for_value(&fixture, "echo third >&3", 100);
    assert_string_equal(strbuf_string(&fixture.report), "first\nthird\n");
    tear_down(&fixture);
}

CASE(supervise__value_of_what_stays)
{
    static const uint32_t flags[] = {FRAME_RUN_CELL, FRAME_RUN_KEEP_PROCESSES};

    for (size_t i = 0; i < COUNT(flags); i++) {
        const struct frame_run run = {.flags = FRAME_RUN_VALUE | flags[i], .report_max = 1};
        struct fixture fixture;

        set_up(&fixture);
        add_script(&fixture, "exit 0");
        add(&fixture, FRAME_RUN, &run, sizeof run);
        expect_refusal(&fixture);
    }
}

/* The program's own pipe is non-blocking only if it wants so: nothing is lost at the end. */
CASE(supervise__much_output_at_once)
{
    struct fixture fixture;

    set_up(&fixture);
    add_script(&fixture, "head -c 10000000 /dev/zero; head -c 3000000 /dev/zero >&2");
    add_run(&fixture, 64 * (uint64_t)MEGABYTE);
    expect(&fixture, FRAME_END);
    assert_int_equal(fixture.out[0].length, 10000000);
    assert_int_equal(fixture.out[1].length, 3000000);
    assert_int_equal(fixture.end.written[0], 10000000);
    assert_int_equal(fixture.end.written[1], 3000000);
    tear_down(&fixture);
}

/* ---- files from the program */

CASE(supervise__collects)
{
    struct fixture fixture;

    run_script(&fixture, "head -c 3000000 /dev/zero >file; head -c 3000001 /dev/zero >large");
    add_collect(&fixture, 3000000);
    expect(&fixture, FRAME_FILES_END);
    check_files(&fixture, "./file 3000000;");
    assert_string_equal(strbuf_string(&fixture.too_large), "./large;");
    tear_down(&fixture);
}

/* As for KEEP: with directories, and nothing that cannot be unpacked. */
CASE(supervise__collects_an_exact_copy)
{
    struct fixture fixture;

    run_script(&fixture, "mkdir d; echo >d/file; mkfifo d/fifo");
    add_collect(&fixture, FRAME_COLLECT_EXACT);
    expect(&fixture, FRAME_FILES_END);
    check_files(&fixture, "./d 0;./d/file 1;");
    tear_down(&fixture);
}

/* The files wait for credit, while the connection is still served. */
CASE(supervise__files_need_credit)
{
    struct fixture fixture;

    run_script(&fixture, "head -c 3000000 /dev/zero >file");
    fixture.grants = false;
    add_collect(&fixture, 3000000);
    expect_none(&fixture, FRAME_FILES_END);
    assert_int_equal(fixture.files.length, FRAME_WINDOW);
    add_credit(&fixture, FRAME_FILES, 1);
    expect_none(&fixture, FRAME_FILES_END);
    assert_int_equal(fixture.files.length, FRAME_WINDOW + 1);
    fixture.grants = true;
    add_credit(&fixture, FRAME_FILES, FRAME_WINDOW);
    expect(&fixture, FRAME_FILES_END);
    check_files(&fixture, "./file 3000000;");
    tear_down(&fixture);

    run_script(&fixture, "head -c 3000000 /dev/zero >file");
    fixture.grants = false;
    add_collect(&fixture, 3000000);
    expect_none(&fixture, FRAME_FILES_END);
    tear_down(&fixture); /* the end of the input */
}

/* ---- another request */

CASE(supervise__reset)
{
    struct fixture fixture;

    set_up(&fixture);
    add_script(&fixture, "echo $A >kept; exit 1");
    add_text(&fixture, FRAME_ENVIRONMENT, "A=first");
    add_run(&fixture, MEGABYTE);
    expect(&fixture, FRAME_END);
    check_end(&fixture, FRAME_CAUSE_ITSELF, 0, 1);
    add(&fixture, FRAME_RESET, NULL, 0);
    add_archive(&fixture, "new", 0);
    add_script(&fixture, "cat kept new; read line; echo \"$A $line\" >&2; kill -TERM $$");
    fixture.stdin_credit = FRAME_STDIN_WINDOW; /* which is renewed */
    add_run(&fixture, MEGABYTE);
    add_text(&fixture, FRAME_STDIN, "line\n");
    add(&fixture, FRAME_STDIN_END, NULL, 0);
    expect(&fixture, FRAME_END);
    check_end(&fixture, FRAME_CAUSE_ITSELF, 15, 0);
    assert_string_equal(strbuf_string(&fixture.out[0]), "first\ncontent");
    assert_string_equal(strbuf_string(&fixture.out[1]), " line\n");
    assert_int_equal(fixture.end.written[1], 6);
    tear_down(&fixture);
}

/* ---- several programs */

static void add_keep(struct fixture *fixture, uint64_t max, uint64_t max_ms)
{
    const struct frame_keep order = {max, max_ms};

    add(fixture, FRAME_KEEP, &order, sizeof order);
}

static void add_restore(struct fixture *fixture, uint64_t max_ms)
{
    const struct frame_restore order = {max_ms, 0};

    add(fixture, FRAME_RESTORE, &order, sizeof order);
}

/* Sends all frames of a program at once. */
static void add_test(struct fixture *fixture, const char *script, const char *input)
{
    add_restore(fixture, LATE_MS);
    add_script(fixture, script);
    add_run(fixture, MEGABYTE);
    add_text(fixture, FRAME_STDIN, input);
    add(fixture, FRAME_STDIN_END, NULL, 0);
}

static void drop_output(struct fixture *fixture)
{
    strbuf_release(&fixture->out[0]);
    strbuf_release(&fixture->out[1]);
}

/* Runs a script on the copy, and checks its output. */
static void check_test(struct fixture *fixture, const char *script, const char *input,
                       const char *output)
{
    drop_output(fixture);
    add_test(fixture, script, input);
    expect(fixture, FRAME_END);
    assert_string_equal(strbuf_string(&fixture->out[1]), "");
    assert_string_equal(strbuf_string(&fixture->out[0]), output);
    check_end(fixture, FRAME_CAUSE_ITSELF, 0, 0);
}

/* A path of NULL: any. */
static void expect_failure(struct fixture *fixture, enum frame_step step, int error,
                           const char *path)
{
    strbuf_release(&fixture->failed_path);
    expect(fixture, FRAME_FAILED);
    assert_int_equal(fixture->failed.step, step);
    assert_int_equal(fixture->failed.error, error);
    if (path)
        assert_string_equal(strbuf_string(&fixture->failed_path), path);
}

/* Starts a supervisor that has kept the file "new", and checks what KEPT says. */
static void set_up_copy(struct fixture *fixture)
{
    struct frame_kept kept;

    set_up(fixture);
    add_archive(fixture, "new", 0);
    add_keep(fixture, MEGABYTE, LATE_MS);
    expect(fixture, FRAME_KEPT);
    assert_int_equal(fixture->payload.length, sizeof kept);
    memcpy(&kept, fixture->payload.data, sizeof kept);
    assert_int_equal(kept.bytes, 4 * 512); /* a header, a block, two blocks as the end */
}

/* What the files are, how the directory is, and what it finds on stdin. */
static const char LIST[] = "find . | sort; ls -ld . | cut -c1-10; cat; echo $A";

CASE(supervise__programs_one_after_the_other)
{
    struct fixture fixture;

    set_up_copy(&fixture);
    check_test(&fixture, LIST, "first\n", ".\n./new\ndrwx------\nfirst\n\n");
    check_test(&fixture,
               "rm new; mkdir -p a/b/c; echo x >a/b/c/d; echo x >.hidden; ln -s / link; "
               "mkfifo fifo; chmod 0 a/b a; chmod 0 .; sleep 1000 >&- 2>&- & exec cat",
               "second", "second");
    check_test(&fixture, LIST, "", ".\n./new\ndrwx------\n\n");
    tear_down(&fixture);
}

static void check_refused(struct fixture *fixture, int type, const void *payload, size_t length);

/* RESTORE that lays nothing out, without KEEP and after it. */
static void add_forgetting_restore(struct fixture *fixture)
{
    const struct frame_restore order = {LATE_MS, 1};

    add(fixture, FRAME_RESTORE, &order, sizeof order);
}

static void check_program_alone(struct fixture *fixture, const char *script, const char *output)
{
    drop_output(fixture);
    add_forgetting_restore(fixture);
    add_script(fixture, script);
    add_archive(fixture, "own", 0);
    add_run(fixture, MEGABYTE);
    expect(fixture, FRAME_END);
    assert_string_equal(strbuf_string(&fixture->out[0]), output);
}

CASE(supervise__programs_that_share_nothing)
{
    static const struct frame_restore restore = {LATE_MS, 0};
    struct fixture fixture;

    run_script(&fixture, "mkdir -p left/below; chmod 0 left; echo x >file; sleep 1000 >&- 2>&- &");
    for (int i = 0; i < 2; i++)
        check_program_alone(&fixture, "find . | sort; mkdir left; chmod 0 left .", ".\n./own\n");
    check_refused(&fixture, FRAME_RESTORE, &restore, sizeof restore);
    set_up_copy(&fixture);
    check_program_alone(&fixture, "find . | sort", ".\n./own\n");
    check_refused(&fixture, FRAME_RESTORE, &restore, sizeof restore);
}

/* Files, variables and arguments of one request are not those of the next one. */
CASE(supervise__files_on_top_of_the_copy)
{
    struct fixture fixture;

    set_up_copy(&fixture);
    add_restore(&fixture, LATE_MS);
    add_script(&fixture, "cat new more; echo $A >new");
    add_text(&fixture, FRAME_ENVIRONMENT, "A=first");
    add_archive(&fixture, "more", 0);
    add_run(&fixture, MEGABYTE);
    expect(&fixture, FRAME_END);
    assert_string_equal(strbuf_string(&fixture.out[0]), "contentcontent");
    check_test(&fixture, "cat new; ls; echo $A", "", "contentnew\n\n");
    tear_down(&fixture);
}

/* Times, permissions, links and empty directories are kept; a pipe is not. */
CASE(supervise__exact_copy)
{
    static const char show[] = "find . -mindepth 1 -printf '%p %y %m %l\n' | sort; "
                               "stat -c %Y run; cat sub/secret";
    struct fixture fixture;

    run_script(&fixture, "mkdir -p sub/empty; echo x >run; chmod 777 run; touch -d @1000 run; "
                         "ln -s sub/nowhere link; mkfifo sub/fifo; echo y >sub/secret; "
                         "chmod 0 sub/secret; chmod 500 sub; echo z >'a b'; chmod 500 .");
    add_keep(&fixture, MEGABYTE, LATE_MS);
    expect(&fixture, FRAME_KEPT);
    check_test(&fixture, show, "",
               "./a b f 644 \n./link l 777 sub/nowhere\n./run f 755 \n./sub d 755 \n"
               "./sub/empty d 755 \n./sub/secret f 644 \n1000\ny\n");
    tear_down(&fixture);
}

/* The process that could not become the program may not have ended yet. */
CASE(supervise__next_program_after_none)
{
    struct fixture fixture;

    set_up_copy(&fixture);
    for (int i = 0; i < 20; i++) {
        add_restore(&fixture, LATE_MS);
        add_text(&fixture, FRAME_ARGUMENT, "/no/such/program");
        add_run(&fixture, MEGABYTE);
        expect_failure(&fixture, FRAME_STEP_EXEC, ENOENT, "/no/such/program");
        check_test(&fixture, "cat new", "", "content");
    }
    tear_down(&fixture);
}

/* Sockets that the kernel has not collected yet are waited for. */
CASE(supervise__sockets_that_stay)
{
    static const char list[] = "Num       RefCount Protocol Flags    Type St Inode Path\n";
    CLEANUP_FREE char *full = string_format("%s0: 00000002\n", list);
    CLEANUP_FREE char *path = NULL;
    struct fixture fixture;

    set_up_copy(&fixture);
    path = path_in(fixture.tables, "sockets");
    write_in(fixture.tables, "sockets", list);
    check_test(&fixture, "cat new", "", "content");
    write_in(fixture.tables, "sockets", full);
    add_restore(&fixture, SOON_MS);
    add_script(&fixture, "exit 0");
    add_run(&fixture, MEGABYTE);
    expect_failure(&fixture, FRAME_STEP_CLEAN, ETIME, path);
    add_restore(&fixture, LATE_MS);
    add_script(&fixture, "exit 0");
    add_run(&fixture, MEGABYTE);
    expect_none(&fixture, FRAME_BEGUN);
    write_in(fixture.tables, "sockets", list);
    expect(&fixture, FRAME_END);
    tear_down(&fixture);
}

/* Those that are there even at KEEP are no program's, as with the network of the host. */
CASE(supervise__sockets_of_others)
{
    struct fixture fixture;

    set_up(&fixture);
    write_in(fixture.tables, "sockets", "title\n0: 00000002\n");
    add_archive(&fixture, "new", 0);
    add_keep(&fixture, MEGABYTE, LATE_MS);
    expect_none(&fixture, FRAME_KEPT);
    expect(&fixture, FRAME_KEPT);
    add_restore(&fixture, SOON_MS);
    add_script(&fixture, "exit 0");
    add_run(&fixture, MEGABYTE);
    expect(&fixture, FRAME_END);
    tear_down(&fixture);
}

/* What a program leaves, and the copy itself, is what a second KEEP finds. */
CASE(supervise__second_copy)
{
    struct fixture fixture;

    set_up_copy(&fixture);
    check_test(&fixture, "echo built >result", "", "");
    add_keep(&fixture, MEGABYTE, LATE_MS);
    expect(&fixture, FRAME_KEPT);
    check_test(&fixture, "rm new; cat result", "", "built\n");
    check_test(&fixture, "ls", "", "new\nresult\n");
    add_keep(&fixture, 3000, LATE_MS); /* the old copy is gone then */
    expect_failure(&fixture, FRAME_STEP_KEEP, EFBIG, NULL);
    add_restore(&fixture, LATE_MS);
    expect_refusal(&fixture);
}

CASE(supervise__copy_that_is_too_large)
{
    struct fixture fixture;

    run_script(&fixture, "head -c 1000001 /dev/zero >large");
    add_keep(&fixture, 1000000, LATE_MS);
    expect_failure(&fixture, FRAME_STEP_KEEP, EFBIG, "./large");
    add_keep(&fixture, 1020000, LATE_MS); /* nothing was emptied */
    expect(&fixture, FRAME_KEPT);
    check_test(&fixture, "wc -c <large", "", "1000001\n");
    tear_down(&fixture);

    run_script(&fixture, "for i in 1 2 3 4 5 6 7 8 9; do mkdir $i; done");
    add_keep(&fixture, 9 * 512, LATE_MS); /* there is no room for the end of the archive */
    expect_failure(&fixture, FRAME_STEP_KEEP, EFBIG, ".");
    tear_down(&fixture);
}

CASE(supervise__copy_of_damaged_files)
{
    struct fixture fixture;

    set_up(&fixture);
    add_archive(&fixture, "new", 1024);
    add_keep(&fixture, MEGABYTE, LATE_MS);
    expect_failure(&fixture, FRAME_STEP_UNPACK, 0, "");
    tear_down(&fixture);
}

/* The time that KEEP and RESTORE may take. A late RESTORE is reported by RUN, and can be repeated.
 */
CASE(supervise__no_time_to_empty)
{
    struct fixture fixture;

    run_script(&fixture, "for i in $(seq 100); do echo >$i; done");
    add_keep(&fixture, MEGABYTE, 0);
    expect_failure(&fixture, FRAME_STEP_KEEP, ETIME, NULL);
    add_keep(&fixture, MEGABYTE, LATE_MS);
    expect(&fixture, FRAME_KEPT);
    add_restore(&fixture, 0);
    add_script(&fixture, "exit 0");
    add_text(&fixture, FRAME_ENVIRONMENT, "A=1");
    add_archive(&fixture, "new", 0);
    add_run(&fixture, MEGABYTE);
    expect_failure(&fixture, FRAME_STEP_UNPACK, ETIME, "");
    check_test(&fixture, "ls | wc -l", "", "100\n");
    add_restore(&fixture, 0);
    add_script(&fixture, "exit 0");
    add_run(&fixture, MEGABYTE);
    expect_failure(&fixture, FRAME_STEP_CLEAN, ETIME, fixture.directory);
    check_test(&fixture, "ls | wc -l", "", "100\n");
    tear_down(&fixture);
}

/* Without a table of mounts, or with a root that can be written, nothing is emptied. */
CASE(supervise__places_that_cannot_be_restored)
{
    static const char *const roots[] = {"rw", NULL};

    for (size_t i = 0; i < COUNT(roots); i++) {
        CLEANUP(strbuf_release) struct strbuf table = STRBUF_INIT;
        CLEANUP_FREE char *mountinfo = NULL;
        struct fixture fixture;

        prepare(&fixture);
        mountinfo = path_in(fixture.tables, "mountinfo");
        if (roots[i])
            add_mount(&table, "/", roots[i], "overlay");
        add_mount(&table, fixture.directory, "rw", "tmpfs");
        write_in(fixture.tables, "mountinfo", strbuf_string(&table));
        launch(&fixture, fixture.directory);
        expect(&fixture, FRAME_HELLO);
        add_archive(&fixture, "new", 0);
        add_keep(&fixture, MEGABYTE, LATE_MS);
        expect_failure(&fixture, FRAME_STEP_CLEAN, roots[i] ? EPERM : EINVAL,
                       roots[i] ? "/" : mountinfo);
        add(&fixture, FRAME_RESET, NULL, 0);
        add_script(&fixture, "ls");
        add_run(&fixture, MEGABYTE);
        expect(&fixture, FRAME_END);
        assert_string_equal(strbuf_string(&fixture.out[0]), "new\n");
        tear_down(&fixture);
    }
}

/* All is sent at once, more than fits into the buffers, while there is much to remove. */
CASE(supervise__request_that_waits_behind_the_last_one)
{
    CLEANUP(strbuf_release) struct strbuf words = STRBUF_INIT;
    struct fixture fixture;

    for (int i = 0; i < 100000; i++)
        strbuf_addch(&words, 'w');
    set_up_copy(&fixture);
    check_test(&fixture, "mkdir d; cd d; seq 5000 | xargs touch", "", "");
    drop_output(&fixture);
    add_restore(&fixture, LATE_MS);
    add_script(&fixture, "echo $#; wc -c; ls");
    for (int i = 0; i < 10; i++)
        add_text(&fixture, FRAME_ARGUMENT, strbuf_string(&words));
    add_run(&fixture, MEGABYTE);
    add(&fixture, FRAME_STDIN, strbuf_string(&words), 60000);
    add(&fixture, FRAME_STDIN_END, NULL, 0);
    expect(&fixture, FRAME_END);
    assert_string_equal(strbuf_string(&fixture.out[0]), "9\n60000\nnew\n");
    tear_down(&fixture);
}

/* The end of the connection ends the supervisor while it empties, and not after that. */
CASE(supervise__end_of_input_while_it_empties)
{
    struct strbuf left;
    CLEANUP_FREE char *command = NULL;
    struct fixture fixture;

    set_up_copy(&fixture);
    check_test(&fixture, "mkdir d; cd d; seq 5000 | xargs touch", "", "");
    add_test(&fixture, "exit 0", "x");
    flush(&fixture);
    shutdown(fixture.fd, SHUT_WR);
    assert_int_equal(exit_status(&fixture), 0);
    command = string_format("ls %s/d | wc -l", fixture.directory);
    left = shell_output(command);
    assert_in_range(strtol(strbuf_string(&left), NULL, 10), 1000, 5000);
    strbuf_release(&left);
    release(&fixture);
}

/* The largest process counts, whoever waits for it, and each program anew. */
CASE(supervise__largest_process)
{
    static const char large[] = "head -c 300000000 /dev/zero | tail -n 1 | wc -c";
    struct fixture fixture;

    set_up_copy(&fixture);
    check_test(&fixture, large, "", "300000000\n");
    assert_in_range(fixture.end.used_bytes, 300000000, 600000000);
    check_test(&fixture, "true", "", "");
    assert_in_range(fixture.end.used_bytes, 1, 250000000); /* a sanitizer takes some */
    tear_down(&fixture);
}

/* ---- seals */

static void add_seal(struct fixture *fixture)
{
    static const struct frame_seal keys = {"to", "from"};

    add(fixture, FRAME_SEAL, &keys, sizeof keys);
}

/* Replaces what was added from `first` on by a line that carries it. */
static void seal(struct fixture *fixture, struct sealed_lines *lines, size_t first)
{
    char line[SEALED_LINE_MAX];
    const size_t length =
        sealed_lines_write(lines, fixture->sent.data + first, fixture->sent.length - first, line);

    fixture->sent.length = first;
    strbuf_add(&fixture->sent, line, length);
}

/* Sends SEAL, and in lines a program that never reads its stdin to the end, which has begun. */
static void start_sealed(struct fixture *fixture, struct sealed_lines *lines)
{
    size_t sealed;

    set_up(fixture);
    sealed_lines_init(lines, "to");
    sealed_lines_init(&fixture->sealed, "from");
    add_seal(fixture);
    sealed = fixture->sent.length;
    add_script(fixture, "read -r line; echo got $line; read -r line");
    seal(fixture, lines, sealed);
    sealed = fixture->sent.length;
    add_run(fixture, MEGABYTE);
    add_text(fixture, FRAME_STDIN, "in\n");
    seal(fixture, lines, sealed);
    for (size_t i = 0; i < fixture->sent.length; i += 11) { /* in pieces */
        const size_t left = fixture->sent.length - i;

        assert_true(send(fixture->fd, fixture->sent.data + i, left < 11 ? left : 11, 0) > 0);
    }
    fixture->sent.length = 0;
    fixture->grants = false;
    while (fixture->out[0].length < strlen("got in\n"))
        assert_true(read_lines(fixture));
    assert_string_equal(strbuf_string(&fixture->out[0]), "got in\n");
}

static void send_line(struct fixture *fixture, struct sealed_lines *lines)
{
    seal(fixture, lines, 0);
    assert_int_equal(send(fixture->fd, fixture->sent.data, fixture->sent.length, 0),
                     fixture->sent.length);
    fixture->sent.length = 0;
}

CASE(supervise__seals)
{
    struct sealed_lines lines;
    struct fixture fixture;

    start_sealed(&fixture, &lines);
    add(&fixture, FRAME_STDIN_END, NULL, 0);
    send_line(&fixture, &lines);
    while (!strstr(strbuf_string(&fixture.trace), "END"))
        assert_true(read_lines(&fixture));
    assert_int_equal(fixture.end.status, 1);
    tear_down(&fixture);
}

/* What is sent is not handled, and the container ends. Releases the fixture. */
static void check_breaks_off(struct fixture *fixture)
{
    assert_true(send(fixture->fd, fixture->sent.data, fixture->sent.length, 0) > 0);
    while (read_lines(fixture))
        continue;
    assert_null(strstr(strbuf_string(&fixture->trace), "END"));
    assert_int_equal(exit_status(fixture), 0);
    release(fixture);
}

CASE(supervise__lines_that_are_not_the_next)
{
    struct sealed_lines lines;
    struct fixture fixture;

    start_sealed(&fixture, &lines);
    add(&fixture, FRAME_STOP, NULL, 0);
    strbuf_addch(&fixture.sent, '\n');
    check_breaks_off(&fixture); /* no line at all */

    start_sealed(&fixture, &lines);
    add(&fixture, FRAME_STDIN, "x", 1);
    seal(&fixture, &lines, 0);
    fixture.sent.length = 0;
    add(&fixture, FRAME_STOP, NULL, 0);
    seal(&fixture, &lines, 0);
    check_breaks_off(&fixture); /* the one before it was taken out */

    start_sealed(&fixture, &lines);
    add(&fixture, FRAME_STOP, NULL, 0);
    lines.digest[0] ^= 1;
    seal(&fixture, &lines, 0);
    check_breaks_off(&fixture); /* of another key */

    start_sealed(&fixture, &lines);
    while (fixture.sent.length < SEALED_LINE_MAX)
        strbuf_addch(&fixture.sent, 'A');
    check_breaks_off(&fixture); /* it has no end */
}

CASE(supervise__keys_come_once)
{
    struct sealed_lines lines;
    struct fixture fixture;

    set_up(&fixture);
    sealed_lines_init(&lines, "to");
    add_seal(&fixture);
    flush(&fixture);
    add_seal(&fixture);
    send_line(&fixture, &lines);
    assert_int_equal(exit_status(&fixture), 1);
    release(&fixture);
}

/* ---- what isolator does not send */

/* Sends the frame; the supervisor has to end with status 1, and the program with it. */
static void check_refused(struct fixture *fixture, int type, const void *payload, size_t length)
{
    add(fixture, type, payload, length);
    expect_refusal(fixture);
}

CASE(supervise__frames_that_no_request_has)
{
    static const char zeros[FRAME_HELLO_SIZE];
    static const struct {
        int type;
        size_t length;
    } frames[] = {
        {0, 0},
        {100, 0},
        {255, 1},
        {FRAME_HELLO, FRAME_HELLO_SIZE},
        {FRAME_END, sizeof(struct frame_end)},
        {FRAME_STDOUT, 1},
        {FRAME_RUN, sizeof(struct frame_run)}, /* of nothing */
        {FRAME_COLLECT, sizeof(struct frame_collect) - 1},
        {FRAME_RESET, 0},
        {FRAME_RESTORE, sizeof(struct frame_restore)},
        {FRAME_KEEP, sizeof(struct frame_keep) - 1},
        {FRAME_KEEP, sizeof(struct frame_keep) + 1},
        {FRAME_KEPT, sizeof(struct frame_kept)},
        {FRAME_SEAL, sizeof(struct frame_seal)}, /* without keys */
        {FRAME_SEAL, sizeof(struct frame_seal) - 1},
        {FRAME_SEAL, sizeof(struct frame_seal) + 1},
        {FRAME_ARGUMENT, 1}, /* with a NUL */
        {FRAME_ENVIRONMENT, 1},
        {FRAME_EXTEND, 0},
        {FRAME_EXTEND, sizeof(struct frame_extend) + 1},
        {FRAME_CREDIT, sizeof(struct frame_credit)}, /* for no stream */
        {FRAME_CREDIT, sizeof(struct frame_credit) - 1},
        {FRAME_CREDIT, sizeof(struct frame_credit) + 1},
    };

    for (size_t i = 0; i < COUNT(frames); i++) {
        struct fixture fixture;

        set_up(&fixture);
        check_refused(&fixture, frames[i].type, zeros, frames[i].length);
    }
}

CASE(supervise__run_of_another_length)
{
    static const char zeros[sizeof(struct frame_run) + 1];

    for (size_t length = sizeof zeros - 2; length <= sizeof zeros; length += 2) {
        struct fixture fixture;

        set_up(&fixture);
        add_script(&fixture, "exit 0");
        check_refused(&fixture, FRAME_RUN, zeros, length);
    }
}

CASE(supervise__frames_while_the_program_runs)
{
    static const struct frame_collect order = {0, 0};
    static const struct frame_run run = {.timer_ms = LATE_MS};
    static const struct frame_keep keep = {MEGABYTE, LATE_MS};
    static const struct frame_restore restore = {LATE_MS, 0};
    static const struct frame_seal keys = {"to", "from"};
    static const struct {
        int type;
        const void *payload;
        size_t length;
    } frames[] = {
        {FRAME_ARGUMENT, "x", 1},
        {FRAME_ENVIRONMENT, "A=1", 3},
        {FRAME_FILES, "x", 1},
        {FRAME_RUN, &run, sizeof run},
        {FRAME_RESET, NULL, 0},
        {FRAME_COLLECT, &order, sizeof order},
        {FRAME_KEEP, &keep, sizeof keep},
        {FRAME_RESTORE, &restore, sizeof restore},
        {FRAME_SEAL, &keys, sizeof keys},
    };

    for (size_t i = 0; i < COUNT(frames); i++) {
        struct fixture fixture;
        const int alive = start_deaf_program(&fixture);

        check_refused(&fixture, frames[i].type, frames[i].payload, frames[i].length);
        check_dead(alive);
    }
}

CASE(supervise__frames_while_it_collects)
{
    static const struct frame_collect order = {MEGABYTE, MEGABYTE};

    for (int i = 0; i < 2; i++) {
        struct fixture fixture;

        run_script(&fixture, "head -c 900000 /dev/zero >file");
        fixture.grants = false;
        add_collect(&fixture, MEGABYTE);
        expect_none(&fixture, FRAME_FILES_END);
        if (i == 0)
            check_refused(&fixture, FRAME_COLLECT, &order, sizeof order);
        else
            check_refused(&fixture, FRAME_RESET, NULL, 0);
    }
}

/* RESTORE where no copy is, or of another length. */
CASE(supervise__restore_that_cannot_come)
{
    static const char zeros[sizeof(struct frame_restore) + 1];
    struct fixture fixture;

    run_script(&fixture, "exit 0");
    check_refused(&fixture, FRAME_RESTORE, zeros, sizeof(struct frame_restore));
    for (size_t length = sizeof zeros - 2; length <= sizeof zeros; length += 2) {
        set_up_copy(&fixture);
        check_refused(&fixture, FRAME_RESTORE, zeros, length);
    }
}

CASE(supervise__no_frames)
{
    static const char *const texts[] = {"hello, world\n", "\xff\xff\xff\xff\1\0\0\0",
                                        "\1\1\1\1\1\1\1\1"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        struct fixture fixture;
        const int alive = start_deaf_program(&fixture);

        strbuf_add(&fixture.sent, texts[i], FRAME_HEADER);
        expect_refusal(&fixture);
        check_dead(alive);
    }
}

static int set_up_group(void **state)
{
    (void)state;
    linux_close_from(3);
    return 0;
}
