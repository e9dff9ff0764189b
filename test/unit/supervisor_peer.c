#include "supervisor_client.h"

#include <sys/stat.h>

/* Two supervisors whose programs talk to each other, by FIFOs in a directory. */
struct pair {
    struct fixture interactor, program;
    char *directory;
};

static void make_fifo(const char *directory, const char *name)
{
    CLEANUP_FREE char *path = path_in(directory, name);

    assert_int_equal(mkfifo(path, 0600), 0);
}

static void set_up_pair(struct pair *pair)
{
    *pair = (struct pair){.directory = temp_create()};
    make_fifo(pair->directory, "to-program");
    make_fifo(pair->directory, "to-interactor");
    prepare(&pair->interactor);
    prepare(&pair->program);
    pair->interactor.fifos = pair->program.fifos = pair->directory;
    launch(&pair->interactor, pair->interactor.directory);
    launch(&pair->program, pair->program.directory);
    expect(&pair->interactor, FRAME_HELLO);
    expect(&pair->program, FRAME_HELLO);
}

static void tear_down_pair(struct pair *pair)
{
    tear_down(&pair->program);
    tear_down(&pair->interactor);
    temp_remove(pair->directory);
}

static void start(struct fixture *fixture, const char *script, uint32_t flags,
                  uint64_t wait_state_ms)
{
    const struct frame_run run = {.timer_ms = 2 * LATE_MS,
                                  .linger_ms = 2 * LATE_MS,
                                  .output_max = MEGABYTE,
                                  .flags = flags,
                                  .wait_state_ms = wait_state_ms};

    add_script(fixture, script);
    add(fixture, FRAME_RUN, &run, sizeof run);
    add(fixture, FRAME_STDIN_END, NULL, 0);
    expect(fixture, FRAME_BEGUN);
}

/* The interactor comes first. */
static void start_both(struct pair *pair, const char *interactor, const char *program)
{
    start(&pair->interactor, interactor, FRAME_RUN_INTERACTOR, 0);
    start(&pair->program, program, FRAME_RUN_JOINED, 0);
}

static void end_with(struct fixture *fixture, unsigned status)
{
    expect(fixture, FRAME_END);
    assert_int_equal(fixture->end.signal, 0);
    assert_int_equal(fixture->end.status, status);
}

static void again(struct fixture *fixture)
{
    add(fixture, FRAME_RESET, NULL, 0);
}

CASE(peer__talk)
{
    struct pair pair;

    set_up_pair(&pair);
    for (int i = 0; i < 3; i++) { /* nothing is left for the next ones */
        start_both(&pair, "read a; echo got $a; echo said $a >&2; exit 3",
                   "echo line; echo left over; read b; echo had $b >&2; exit 4");
        end_with(&pair.interactor, 3);
        end_with(&pair.program, 4);
        assert_string_equal(strbuf_string(&pair.interactor.out[1]), "said line\n");
        assert_string_equal(strbuf_string(&pair.program.out[1]), "had got line\n");
        assert_int_equal(pair.interactor.out[0].length + pair.program.out[0].length, 0);
        strbuf_release(&pair.interactor.out[1]);
        strbuf_release(&pair.program.out[1]);
        again(&pair.interactor);
        again(&pair.program);
    }
    tear_down_pair(&pair);
}

/* The times of the FIFOs are those of this test, whatever a test before it has made of them. */
CASE(peer__times)
{
    static const char *const names[] = {"to-program", "to-interactor"};
    static const struct timespec old[2] = {{5, 0}, {5, 0}};
    struct pair pair;

    set_up_pair(&pair);
    for (size_t i = 0; i < COUNT(names); i++) {
        CLEANUP_FREE char *path = path_in(pair.directory, names[i]);

        assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    }
    start_both(&pair, "read a", "exit 0");
    for (size_t i = 0; i < COUNT(names); i++) {
        CLEANUP_FREE char *path = path_in(pair.directory, names[i]);
        struct stat status;

        assert_int_equal(stat(path, &status), 0);
        assert_int_not_equal(status.st_atim.tv_sec, 5);
        assert_int_not_equal(status.st_mtim.tv_sec, 5);
    }
    end_with(&pair.program, 0);
    tear_down_pair(&pair);
}

/* The program has ended: the interactor reads its end after LET_GO alone, and may still write. */
CASE(peer__let_go)
{
    struct pair pair;

    set_up_pair(&pair);
    start_both(&pair, "read a; read b || echo end >&2; head -c 300000 /dev/zero; echo done >&2",
               "echo line");
    end_with(&pair.program, 0);
    expect_none(&pair.interactor, FRAME_END);
    assert_int_equal(pair.interactor.out[1].length, 0);
    add(&pair.interactor, FRAME_LET_GO, NULL, 0);
    end_with(&pair.interactor, 0);
    assert_string_equal(strbuf_string(&pair.interactor.out[1]), "end\ndone\n");
    tear_down_pair(&pair);
}

/* It comes too late: what the next interactor says is not dropped. */
CASE(peer__let_go_after_the_end)
{
    struct pair pair;

    set_up_pair(&pair);
    start_both(&pair, "exit 0", "read a; exit 0");
    end_with(&pair.interactor, 0);
    end_with(&pair.program, 0);
    add(&pair.interactor, FRAME_LET_GO, NULL, 0);
    again(&pair.interactor);
    again(&pair.program);
    start(&pair.interactor, "echo line; read a", FRAME_RUN_INTERACTOR, 0);
    expect_none(&pair.interactor, FRAME_END);
    start(&pair.program, "read a; echo $a >&2; echo; exit 0", FRAME_RUN_JOINED, 0);
    end_with(&pair.program, 0);
    assert_string_equal(strbuf_string(&pair.program.out[1]), "line\n");
    tear_down_pair(&pair);
}

/* An interactor that is ended does not get to read the end of file before. */
CASE(peer__stop)
{
    for (int i = 0; i < 50; i++) {
        struct pair pair;

        set_up_pair(&pair);
        start_both(&pair, "read a; exec head -c 1 >/dev/null", "echo x; exit 1");
        end_with(&pair.program, 1);
        add(&pair.interactor, FRAME_STOP, NULL, 0);
        expect(&pair.interactor, FRAME_END);
        assert_int_equal(pair.interactor.end.signal, SIGKILL);
        tear_down_pair(&pair);
    }
}

/* The program sees the end of the interactor at once. */
CASE(peer__end_of_the_interactor)
{
    struct pair pair;

    set_up_pair(&pair);
    start_both(&pair, "read a; exit 5", "echo x; read b || exit 7");
    end_with(&pair.interactor, 5);
    end_with(&pair.program, 7);
    tear_down_pair(&pair);
}

/* It has ended before the program is joined, which reads its last words, and whose own are dropped.
 */
CASE(peer__interactor_that_has_ended)
{
    struct pair pair;

    set_up_pair(&pair);
    start(&pair.interactor, "echo last; exit 5", FRAME_RUN_INTERACTOR, 0);
    end_with(&pair.interactor, 5);
    start(&pair.program,
          "read a; echo $a >&2; read b || echo end >&2; head -c 300000 /dev/zero; echo done >&2",
          FRAME_RUN_JOINED, 0);
    end_with(&pair.program, 0);
    assert_string_equal(strbuf_string(&pair.program.out[1]), "last\nend\ndone\n");
    again(&pair.interactor);
    again(&pair.program);
    start_both(&pair, "read a; echo $a >&2", "echo fresh");
    end_with(&pair.program, 0);
    end_with(&pair.interactor, 0);
    assert_string_equal(strbuf_string(&pair.interactor.out[1]), "fresh\n");
    tear_down_pair(&pair);
}

/* An interactor that cannot be executed holds nothing for the program. */
CASE(peer__interactor_that_fails)
{
    const struct frame_run run = {
        .timer_ms = 2 * LATE_MS, .linger_ms = 2 * LATE_MS, .flags = FRAME_RUN_INTERACTOR};
    struct pair pair;

    set_up_pair(&pair);
    add_text(&pair.interactor, FRAME_ARGUMENT, "/nothing/here");
    add(&pair.interactor, FRAME_RUN, &run, sizeof run);
    expect(&pair.interactor, FRAME_FAILED);
    assert_int_equal(pair.interactor.failed.step, FRAME_STEP_EXEC);
    again(&pair.interactor);
    start_both(&pair, "read a; exit 3", "echo x");
    end_with(&pair.program, 0);
    end_with(&pair.interactor, 3);
    tear_down_pair(&pair);
}

static void check_wait_state(struct fixture *fixture, enum frame_wait wait)
{
    expect(fixture, FRAME_WAIT_STATE);
    assert_int_equal(fixture->wait_state.wait, wait);
}

/* What each of them waits for after a while. */
CASE(peer__wait_state)
{
    static const struct {
        const char *interactor, *program;
        enum frame_wait waits[2];
    } both[] = {
        {"read a", "read a", {FRAME_WAIT_INPUT, FRAME_WAIT_INPUT}},
        {"while :; do :; done", "read a", {FRAME_WAIT_NOTHING, FRAME_WAIT_INPUT}},
        {"sleep 100; read a", "echo x; sleep 100", {FRAME_WAIT_NOTHING, FRAME_WAIT_INPUT}},
        {"head -c 200000 /dev/zero",
         "head -c 200000 /dev/zero",
         {FRAME_WAIT_OUTPUT, FRAME_WAIT_OUTPUT}},
    };

    for (size_t i = 0; i < COUNT(both); i++) {
        struct pair pair;

        set_up_pair(&pair);
        start(&pair.interactor, both[i].interactor, FRAME_RUN_INTERACTOR, 500);
        start(&pair.program, both[i].program, FRAME_RUN_JOINED, 500);
        check_wait_state(&pair.interactor, both[i].waits[0]);
        check_wait_state(&pair.program, both[i].waits[1]);
        tear_down_pair(&pair);
    }
}

/* The pipes of a program that is not joined are looked at in the same way. */
CASE(peer__wait_state_of_pipes)
{
    struct fixture fixture;

    set_up(&fixture);
    add_script(&fixture, "read a");
    {
        const struct frame_run run = {.timer_ms = 2 * LATE_MS,
                                      .linger_ms = 2 * LATE_MS,
                                      .output_max = MEGABYTE,
                                      .flags = FRAME_RUN_AT_ONCE,
                                      .wait_state_ms = 200};

        add(&fixture, FRAME_RUN, &run, sizeof run);
    }
    check_wait_state(&fixture, FRAME_WAIT_INPUT);
    assert_int_equal(fixture.wait_state.idle_ms, 0);
    tear_down(&fixture);
}

/* How long the FIFOs were idle. */
CASE(peer__idle)
{
    struct pair pair;

    set_up_pair(&pair);
    start(&pair.interactor, "read a; read b", FRAME_RUN_INTERACTOR, 0);
    start(&pair.program, "sleep 1; echo x; read a", FRAME_RUN_JOINED, 1500);
    check_wait_state(&pair.program, FRAME_WAIT_INPUT);
    assert_in_range(pair.program.wait_state.idle_ms, 1, LATE_MS);
    tear_down_pair(&pair);
}

static void check_no_join(struct fixture *fixture, uint32_t flags, int error)
{
    const struct frame_run run = {
        .timer_ms = 2 * LATE_MS, .linger_ms = 2 * LATE_MS, .flags = flags};

    add_script(fixture, "exit 0");
    add(fixture, FRAME_RUN, &run, sizeof run);
    expect(fixture, FRAME_FAILED);
    assert_int_equal(fixture->failed.step, FRAME_STEP_JOIN);
    assert_int_equal(fixture->failed.error, error);
}

/* There are no FIFOs, or files and links in place of them. */
CASE(peer__cannot_join)
{
    struct pair pair;
    struct fixture fixture;
    CLEANUP_FREE char *link = NULL;

    set_up(&fixture);
    check_no_join(&fixture, FRAME_RUN_INTERACTOR, ENOENT);
    tear_down(&fixture);
    set_up_pair(&pair);
    link = path_in(pair.directory, "to-interactor");
    assert_int_equal(unlink(link), 0);
    write_in(pair.directory, "to-interactor", "");
    check_no_join(&pair.interactor, FRAME_RUN_INTERACTOR, ENOTSUP);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink("to-program", link), 0);
    again(&pair.interactor);
    check_no_join(&pair.interactor, FRAME_RUN_INTERACTOR, ELOOP);
    tear_down_pair(&pair);
}

static int set_up_group(void **state)
{
    (void)state;
    linux_close_from(3);
    return 0;
}
