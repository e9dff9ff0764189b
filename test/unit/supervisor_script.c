#include "supervisor_client.h"

/* Scripts: see "Scripts" in supervisor/protocol.h. What a script makes is in `trace`. */

static void add_program(struct fixture *fixture, const char *script, struct frame_run run)
{
    add_script(fixture, script);
    run.timer_ms = 2 * LATE_MS;
    run.output_max = run.output_max > 0 ? run.output_max : 100 * MEGABYTE;
    add(fixture, FRAME_RUN, &run, sizeof run);
}

static const struct frame_run plain = {.head_max = MEGABYTE};
static const struct frame_run must_succeed = {.head_max = MEGABYTE,
                                              .flags = FRAME_RUN_MUST_SUCCEED};

static void add_keep(struct fixture *fixture)
{
    const struct frame_keep order = {.max = MEGABYTE, .max_ms = LATE_MS};

    add(fixture, FRAME_KEEP, &order, sizeof order);
}

static void add_restore(struct fixture *fixture)
{
    const struct frame_restore order = {.max_ms = LATE_MS};

    add(fixture, FRAME_RESTORE, &order, sizeof order);
}

/* Carries out the frames that were added, and compares what it sends, without the output. */
static void check_script(struct fixture *fixture, int status, const char *trace)
{
    launch_script(fixture);
    assert_int_equal(finish_script(fixture), status);
    assert_string_equal(strbuf_string(&fixture->trace), trace);
}

CASE(script__one_program)
{
    struct fixture fixture;

    prepare(&fixture);
    add_program(&fixture, "cat; echo err >&2; exit 3", plain);
    add_text(&fixture, FRAME_STDIN, "from the script");
    add(&fixture, FRAME_STDIN_END, NULL, 0);
    check_script(&fixture, 0, "HELLO BEGUN END ");
    check_end(&fixture, FRAME_CAUSE_ITSELF, 0, 3);
    assert_string_equal(strbuf_string(&fixture.out[0]), "from the script");
    assert_string_equal(strbuf_string(&fixture.out[1]), "err\n");
    assert_int_equal(fixture.end.written[0], 15);
    release(&fixture);
}

CASE(script__empty)
{
    struct fixture fixture;

    prepare(&fixture);
    check_script(&fixture, 0, "HELLO ");
    release(&fixture);
}

/* Waiting for a program costs no CPU time: a file can always be read. */
CASE(script__does_not_spin)
{
    struct fixture fixture;
    struct timespec before, after;

    prepare(&fixture);
    add_program(&fixture, "sleep 1; cat /proc/$PPID/stat", plain);
    add_restore(&fixture); /* waits, and must not come without KEEP */
    clock_gettime(CLOCK_MONOTONIC, &before);
    check_script(&fixture, 1, "HELLO BEGUN END ");
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert_true(after.tv_sec - before.tv_sec < 30);
    {
        /* utime and stime, in ticks of 10 ms: proc(5) */
        const char *at = strrchr(strbuf_string(&fixture.out[0]), ')');
        unsigned long user, kernel;

        assert_non_null(at);
        assert_int_equal(
            sscanf(at, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &kernel), 2);
        assert_in_range(user + kernel, 0, 10);
    }
    release(&fixture);
}

/* More than the pipe and the ring have room for, to a program that reads late. */
CASE(script__long_stdin)
{
    enum { PIECES = 40 };
    static char piece[FRAME_CHUNK];
    struct fixture fixture;

    prepare(&fixture);
    add_program(&fixture, "sleep 0.2; cksum", plain);
    for (int i = 0; i < PIECES; i++) {
        memset(piece, 'a' + i % 26, sizeof piece);
        add(&fixture, FRAME_STDIN, piece, sizeof piece);
    }
    add(&fixture, FRAME_STDIN_END, NULL, 0);
    add(&fixture, FRAME_RESET, NULL, 0);
    check_script(&fixture, 0, "HELLO BEGUN END ");
    assert_string_equal(strbuf_string(&fixture.out[0]), "810728577 1310720\n");
    release(&fixture);
}

/* What a program does not read is dropped, and the next one gets its own. */
CASE(script__stdin_that_is_not_read)
{
    static char zeros[FRAME_CHUNK];
    struct fixture fixture;

    prepare(&fixture);
    for (int program = 0; program < 2; program++) {
        add_program(&fixture, program == 0 ? "sleep 0.2" : "exec 0<&-; sleep 0.2; echo end", plain);
        for (int i = 0; i < 10; i++)
            add(&fixture, FRAME_STDIN, zeros, sizeof zeros);
        add(&fixture, FRAME_STDIN_END, NULL, 0);
        add(&fixture, FRAME_RESET, NULL, 0);
    }
    add_program(&fixture, "cat", plain);
    add_text(&fixture, FRAME_STDIN, "own");
    add(&fixture, FRAME_STDIN_END, NULL, 0);
    launch_script(&fixture);
    assert_int_equal(finish_script(&fixture), 0);
    assert_string_equal(strbuf_string(&fixture.out[0]), "end\nown");
    check_end(&fixture, FRAME_CAUSE_ITSELF, 0, 0);
    release(&fixture);
}

CASE(script__several_programs)
{
    struct fixture fixture;

    prepare(&fixture);
    add_program(&fixture, "echo built >file", must_succeed);
    add_keep(&fixture);
    for (int i = 0; i < 2; i++) {
        add_restore(&fixture);
        add_program(&fixture, "cat file; echo changed >file", plain);
        add(&fixture, FRAME_STDIN_END, NULL, 0);
    }
    add_collect(&fixture, MEGABYTE);
    check_script(&fixture, 0, "HELLO BEGUN END KEPT BEGUN END BEGUN END FILES_END ");
    assert_string_equal(strbuf_string(&fixture.out[0]), "built\nbuilt\n");
    check_files(&fixture, "./file 8;");
    release(&fixture);
}

/* Each frame waits for the end of the program, which takes a while. */
CASE(script__waits_for_the_end)
{
    struct fixture fixture;

    prepare(&fixture);
    add_program(&fixture, "sleep 0.3; echo late >file", plain);
    add_collect(&fixture, MEGABYTE);
    add(&fixture, FRAME_RESET, NULL, 0);
    add_program(&fixture, "sleep 0.3; rm file", plain);
    add_keep(&fixture);
    check_script(&fixture, 0, "HELLO BEGUN END FILES_END BEGUN END KEPT ");
    check_files(&fixture, "./file 5;");
    release(&fixture);
}

/* ---- the end of a script */

static void check_fails(const char *script, const char *trace)
{
    struct fixture fixture;

    prepare(&fixture);
    add_program(&fixture, script, must_succeed);
    add_keep(&fixture);
    check_script(&fixture, 0, trace);
    release(&fixture);
}

CASE(script__must_succeed)
{
    struct fixture fixture;

    check_fails("exit 0", "HELLO BEGUN END KEPT ");
    check_fails("exit 1", "HELLO BEGUN END ");
    check_fails("kill -KILL $$", "HELLO BEGUN END ");
    prepare(&fixture);
    add_text(&fixture, FRAME_ARGUMENT, "/none");
    add(&fixture, FRAME_RUN, &must_succeed, sizeof must_succeed);
    add_keep(&fixture);
    check_script(&fixture, 0, "HELLO BEGUN FAILED ");
    release(&fixture);
    /* Another program may fail. */
    prepare(&fixture);
    add_program(&fixture, "exit 1", plain);
    add_keep(&fixture);
    check_script(&fixture, 0, "HELLO BEGUN END KEPT ");
    release(&fixture);
}

CASE(script__keep_that_fails)
{
    const struct frame_keep order = {.max = 1, .max_ms = LATE_MS};
    struct fixture fixture;

    prepare(&fixture);
    add_program(&fixture, "echo text >file", plain);
    add(&fixture, FRAME_KEEP, &order, sizeof order);
    add(&fixture, FRAME_RESET, NULL, 0);
    add_program(&fixture, "exit 0", plain);
    check_script(&fixture, 0, "HELLO BEGUN END FAILED ");
    assert_int_equal(fixture.failed.step, FRAME_STEP_KEEP);
    assert_int_equal(fixture.failed.error, EFBIG);
    release(&fixture);
}

static void add_bad(struct fixture *fixture, int which)
{
    static const char zeros[FRAME_STDIN_WINDOW + 1];
    const struct frame_run unknown_flag = {.flags = 1 << 30};

    switch (which) {
    case 0:
        add(fixture, FRAME_HELLO, NULL, 0);
        break;
    case 1:
        add(fixture, FRAME_RESET, NULL, 0); /* nothing has ended */
        break;
    case 2:
        add_credit(fixture, FRAME_STDOUT, 1);
        break;
    case 3:
        add(fixture, FRAME_STDIN, zeros, sizeof zeros);
        break;
    case 4: /* nothing takes them */
        add(fixture, FRAME_STDIN, zeros, 40000);
        add(fixture, FRAME_STDIN, zeros, 40000);
        break;
    case 5:
        add(fixture, FRAME_DETACH, "short", 5);
        break;
    case 6:
        add_script(fixture, "exit 0");
        add(fixture, FRAME_RUN, &unknown_flag, sizeof unknown_flag);
        break;
    default:
        strbuf_add(&fixture->sent, "\0\0\0\0\6\1\0\0", FRAME_HEADER);
        break;
    }
}

CASE(script__frames_that_must_not_come)
{
    for (int which = 0; which < 8; which++) {
        struct fixture fixture;

        prepare(&fixture);
        add_bad(&fixture, which);
        add_keep(&fixture);
        check_script(&fixture, 1, "HELLO ");
        release(&fixture);
    }
}

/* A program that still runs is killed. */
CASE(script__bad_frame_while_a_program_runs)
{
    static const char zeros[FRAME_CHUNK];
    struct fixture fixture;
    int alive;

    prepare(&fixture);
    alive = open_alive(&fixture);
    add_program(&fixture, "exec 9>alive; head -c 100000 >/dev/null; sleep 300", plain);
    for (int i = 0; i < 5; i++) /* the last one waits until it has read much of this */
        add(&fixture, FRAME_STDIN, zeros, sizeof zeros);
    add_script(&fixture, "exit 0");
    check_script(&fixture, 1, "HELLO BEGUN ");
    check_dead(alive);
    release(&fixture);
}

CASE(script__cut)
{
    for (size_t cut = 1; cut < FRAME_HEADER + 8; cut++) {
        struct fixture fixture;

        prepare(&fixture);
        add_program(&fixture, "exit 0", plain);
        add(&fixture, FRAME_STDIN, "12345678", 8);
        fixture.sent.length -= cut;
        launch_script(&fixture);
        assert_int_equal(finish_script(&fixture), 1);
        release(&fixture);
    }
}

/* ---- output */

/* Runs a program that writes so many bytes to stdout, the digits of the numbers from 1000000 on. */
static void run_numbers(struct fixture *fixture, unsigned count, uint64_t head, uint64_t tail)
{
    const struct frame_run run = {.head_max = head, .tail_max = tail};
    CLEANUP_FREE char *script = string_format("seq 1000000 %u", 1000000 + count - 1);

    add_program(fixture, script, run);
    add(fixture, FRAME_STDIN_END, NULL, 0);
}

/* What arrived: the head, the count of bytes that are missing, and the tail. */
static void check_numbers(struct fixture *fixture, unsigned count, size_t head, size_t tail)
{
    CLEANUP(strbuf_release) struct strbuf all = STRBUF_INIT, expected = STRBUF_INIT;

    for (unsigned i = 0; i < count; i++)
        strbuf_addf(&all, "%u\n", 1000000 + i);
    if (all.length <= head + tail) {
        strbuf_add(&expected, all.data, all.length);
    } else {
        strbuf_add(&expected, all.data, head);
        strbuf_addf(&expected, "<%zu>", all.length - head - tail);
        strbuf_add(&expected, all.data + all.length - tail, tail);
    }
    assert_int_equal(fixture->out[0].length, expected.length);
    assert_memory_equal(fixture->out[0].data, strbuf_string(&expected), expected.length);
    assert_int_equal(fixture->end.written[0], all.length);
}

CASE(script__head_and_tail)
{
    static const struct {
        unsigned count;
        size_t head, tail;
        const char *trace;
    } runs[] = {
        {10, 40, 40, "HELLO BEGUN END "}, /* exactly both */
        {10, 80, 0, "HELLO BEGUN END "},
        {10, 0, 80, "HELLO BEGUN END "},
        {10, 40, 39, "HELLO BEGUN OMITTED out 1 END "},
        {10, 39, 40, "HELLO BEGUN OMITTED out 1 END "},
        {10, 0, 0, "HELLO BEGUN OMITTED out 80 END "},
        {10, 5, 0, "HELLO BEGUN OMITTED out 75 END "},
        {100000, 1000, 70001, "HELLO BEGUN OMITTED out 728999 END "},
        {100000, 300000, 300000, "HELLO BEGUN OMITTED out 200000 END "}, /* more than the link */
        {100000, 400000, 400000, "HELLO BEGUN END "},
    };

    for (size_t i = 0; i < COUNT(runs); i++) {
        struct fixture fixture;

        prepare(&fixture);
        run_numbers(&fixture, runs[i].count, runs[i].head, runs[i].tail);
        check_script(&fixture, 0, runs[i].trace);
        check_numbers(&fixture, runs[i].count, runs[i].head, runs[i].tail);
        release(&fixture);
    }
}

/* The ring of one program is that of the next one, larger or smaller, and has nothing in it. */
CASE(script__tails_of_several_programs)
{
    static const uint64_t tails[] = {10, 100, 5, 0, 7};
    struct fixture fixture;

    prepare(&fixture);
    for (size_t i = 0; i < COUNT(tails); i++) {
        const struct frame_run run = {.head_max = 2, .tail_max = tails[i]};

        add_program(&fixture, "printf 0123456789; printf abcdefg >&2", run);
        add(&fixture, FRAME_STDIN_END, NULL, 0);
        add(&fixture, FRAME_RESET, NULL, 0);
    }
    check_script(&fixture, 0,
                 "HELLO BEGUN END BEGUN END BEGUN OMITTED out 3 END "
                 "BEGUN OMITTED out 8 OMITTED err 5 END BEGUN OMITTED out 1 END ");
    assert_string_equal(strbuf_string(&fixture.out[0]), "0123456789"
                                                        "0123456789"
                                                        "01<3>56789"
                                                        "01<8>"
                                                        "01<1>3456789");
    assert_string_equal(strbuf_string(&fixture.out[1]), "abcdefgabcdefgabcdefgab<5>abcdefg");
    release(&fixture);
}

CASE(script__no_memory_for_the_tail)
{
    const struct frame_run run = {.tail_max = UINT64_C(1) << 60};
    struct fixture fixture;

    prepare(&fixture);
    add_program(&fixture, "exit 0", run);
    check_script(&fixture, 0, "HELLO FAILED ");
    assert_int_equal(fixture.failed.step, FRAME_STEP_START);
    assert_int_equal(fixture.failed.error, ENOMEM);
    release(&fixture);
}

CASE(script__too_much_output)
{
    const struct frame_run run = {.head_max = 10, .tail_max = 10, .output_max = 1000000};
    struct fixture fixture;

    prepare(&fixture);
    add_program(&fixture, "exec yes", run);
    launch_script(&fixture);
    assert_int_equal(finish_script(&fixture), 0);
    check_end(&fixture, FRAME_CAUSE_OUTPUT, 9, 0);
    assert_in_range(fixture.end.written[0], 1000001, 1000000 + FRAME_CHUNK);
    assert_memory_equal(fixture.out[0].data, "y\ny\ny\ny\ny\n<", 11);
    release(&fixture);
}

/* A program whose output no one reads waits; it ends when the container does. */
CASE(script__output_that_is_not_read)
{
    struct frame_run run = {.head_max = UINT64_MAX, .timer_ms = 1500, .output_max = UINT64_MAX};
    struct fixture fixture;
    const long long begin = clock_now_ms();

    prepare(&fixture);
    add_script(&fixture, "exec yes");
    add(&fixture, FRAME_RUN, &run, sizeof run);
    launch_script(&fixture);
    assert_int_equal(exit_status(&fixture), 0);
    assert_in_range(clock_now_ms() - begin, 1500, LATE_MS);
    release(&fixture);
}

/* While no one reads, the frames wait as well: there is room for what each may make it send. */
CASE(script__reader_that_is_slow)
{
    enum { PROGRAMS = 60, NAME = 4000 };
    CLEANUP(strbuf_release) struct strbuf trace = STRBUF_INIT;
    static char name[NAME];
    struct fixture fixture;

    prepare(&fixture);
    memset(name, '/', sizeof name);
    strbuf_addstr(&trace, "HELLO ");
    for (int i = 0; i < PROGRAMS; i++) {
        add(&fixture, FRAME_ARGUMENT, name, sizeof name);
        add(&fixture, FRAME_RUN, &plain, sizeof plain);
        add(&fixture, FRAME_RESET, NULL, 0);
        strbuf_addstr(&trace, "BEGUN FAILED ");
    }
    launch_script(&fixture);
    nanosleep(&(struct timespec){0, SOON_MS * 1000000L}, NULL);
    assert_int_equal(finish_script(&fixture), 0);
    assert_string_equal(strbuf_string(&fixture.trace), strbuf_string(&trace));
    release(&fixture);
}

/* Single bytes, slowly enough that each would be a line, come in few. */
CASE(script__gathers_bytes)
{
    enum { BYTES = 600 };
    struct fixture fixture;

    prepare(&fixture);
    add_program(&fixture, "i=0; while [ $i -lt 600 ]; do echo; sleep 0.002; i=$((i+1)); done",
                plain);
    check_script(&fixture, 0, "HELLO BEGUN END ");
    assert_int_equal(fixture.out[0].length, BYTES);
    assert_in_range(fixture.line_count, 10, 200);
    release(&fixture);
}

/* ---- time */

CASE(script__late)
{
    const struct frame_run run = {.head_max = MEGABYTE, .late_ms = 200};
    struct fixture fixture;

    prepare(&fixture);
    add_program(&fixture, "echo begun; sleep 300", run);
    add_collect(&fixture, MEGABYTE);
    check_script(&fixture, 0, "HELLO BEGUN END FILES_END ");
    check_end(&fixture, FRAME_CAUSE_LATE, 9, 0);
    assert_string_equal(strbuf_string(&fixture.out[0]), "begun\n");
    release(&fixture);
}

/* ---- DETACH */

/* Changes a file that the supervisor has open: never empty, and as long as before. */
static void change(const struct fixture *fixture, const char *name, const char *text)
{
    CLEANUP_FREE char *path = path_in(fixture->tables, name);
    const int fd = open(path, O_WRONLY | O_CLOEXEC);

    assert_int_equal(pwrite(fd, text, strlen(text), 0), strlen(text));
    close(fd);
}

static void add_detach(struct fixture *fixture, struct frame_detach order)
{
    add(fixture, FRAME_DETACH, &order, sizeof order);
}

static void make_limits(const struct fixture *fixture)
{
    write_in(fixture->tables, "memory.max", "max      \n");
    write_in(fixture->tables, "cpu.max", "max 100000   \n");
    write_in(fixture->tables, "pids.max", "max \n");
}

CASE(script__detach_waits_for_limits)
{
    struct fixture fixture;

    prepare(&fixture);
    make_limits(&fixture);
    add_program(&fixture, "exit 0", plain);
    add_keep(&fixture);
    add_detach(&fixture, (struct frame_detach){64 * MEGABYTE, 2000000, 64, LATE_MS});
    add_restore(&fixture);
    add_program(&fixture, "exit 0", plain);
    launch_script(&fixture);
    while (!strstr(strbuf_string(&fixture.trace), "KEPT")) /* is sent before it waits */
        assert_true(read_lines(&fixture));
    change(&fixture, "memory.max", "67108864 ");
    change(&fixture, "cpu.max", "200000 100000\n");
    assert_int_equal(poll(&(struct pollfd){fixture.fd, POLLIN, 0}, 1, SOON_MS), 0);
    change(&fixture, "pids.max", "64  ");
    assert_int_equal(finish_script(&fixture), 0);
    assert_string_equal(strbuf_string(&fixture.trace), "HELLO BEGUN END KEPT DETACHED BEGUN END ");
    release(&fixture);
}

/* Nothing else of the script is carried out. */
static void check_detach(struct fixture *fixture, struct frame_detach order, int error)
{
    order.max_ms = 100;
    add_detach(fixture, order);
    add_program(fixture, "exit 0", plain);
    check_script(fixture, 0, error != 0 ? "HELLO FAILED " : "HELLO DETACHED BEGUN END ");
    assert_int_equal(fixture->failed.error, error);
    assert_int_equal(fixture->failed.step, error != 0 ? FRAME_STEP_LIMITS : 0);
    release(fixture);
}

CASE(script__detach_with_limits_that_are_not_lowered)
{
    static const struct {
        struct frame_detach order;
        const char *memory, *cpu, *pids;
        int error;
    } tries[] = {
        {{100, 0, 0, 0}, "1048676", "", "", 0},
        {{100, 0, 0, 0}, "1048677", "", "", ETIME},
        {{2 * MEGABYTE, 0, 0, 0}, "1048577", "", "", 0}, /* has no copy on top yet */
        {{2 * MEGABYTE, 0, 0, 0}, "1048576", "", "", ETIME},
        {{0, 1000000, 0, 0}, "", "101000 100000", "", 0},
        {{0, 1000000, 0, 0}, "", "101001 100000", "", ETIME},
        {{0, 1000000, 0, 0}, "", "max 100000", "", ETIME},
        {{0, 0, 64, 0}, "", "", "64", 0},
        {{0, 0, 64, 0}, "", "", "65", ETIME},
        {{0, 0, 64, 0}, "1", "1 1", "", ENOTSUP},
        {{0, 1, 0, 0}, "1", "1", "1", ENOTSUP},
        {{1, 0, 0, 0}, "", "1 1", "1", ENOTSUP},
        {{0, 0, 0, 0}, "max", "", "", 0},
    };

    for (size_t i = 0; i < COUNT(tries); i++) {
        struct fixture fixture;

        prepare(&fixture);
        write_in(fixture.tables, "memory.max", tries[i].memory);
        write_in(fixture.tables, "cpu.max", tries[i].cpu);
        write_in(fixture.tables, "pids.max", tries[i].pids);
        check_detach(&fixture, tries[i].order, tries[i].error);
    }
}

CASE(script__detach_without_limits)
{
    struct fixture fixture;

    prepare(&fixture);
    check_detach(&fixture, (struct frame_detach){0}, 0);
    prepare(&fixture);
    check_detach(&fixture, (struct frame_detach){.memory_max = 1}, ENOTSUP);
}

/* The copy counts against the limit of the memory. */
CASE(script__detach_after_keep)
{
    struct fixture fixture;

    for (uint64_t more = 0; more < 2; more++) {
        CLEANUP_FREE char *limit = NULL;

        prepare(&fixture);
        /* One file, as an archive: a header, a block, and two blocks at the end. */
        limit = string_format("%llu", (unsigned long long)(100 + 2048 + MEGABYTE + more));
        write_in(fixture.tables, "memory.max", limit);
        add_archive(&fixture, "file", 0);
        add_keep(&fixture);
        add_detach(&fixture, (struct frame_detach){.memory_max = 100, .max_ms = 100});
        check_script(&fixture, 0, more == 0 ? "HELLO KEPT DETACHED " : "HELLO KEPT FAILED ");
        release(&fixture);
    }
}

/* ---- what only a script may have */

static void check_refused_without(int type, const void *payload, size_t length)
{
    struct fixture fixture;

    set_up(&fixture);
    add_script(&fixture, "exit 0");
    add(&fixture, type, payload, length);
    expect_refusal(&fixture);
}

CASE(script__frames_without_one)
{
    const struct frame_detach detach = {.max_ms = 1};
    const struct frame_run head = {.head_max = 1}, tail = {.tail_max = 1},
                           flag = {.flags = FRAME_RUN_MUST_SUCCEED};

    check_refused_without(FRAME_DETACH, &detach, sizeof detach);
    check_refused_without(FRAME_RUN, &flag, sizeof flag);
    check_refused_without(FRAME_RUN, &head, sizeof head);
    check_refused_without(FRAME_RUN, &tail, sizeof tail);
}
