#include "supervisor_client.h"

#include <sys/resource.h>
#include <sys/stat.h>

/*
 * The interpreter is a shell: its driver executes the code of each cell, and reports the value of
 * the variable "report". The number of the process is in "pid".
 */
static const char driver[] =
    "trap : INT; echo $$ >pid; while read -r number code input <&4; do"
    " code=$(head -c $code <&4); head -c $input <&4 >/proc/self/fd/3; exec </proc/self/fd/3;"
    " printf '\\0%12s' $number >&5; report=; eval \"$code\"; printf '%s\\0' \"$report\" >&5; done";

enum { REPORT_MAX = 400000 };

static void add_cell(struct fixture *fixture, const char *code, const char *input,
                     const struct frame_run *run)
{
    add_text(fixture, FRAME_CODE, code);
    add(fixture, FRAME_RUN, run, sizeof *run);
    if (input)
        add_text(fixture, FRAME_STDIN, input);
    add(fixture, FRAME_STDIN_END, NULL, 0);
}

static struct frame_run run_of(uint32_t flags)
{
    return (struct frame_run){.timer_ms = 2 * LATE_MS,
                              .output_max = MEGABYTE,
                              .flags = FRAME_RUN_CELL | flags,
                              .report_max = REPORT_MAX};
}

static void drop_output(struct fixture *fixture)
{
    strbuf_release(&fixture->out[0]);
    strbuf_release(&fixture->out[1]);
    strbuf_release(&fixture->report);
}

/* Begins the first cell of an interpreter. */
static void begin_session(struct fixture *fixture, const char *code, uint32_t flags)
{
    const struct frame_run run = run_of(flags);

    add_script(fixture, driver);
    add_cell(fixture, code, NULL, &run);
}

/* Begins another one. */
static void begin_cell(struct fixture *fixture, const char *code, uint32_t flags)
{
    const struct frame_run run = run_of(flags);

    drop_output(fixture);
    add(fixture, FRAME_RESET, NULL, 0);
    add_cell(fixture, code, NULL, &run);
}

static void check_stays(const struct fixture *fixture)
{
    assert_int_equal(fixture->end.cause, FRAME_CAUSE_ITSELF);
    assert_int_equal(fixture->end.signal, 0);
    assert_int_equal(fixture->end.status, 0);
    assert_int_equal(fixture->end.stays, 1);
}

/* The interpreter has ended, and the cell with it. */
static void check_ended(struct fixture *fixture, enum frame_cause cause, unsigned signal,
                        unsigned status)
{
    expect(fixture, FRAME_END);
    check_end(fixture, cause, signal, status);
}

static void expect_cell(struct fixture *fixture, const char *output)
{
    expect(fixture, FRAME_END);
    check_stays(fixture);
    assert_string_equal(strbuf_string(&fixture->out[0]), output);
    assert_int_equal(fixture->end.written[0], strlen(output));
}

/* Starts an interpreter and runs its first cell. */
static void open_session(struct fixture *fixture, const char *code, uint32_t flags)
{
    set_up(fixture);
    begin_session(fixture, code, flags);
    expect(fixture, FRAME_BEGUN);
    expect_cell(fixture, "");
}

/* Runs a further cell. */
static void check_cell(struct fixture *fixture, const char *code, uint32_t flags,
                       const char *output)
{
    begin_cell(fixture, code, flags);
    expect_cell(fixture, output);
}

static pid_t interpreter_of(const struct fixture *fixture)
{
    CLEANUP_FREE char *pid = read_in(fixture->directory, "pid");

    return (pid_t)strtol(pid, NULL, 10);
}

/* Waits until a file is there. */
static void expect_file(const struct fixture *fixture, const char *name)
{
    static const struct timespec pause = {0, 1000000};
    const long long deadline = clock_now_ms() + LATE_MS;
    CLEANUP_FREE char *path = path_in(fixture->directory, name);

    while (access(path, F_OK) != 0) {
        if (clock_now_ms() > deadline)
            fail_msg("there is no %s", name);
        nanosleep(&pause, NULL);
    }
}

/* ---- one cell after the other */

/* What stays of an earlier cell can ask a person before the next one begins. */
CASE(cell__has_more_time_that_it_gets_while_it_loads)
{
    const struct frame_extend more = {LATE_MS};
    struct frame_run run = run_of(0);
    struct fixture fixture;

    run.timer_ms = 300;
    run.late_ms = 200;
    open_session(&fixture, "", 0);
    drop_output(&fixture);
    add(&fixture, FRAME_RESET, NULL, 0);
    add_text(&fixture, FRAME_CODE, "sleep 1; echo out");
    add(&fixture, FRAME_RUN, &run, sizeof run);
    add(&fixture, FRAME_EXTEND, &more, sizeof more);
    add(&fixture, FRAME_STDIN_END, NULL, 0);
    expect_cell(&fixture, "out\n");
    tear_down(&fixture);
}

CASE(cell__variables_stay)
{
    struct fixture fixture;

    open_session(&fixture, "a=1; report='first report'", 0);
    assert_string_equal(strbuf_string(&fixture.report), "first report");
    check_cell(&fixture, "echo $a; echo err >&2; a=2", 0, "1\n");
    assert_string_equal(strbuf_string(&fixture.out[1]), "err\n");
    assert_string_equal(strbuf_string(&fixture.report), "");
    assert_int_equal(fixture.end.written[1], 4);
    assert_in_range(fixture.end.wall_us, 1, (uint64_t)LATE_MS * 1000);
    assert_in_range(fixture.end.used_bytes, 1, 250000000);
    check_cell(&fixture, "echo $a", 0, "2\n");
    tear_down(&fixture);
}

/* The code and stdin of a cell are gone with it, and its descriptors are those of the contract. */
CASE(cell__files_of_each_cell)
{
    const struct frame_run run = run_of(0);
    struct fixture fixture;

    open_session(&fixture, ": a long comment that the next cell must not see;", 0);
    add(&fixture, FRAME_RESET, NULL, 0);
    add_cell(&fixture, "cat; cat", "first\nsecond\n", &run);
    expect_cell(&fixture, "first\nsecond\n");
    check_cell(&fixture, "cat", 0, "");
    drop_output(&fixture);
    add(&fixture, FRAME_RESET, NULL, 0);
    add_cell(&fixture, "read -r word; echo $word", "third\nrest\n", &run);
    expect_cell(&fixture, "third\n");
    check_cell(&fixture, "", 0, "");
    check_cell(&fixture, "cat; ls /proc/self/fd", 0, "0\n1\n2\n3\n4\n5\n6\n");
    tear_down(&fixture);
}

/* A program can write to the files of its cell, and spoils no more than that. */
CASE(cell__files_that_are_written_to)
{
    struct fixture fixture;

    open_session(&fixture, "for fd in 0 3; do head -c 1000000 /dev/zero >/proc/self/fd/$fd; done",
                 0);
    check_cell(&fixture, "cat | wc -c", 0, "0\n");
    tear_down(&fixture);
}

/* More stdin than the window arrives before the cell begins. */
CASE(cell__much_stdin)
{
    const struct frame_run run = run_of(0);
    const size_t size = 3 * (size_t)MEGABYTE + 1;
    const long long deadline = clock_now_ms() + LATE_MS;
    struct fixture fixture;
    size_t sent;

    set_up(&fixture);
    fixture.stdin_credit = FRAME_STDIN_WINDOW;
    add_script(&fixture, driver);
    add_text(&fixture, FRAME_CODE, "cat | wc -c; cat; echo end");
    sent = send_stdin(&fixture, 1000);
    add(&fixture, FRAME_RUN, &run, sizeof run);
    expect_none(&fixture, FRAME_BEGUN);
    while (sent < size) {
        const size_t part = send_stdin(&fixture, size - sent);

        sent += part;
        if (part == 0 && next_frame(&fixture) == 0)
            assert_true(exchange(&fixture, deadline));
    }
    expect_none(&fixture, FRAME_BEGUN);
    add(&fixture, FRAME_STDIN_END, NULL, 0);
    expect(&fixture, FRAME_BEGUN);
    expect_cell(&fixture, "3145729\nend\n");
    tear_down(&fixture);
}

CASE(cell__much_code)
{
    CLEANUP(strbuf_release) struct strbuf words = STRBUF_INIT;
    const struct frame_run run = run_of(0);
    struct fixture fixture;

    for (int i = 0; i < 100000; i++)
        strbuf_addch(&words, 'w');
    set_up(&fixture);
    add_script(&fixture, driver);
    add_text(&fixture, FRAME_CODE, "echo ");
    for (int i = 0; i < 3; i++)
        add_text(&fixture, FRAME_CODE, strbuf_string(&words));
    add_cell(&fixture, " | wc -c", NULL, &run);
    expect_cell(&fixture, "300001\n");
    tear_down(&fixture);
}

/* ---- the report */

/* Waits until so many bytes of the report have come. */
static void expect_report(struct fixture *fixture, size_t length)
{
    const long long deadline = clock_now_ms() + LATE_MS;

    while (fixture->report.length < length)
        if (next_frame(fixture) == 0 && !exchange(fixture, deadline))
            fail_msg("%zu bytes of the report", fixture->report.length);
}

CASE(cell__report_needs_credit)
{
    struct fixture fixture;

    set_up(&fixture);
    fixture.grants = false;
    begin_session(&fixture, "head -c 300000 /dev/zero | tr '\\0' x >&5", 0);
    expect_report(&fixture, FRAME_WINDOW);
    expect_none(&fixture, FRAME_END);
    assert_int_equal(fixture.report.length, FRAME_WINDOW);
    add_credit(&fixture, FRAME_REPORT, 100000);
    expect(&fixture, FRAME_END);
    assert_int_equal(fixture.report.length, 300000);
    check_stays(&fixture);
    tear_down(&fixture);
}

/* What is beyond the limit, and what follows the end, is discarded, without credit. */
CASE(cell__report_that_is_too_long)
{
    struct fixture fixture;

    open_session(&fixture, "head -c 3000000 /dev/zero | tr '\\0' x >&5", 0);
    assert_int_equal(fixture.report.length, REPORT_MAX);
    begin_cell(&fixture, "printf 'some\\0more\\0' >&5", 0);
    expect(&fixture, FRAME_END);
    assert_string_equal(strbuf_string(&fixture.report), "some");
    tear_down(&fixture);
}

/*
 * A cell that writes a report of its own ends there. What its code and its driver report later is
 * not of the next cell, also if the driver reads that before it is stopped.
 */
CASE(cell__report_of_another_cell)
{
    struct fixture fixture;

    open_session(&fixture, "a=1", 0);
    begin_cell(&fixture,
               "printf 'forged\\0' >&5; until [ -e go ]; do sleep 0.01; done;"
               " printf 'x\\0%11s\\0%12s3\\0%12s' 3 2 1 >&5",
               0);
    expect(&fixture, FRAME_END);
    assert_string_equal(strbuf_string(&fixture.report), "forged");
    begin_cell(&fixture, "echo $a; report=third", 0);
    expect_none(&fixture, FRAME_END);
    write_in(fixture.directory, "go", "");
    expect_cell(&fixture, "1\n");
    assert_string_equal(strbuf_string(&fixture.report), "third");
    tear_down(&fixture);
}

/* ---- the end of the interpreter */

CASE(cell__interpreter_ends)
{
    static const struct {
        const char *code;
        unsigned signal, status;
    } ends[] = {
        {"echo out; exit 7", 0, 7},
        {"echo out; kill -KILL $$", 9, 0},
        {"echo out; exec sh -c 'sleep 0.1; exit 3'", 0, 3}, /* without its ends of the pipes */
        {"echo out; exec 3<&- 4<&- 5>&-; exit 4", 0, 4},
        {"echo out; report=cut; printf part >&5; exit 5", 0, 5},
    };

    for (size_t i = 0; i < COUNT(ends); i++) {
        struct fixture fixture;

        open_session(&fixture, "a=1", 0);
        begin_cell(&fixture, ends[i].code, 0);
        check_ended(&fixture, FRAME_CAUSE_ITSELF, ends[i].signal, ends[i].status);
        assert_string_equal(strbuf_string(&fixture.out[0]), "out\n");
        /* Another one begins, without the variables. */
        add(&fixture, FRAME_RESET, NULL, 0);
        drop_output(&fixture);
        begin_session(&fixture, "echo \"-$a-\"", 0);
        expect_cell(&fixture, "--\n");
        tear_down(&fixture);
    }
}

/* The next cell tells that, and does not begin another interpreter. */
CASE(cell__interpreter_ends_between_two_cells)
{
    struct fixture fixture;

    open_session(&fixture, "a=1", 0);
    add(&fixture, FRAME_RESET, NULL, 0);
    flush(&fixture);
    assert_int_equal(kill(interpreter_of(&fixture), SIGKILL), 0);
    expect_none(&fixture, FRAME_END);
    add_cell(&fixture, "echo $a", NULL, &(struct frame_run){.flags = FRAME_RUN_CELL});
    expect(&fixture, FRAME_BEGUN);
    check_ended(&fixture, FRAME_CAUSE_ITSELF, 9, 0);
    assert_int_equal(fixture.end.wall_us, 0);
    add(&fixture, FRAME_RESET, NULL, 0);
    begin_session(&fixture, "echo \"-$a-\"", 0);
    expect_cell(&fixture, "--\n");
    tear_down(&fixture);
}

CASE(cell__no_interpreter)
{
    const struct frame_run run = run_of(0);
    struct fixture fixture;

    set_up(&fixture);
    add_text(&fixture, FRAME_ARGUMENT, "/none");
    add_cell(&fixture, "echo", NULL, &run);
    expect(&fixture, FRAME_FAILED);
    assert_int_equal(fixture.failed.step, FRAME_STEP_EXEC);
    assert_int_equal(fixture.failed.error, ENOENT);
    assert_string_equal(strbuf_string(&fixture.failed_path), "/none");
    add(&fixture, FRAME_RESET, NULL, 0);
    begin_session(&fixture, "echo there", 0);
    expect_cell(&fixture, "there\n");
    tear_down(&fixture);
}

/* Whether the supervisor begins; with too few descriptors it ends. */
static bool says_hello(struct fixture *fixture)
{
    const long long deadline = clock_now_ms() + LATE_MS;
    int type;

    while ((type = next_frame(fixture)) == 0)
        if (!exchange(fixture, deadline))
            return false;
    return type == FRAME_HELLO;
}

/* Without descriptors for its files and pipes it is not started, and the next one is. */
CASE(cell__without_descriptors)
{
    struct rlimit before;
    int failed = 0;

    getrlimit(RLIMIT_NOFILE, &before);
    for (rlim_t most = 8; most < 40; most++) {
        struct fixture fixture;
        int type;

        prepare(&fixture);
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){most, before.rlim_max});
        launch(&fixture, fixture.directory);
        setrlimit(RLIMIT_NOFILE, &before);
        if (!says_hello(&fixture)) {
            shutdown(fixture.fd, SHUT_WR);
            exit_status(&fixture);
            release(&fixture);
            continue;
        }
        for (int i = 0; i < 2; i++) {
            begin_session(&fixture, "exit 0", 0);
            type = expect_either(&fixture, FRAME_END, FRAME_FAILED);
            if (type == FRAME_FAILED) {
                assert_int_equal(fixture.failed.step, FRAME_STEP_START);
                assert_string_equal(strerror((int)fixture.failed.error), strerror(EMFILE));
            }
            failed += type == FRAME_FAILED;
            add(&fixture, FRAME_RESET, NULL, 0);
        }
        tear_down(&fixture);
    }
    assert_in_range(failed, 4, 60);
}

/* Interpreters and cells leave no descriptor open. */
CASE(cell__many)
{
    const struct rlimit few = {40, 40};
    struct rlimit before;
    struct fixture fixture;

    getrlimit(RLIMIT_NOFILE, &before);
    prepare(&fixture);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){few.rlim_cur, before.rlim_max}), 0);
    launch(&fixture, fixture.directory);
    setrlimit(RLIMIT_NOFILE, &before);
    expect(&fixture, FRAME_HELLO);
    for (int i = 0; i < 40; i++) {
        begin_session(&fixture, "a=0", i % 2 ? FRAME_RUN_KEEP_PROCESSES : 0);
        expect(&fixture, FRAME_END);
        check_stays(&fixture);
        check_cell(&fixture, "a=$((a + 1)); echo $a", 0, "1\n");
        begin_cell(&fixture, "exit 1", 0);
        check_ended(&fixture, FRAME_CAUSE_ITSELF, 0, 1);
        drop_output(&fixture);
        add(&fixture, FRAME_RESET, NULL, 0);
    }
    tear_down(&fixture);
}

/* ---- between two cells */

/* The state of a process: proc_pid_stat(5). */
static char process_state(pid_t pid)
{
    CLEANUP_FREE char *directory = string_format("/proc/%d", (int)pid);
    CLEANUP_FREE char *text = read_in(directory, "stat");
    const char *end = strrchr(text, ')');

    return end[2];
}

CASE(cell__interpreter_is_stopped)
{
    struct fixture fixture;
    pid_t pid;

    open_session(&fixture, "a=1", 0);
    pid = interpreter_of(&fixture);
    assert_int_equal(process_state(pid), 'T');
    check_cell(&fixture, "echo $a", 0, "1\n");
    assert_int_equal(process_state(pid), 'T');
    check_cell(&fixture, "echo $a", FRAME_RUN_KEEP_PROCESSES, "1\n");
    assert_int_not_equal(process_state(pid), 'T');
    assert_true(fixture.end.used_bytes == FRAME_UNKNOWN);
    tear_down(&fixture);
}

/* Processes that a cell leaves end with it; what they have written is sent. */
CASE(cell__processes_of_a_cell)
{
    struct fixture fixture;
    int alive;

    open_session(&fixture, "a=1", 0);
    alive = open_alive(&fixture);
    begin_cell(
        &fixture,
        "(exec 9>alive; echo begun; (sleep 300 & sleep 300) & (exec sleep 300) & >there; wait) &"
        "(exec 9>alive; while :; do echo more; kill -CONT $$ -$$; done) &"
        "until [ -e there ]; do sleep 0.01; done; echo end $a",
        0);
    expect(&fixture, FRAME_END);
    check_stays(&fixture);
    assert_non_null(strstr(strbuf_string(&fixture.out[0]), "begun\n"));
    assert_non_null(strstr(strbuf_string(&fixture.out[0]), "end 1\n"));
    check_dead(alive);
    check_cell(&fixture, "echo next $a", 0, "next 1\n");
    tear_down(&fixture);
}

/* Processes that are started as fast as possible end with the cell, too. */
CASE(cell__processes_that_fork)
{
    struct fixture fixture;
    int alive;

    open_session(&fixture, "a=1", 0);
    alive = open_alive(&fixture);
    check_cell(&fixture,
               "for i in 1 2 3 4 5; do"
               " (exec 9>alive; while :; do (:) & (exec sleep 300) & sleep 0.01; done) & done;"
               "sleep 0.2",
               0, "");
    check_dead(alive);
    check_cell(&fixture, "echo $a", 0, "1\n");
    tear_down(&fixture);
}

CASE(cell__end_waits_for_the_output)
{
    struct fixture fixture;

    open_session(&fixture, "a=1", 0);
    fixture.grants = false;
    begin_cell(&fixture, "head -c 300000 /dev/zero", 0);
    expect_output(&fixture, 0, FRAME_WINDOW);
    expect_none(&fixture, FRAME_END);
    add_credit(&fixture, FRAME_STDOUT, 300000);
    expect(&fixture, FRAME_END);
    check_stays(&fixture);
    assert_int_equal(fixture.out[0].length, 300000);
    tear_down(&fixture);
}

/* STOP ends that wait, and the interpreter with it. */
CASE(cell__stop_after_the_end)
{
    struct fixture fixture;

    open_session(&fixture, "a=1", 0);
    fixture.grants = false;
    begin_cell(&fixture, "head -c 262154 /dev/zero", 0);
    expect_output(&fixture, 0, FRAME_WINDOW);
    expect_none(&fixture, FRAME_END);
    add(&fixture, FRAME_STOP, NULL, 0);
    check_ended(&fixture, FRAME_CAUSE_STOP, 9, 0);
    assert_int_equal(fixture.end.written[0], FRAME_WINDOW);
    tear_down(&fixture);
}

CASE(cell__files_between_two_cells)
{
    const struct frame_run run = run_of(0);
    struct fixture fixture;

    open_session(&fixture, "echo old >file; echo text >other", 0);
    add_collect(&fixture, MEGABYTE);
    expect(&fixture, FRAME_FILES_END);
    add(&fixture, FRAME_RESET, NULL, 0);
    add_archive(&fixture, "file", 0);
    add_cell(&fixture, "cat file other", NULL, &run);
    expect_cell(&fixture, "contenttext\n");
    tear_down(&fixture);
}

/* What a cell leaves in the place of files leads nowhere, and blocks nothing. */
CASE(cell__files_in_hostile_places)
{
    static const struct {
        const char *code, *file;
        int error; /* 0: none */
    } places[] = {
        {"mkdir real; ln -s real link", "link/file", ENOTDIR},
        {"ln -s \"$OUTSIDE/file\" file", "file", 0},
        {"ln -s \"$OUTSIDE\" dir", "dir/file", ENOTDIR},
        {"mkfifo file", "file", 0},
        {"mkfifo dir", "dir/file", ENOTDIR},
        {"mkdir file", "file", EEXIST},
    };

    for (size_t i = 0; i < COUNT(places); i++) {
        CLEANUP_FREE char *code = NULL;
        CLEANUP_FREE char *outside = NULL;
        char *directory = temp_create();
        const struct frame_run run = run_of(0);
        struct fixture fixture;

        code = string_format("OUTSIDE=%s; %s", directory, places[i].code);
        outside = path_in(directory, "file");
        open_session(&fixture, code, 0);
        add(&fixture, FRAME_RESET, NULL, 0);
        add_archive(&fixture, places[i].file, 0);
        add_cell(&fixture, "cat file", NULL, &run);
        if (places[i].error == 0) {
            expect_cell(&fixture, "content");
        } else {
            expect(&fixture, FRAME_FAILED);
            assert_int_equal(fixture.failed.step, FRAME_STEP_UNPACK);
            assert_string_equal(strerror((int)fixture.failed.error), strerror(places[i].error));
            assert_string_equal(strbuf_string(&fixture.failed_path), places[i].file);
            check_cell(&fixture, "echo $OUTSIDE | wc -l", 0, "1\n"); /* the session goes on */
        }
        assert_int_equal(access(outside, F_OK), -1);
        tear_down(&fixture);
        temp_remove(directory);
    }
}

/* ---- processes that stay */

CASE(cell__kept_processes)
{
    struct fixture fixture;
    struct pollfd polled;
    int alive;

    open_session(&fixture, "a=1", FRAME_RUN_KEEP_PROCESSES);
    alive = open_alive(&fixture);
    check_cell(&fixture, "(exec 9>alive; sleep 300) & echo $a", FRAME_RUN_KEEP_PROCESSES, "1\n");
    check_cell(&fixture, "echo second", FRAME_RUN_KEEP_PROCESSES, "second\n");
    polled = (struct pollfd){alive, POLLIN, 0};
    assert_int_equal(poll(&polled, 1, SOON_MS), 0);
    begin_cell(&fixture, "sleep 300", FRAME_RUN_KEEP_PROCESSES);
    add(&fixture, FRAME_STOP, NULL, 0);
    check_ended(&fixture, FRAME_CAUSE_STOP, 9, 0);
    check_dead(alive);
    tear_down(&fixture);
}

/* What they write between two cells belongs to none, and does not hold them up. */
CASE(cell__output_of_kept_processes)
{
    struct fixture fixture;

    open_session(&fixture, "a=1", FRAME_RUN_KEEP_PROCESSES);
    check_cell(&fixture,
               "(until [ -e go ]; do sleep 0.01; done; head -c 300000 /dev/zero;"
               " head -c 300000 /dev/zero >&2 && touch written) &",
               FRAME_RUN_KEEP_PROCESSES, "");
    write_in(fixture.directory, "go", "");
    expect_file(&fixture, "written");
    check_cell(&fixture, "echo $a", FRAME_RUN_KEEP_PROCESSES, "1\n");
    assert_string_equal(strbuf_string(&fixture.out[1]), "");
    tear_down(&fixture);
}

/* A process that writes without end does not keep a cell from ending. */
CASE(cell__endless_output_of_a_kept_process)
{
    struct frame_run run = run_of(FRAME_RUN_KEEP_PROCESSES);
    struct fixture fixture;

    run.output_max = UINT64_MAX;
    open_session(&fixture, "a=1", FRAME_RUN_KEEP_PROCESSES);
    for (int i = 0; i < 3; i++) {
        drop_output(&fixture);
        run.flags = i < 2 ? run.flags : FRAME_RUN_CELL; /* the last one ends them */
        add(&fixture, FRAME_RESET, NULL, 0);
        add_cell(&fixture, i < 2 ? "cat /dev/zero &" : "", NULL, &run);
        expect(&fixture, FRAME_END);
        check_stays(&fixture);
    }
    check_cell(&fixture, "echo $a", 0, "1\n");
    tear_down(&fixture);
}

/* An interpreter that ends leaves the processes that may stay. */
CASE(cell__kept_processes_of_an_interpreter_that_ends)
{
    struct fixture fixture;
    int alive;

    open_session(&fixture, "a=1", FRAME_RUN_KEEP_PROCESSES);
    alive = open_alive(&fixture);
    begin_cell(&fixture,
               "(exec 9>alive; until [ -e go ]; do sleep 0.01; done;"
               " head -c 300000 /dev/zero && touch written) & exit 3",
               FRAME_RUN_KEEP_PROCESSES);
    check_ended(&fixture, FRAME_CAUSE_ITSELF, 0, 3);
    add(&fixture, FRAME_RESET, NULL, 0);
    begin_session(&fixture, "touch go; until [ -e written ]; do sleep 0.01; done",
                  FRAME_RUN_KEEP_PROCESSES);
    expect_cell(&fixture, "");
    check_dead(alive);
    tear_down(&fixture);
}

/* Likewise a program that is no interpreter. */
CASE(cell__kept_processes_of_a_program)
{
    const struct frame_run run = {.output_max = MEGABYTE, .flags = FRAME_RUN_KEEP_PROCESSES};
    struct fixture fixture;
    int alive;

    set_up(&fixture);
    alive = open_alive(&fixture);
    add_script(&fixture,
               "echo $$ >pid; (exec 9>alive; until [ -e go ]; do sleep 0.01; done;"
               " head -c 300000 /dev/zero && touch written; sleep 300) & echo end; exit 3");
    add(&fixture, FRAME_RUN, &run, sizeof run);
    check_ended(&fixture, FRAME_CAUSE_ITSELF, 0, 3);
    assert_string_equal(strbuf_string(&fixture.out[0]), "end\n");
    write_in(fixture.directory, "go", "");
    expect_file(&fixture, "written");
    for (int i = 0; i < 20; i++) {
        add(&fixture, FRAME_RESET, NULL, 0);
        drop_output(&fixture);
        add_script(&fixture, "echo next");
        add(&fixture, FRAME_RUN, &run, sizeof run);
        check_ended(&fixture, FRAME_CAUSE_ITSELF, 0, 0);
        assert_string_equal(strbuf_string(&fixture.out[0]), "next\n");
    }
    assert_int_equal(poll(&(struct pollfd){alive, POLLIN, 0}, 1, SOON_MS), 0);
    assert_int_equal(kill(-interpreter_of(&fixture), SIGKILL), 0);
    check_dead(alive);
    tear_down(&fixture);
}

/* ---- interrupting and stopping */

CASE(cell__interrupt)
{
    struct fixture fixture;

    open_session(&fixture, "a=1", 0);
    add(&fixture, FRAME_INTERRUPT, NULL, 0); /* no cell runs */
    begin_cell(&fixture, "sh -c 'echo begun; exec sleep 300'; echo after $a", 0);
    expect_output(&fixture, 0, 6);
    add(&fixture, FRAME_INTERRUPT, NULL, 0);
    expect_cell(&fixture, "begun\nafter 1\n");
    add(&fixture, FRAME_RESET, NULL, 0);
    add(&fixture, FRAME_INTERRUPT, NULL, 0);
    drop_output(&fixture);
    add_cell(&fixture, "sleep 0.1; echo $a", NULL,
             &(struct frame_run){.output_max = MEGABYTE, .flags = FRAME_RUN_CELL});
    expect_cell(&fixture, "1\n");
    tear_down(&fixture);
}

CASE(cell__stop)
{
    struct fixture fixture;
    int alive;

    open_session(&fixture, "a=1", 0);
    add(&fixture, FRAME_STOP, NULL, 0); /* no cell runs */
    alive = open_alive(&fixture);
    begin_cell(&fixture, "trap '' INT; exec 9>alive; echo begun; sleep 300 & sleep 300", 0);
    expect_output(&fixture, 0, 6);
    add(&fixture, FRAME_INTERRUPT, NULL, 0);
    expect_none(&fixture, FRAME_END);
    add(&fixture, FRAME_STOP, NULL, 0);
    check_ended(&fixture, FRAME_CAUSE_STOP, 9, 0);
    check_dead(alive);
    tear_down(&fixture);
}

/* A cell whose stdin has not arrived does not begin, and its interpreter stays. */
CASE(cell__stop_before_it_begins)
{
    const struct frame_run run = run_of(0);
    struct fixture fixture;

    open_session(&fixture, "a=1", 0);
    add(&fixture, FRAME_RESET, NULL, 0);
    add_text(&fixture, FRAME_CODE, "echo never");
    add(&fixture, FRAME_RUN, &run, sizeof run);
    add_text(&fixture, FRAME_STDIN, "line\n");
    add(&fixture, FRAME_STOP, NULL, 0);
    expect(&fixture, FRAME_FAILED);
    assert_int_equal(fixture.failed.step, FRAME_STEP_START);
    assert_int_equal(fixture.failed.error, ECANCELED);
    add_text(&fixture, FRAME_STDIN, "line\n");
    add(&fixture, FRAME_STDIN_END, NULL, 0);
    check_cell(&fixture, "cat; echo $a", 0, "1\n");
    tear_down(&fixture);
}

/* ---- limits */

CASE(cell__output_limit)
{
    struct frame_run run = run_of(0);
    struct fixture fixture;

    run.output_max = 1000000;
    open_session(&fixture, "a=1", 0);
    for (int i = 0; i < 3; i++) { /* counted for each cell */
        begin_cell(&fixture, "head -c 900000 /dev/zero", 0);
        expect(&fixture, FRAME_END);
        check_stays(&fixture);
    }
    add(&fixture, FRAME_RESET, NULL, 0);
    add_cell(&fixture, "cat /dev/zero", NULL, &run);
    check_ended(&fixture, FRAME_CAUSE_OUTPUT, 9, 0);
    tear_down(&fixture);
}

CASE(cell__timer)
{
    struct frame_run run = run_of(0);
    struct fixture fixture;

    run.timer_ms = 100;
    open_session(&fixture, "a=1", 0);
    add(&fixture, FRAME_RESET, NULL, 0);
    add_cell(&fixture, "sleep 300", NULL, &run);
    flush(&fixture);
    assert_int_equal(exit_status(&fixture), 0);
    release(&fixture);

    open_session(&fixture, "a=1", 0); /* also while stdin is missing */
    add(&fixture, FRAME_RESET, NULL, 0);
    add(&fixture, FRAME_RUN, &run, sizeof run);
    flush(&fixture);
    assert_int_equal(exit_status(&fixture), 0);
    release(&fixture);
}

/* Starts an interpreter after 5 s of CPU time; its cells have 2 s each. */
static void open_limited(struct fixture *fixture, const char *code, uint32_t flags)
{
    struct frame_run run = run_of(flags);

    run.cpu_max_us = 2000000;
    prepare(fixture);
    write_in(fixture->directory, "cpu.stat", "usage_usec 5000000\n");
    launch(fixture, fixture->directory);
    add_script(fixture, driver);
    add_cell(fixture, code, NULL, &run);
    expect_cell(fixture, "");
}

/* What is used between two cells counts for the second one. */
CASE(cell__cpu_time)
{
    struct frame_run run = run_of(0);
    struct fixture fixture;

    run.cpu_max_us = 2000000;
    open_limited(&fixture, "echo usage_usec 6500000 >cpu.stat", 0);
    assert_in_range(fixture.end.cpu_us, 1300000, 1500000); /* without that of the supervisor */
    write_in(fixture.directory, "cpu.stat", "usage_usec 6900000\n");
    add(&fixture, FRAME_RESET, NULL, 0);
    add_cell(&fixture, "echo usage_usec 8300000 >cpu.stat", NULL, &run);
    expect_cell(&fixture, "");
    assert_in_range(fixture.end.cpu_us, 1600000, 1800000);
    add(&fixture, FRAME_RESET, NULL, 0);
    add_cell(&fixture, "echo usage_usec 12000000 >cpu.stat; sleep 300", NULL, &run);
    check_ended(&fixture, FRAME_CAUSE_CPU, 9, 0);
    tear_down(&fixture);
}

/* Processes that stay, and use up what is left, end with the container. */
CASE(cell__cpu_time_between_two_cells)
{
    struct frame_run run = run_of(FRAME_RUN_KEEP_PROCESSES);
    struct fixture fixture;
    int alive;

    run.cpu_max_us = 2000000;
    open_limited(&fixture, "", FRAME_RUN_KEEP_PROCESSES);
    alive = open_alive(&fixture);
    add(&fixture, FRAME_RESET, NULL, 0);
    add_cell(&fixture,
             "(exec 9>alive; until [ -e go ]; do sleep 0.01; done;"
             " echo usage_usec 7900000 >cpu.stat; sleep 300) &",
             NULL, &run);
    expect_cell(&fixture, "");
    add(&fixture, FRAME_RESET, NULL, 0);
    flush(&fixture);
    expect_none(&fixture, FRAME_END);
    write_in(fixture.directory, "go", "");
    assert_int_equal(exit_status(&fixture), 0);
    check_dead(alive);
    release(&fixture);
}

/* The limit of a cell that does not begin is not one for what the last cell has left. */
CASE(cell__cpu_time_of_a_cell_that_does_not_begin)
{
    struct frame_run run = run_of(FRAME_RUN_KEEP_PROCESSES);
    struct fixture fixture;
    int alive;

    open_limited(&fixture, "", FRAME_RUN_KEEP_PROCESSES);
    alive = open_alive(&fixture);
    run.cpu_max_us = 2000000;
    add(&fixture, FRAME_RESET, NULL, 0);
    add_cell(&fixture,
             "(exec 9>alive; until [ -e go ]; do sleep 0.01; done;"
             " echo usage_usec 7900000 >cpu.stat; sleep 300) & echo usage_usec 6500000 >cpu.stat",
             NULL, &run);
    expect_cell(&fixture, "");
    run.cpu_max_us = 500000;
    add(&fixture, FRAME_RESET, NULL, 0);
    add(&fixture, FRAME_RUN, &run, sizeof run);
    flush(&fixture);
    for (int i = 0; i < 3; i++) /* it is looked at several times while stdin is missing */
        expect_none(&fixture, FRAME_FAILED);
    add(&fixture, FRAME_STOP, NULL, 0);
    expect(&fixture, FRAME_FAILED);
    for (int i = 0; i < 3; i++)
        expect_none(&fixture, FRAME_END);
    write_in(fixture.directory, "go", "");
    assert_int_equal(exit_status(&fixture), 0);
    check_dead(alive);
    release(&fixture);
}

/* ---- what isolator does not send */

/* The supervisor has to end with status 1, and the interpreter with it. */
static void check_refused(struct fixture *fixture, int type, const void *payload, size_t length)
{
    const int alive = open_alive(fixture);

    check_cell(fixture, "exec 9>alive", 0, "");
    add(fixture, FRAME_RESET, NULL, 0);
    add(fixture, type, payload, length);
    expect_refusal(fixture);
    check_dead(alive);
}

CASE(cell__frames_that_cannot_come)
{
    static const struct frame_run program = {.output_max = MEGABYTE},
                                  other = {.flags = 16 | FRAME_RUN_CELL};
    static const struct frame_keep keep = {MEGABYTE, LATE_MS};
    static const struct {
        int type;
        const void *payload;
        size_t length;
    } frames[] = {
        {FRAME_ARGUMENT, "x", 1},
        {FRAME_ENVIRONMENT, "A=1", 3},
        {FRAME_DIRECTORY, "/", 1},
        {FRAME_RUN, &program, sizeof program},
        {FRAME_RUN, &other, sizeof other},
        {FRAME_KEEP, &keep, sizeof keep},
        {FRAME_REPORT, "x", 1},
    };

    for (size_t i = 0; i < COUNT(frames); i++) {
        struct fixture fixture;

        open_session(&fixture, "a=1", 0);
        check_refused(&fixture, frames[i].type, frames[i].payload, frames[i].length);
    }
}

static int set_up_group(void **state)
{
    (void)state;
    linux_close_from(3);
    return 0;
}
