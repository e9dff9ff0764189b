#include "test.h"

#include <signal.h>

#include "base/mux.h"
#include "config/config_layers.h"
#include "config/config_load.h"
#include "config/config_read.h"
#include "fake_supervisor.h"
#include "run/run.h"
#include "run/run_steps.h"

/*
 * A run whose docker command is a script. Its supervisor sends the frames of the files "first" and,
 * when a person is asked, "second"; then it takes what comes, and lets as much follow. The file
 * "log" gets a word for each EXTEND, and the second one ends the program.
 */
static const char docker_script[] =
    "cd \"${0%/*}\"\n" FAKE_SUPERVISOR_FUNCTIONS
    "case $1 in run) greet; exec python3 supervisor.py;; rm) ;; *) exit 1;; esac\n";
static const char supervisor[] =
    "import os, signal, struct, sys, time\n"
    "REQUEST_END, STOP, CREDIT, NETWORK, EXTEND = map(int, open('types').read().split())\n"
    "send = lambda name: os.write(1, open(name, 'rb').read())\n"
    "def take():\n"
    "    head = sys.stdin.buffer.read(8)\n"
    "    if len(head) < 8: sys.exit(0)\n"
    "    length, kind = struct.unpack('<IB3x', head)\n"
    "    return kind, len(sys.stdin.buffer.read(length))\n"
    "while take()[0] != REQUEST_END: pass\n"
    "send('begun'); send('first')\n"
    "while not os.path.exists('asked'): time.sleep(0.01)\n"
    "send('second'); time.sleep(0.5)\n" /* what that makes isolator do is done */
    "signal.alarm(30)\n"                /* the timer of the container */
    "extended = 0\n"
    "while True:\n"
    "    kind, length = take()\n"
    "    if kind == NETWORK: os.write(1, struct.pack('<IB3xII', 8, CREDIT, NETWORK, length))\n"
    "    if kind == EXTEND: extended += 1; open('log', 'a').write('extend ')\n"
    "    if kind == STOP or (kind == EXTEND and extended == 2): send('end')\n";

/* Its program runs until the order to stop. Then the supervisor sends the frame of the file "end".
 */
static const char stopped_script[] =
    "cd \"${0%/*}\"\n" FAKE_SUPERVISOR_FUNCTIONS "read -r first stop rest <types\n"
    "case $1 in run) greet; take_request; cat begun\n"
    "    while take_frame; do if [ $type = $stop ]; then cat end; fi; done;;\n"
    "rm) ;; *) exit 1;; esac\n";

struct fixture {
    char *directory, *command;
    struct config config;
    struct plan plan;
    struct tool_set *set;
    struct result result;
    struct strbuf frames; /* of the next file */
    struct tool_asker asker;
    int asked;
};

/* ---- a person who never answers */

static struct tool_question *ask(void *context, const char *text, const struct notifier *done)
{
    struct fixture *fixture = context;

    (void)text;
    (void)done;
    if (fixture->asked++ == 0)
        write_in(fixture->directory, "asked", "");
    return context;
}

static enum tool_decision take(void *context, struct tool_question *question)
{
    (void)context;
    (void)question;
    return TOOL_UNDECIDED;
}

static void cancel(void *context, struct tool_question *question)
{
    (void)context;
    (void)question;
}

/* ---- a run */

static void set_up(struct fixture *fixture, const char *script, const char *tool)
{
    static const char more[] =
        "{\"defaults\": {\"timeoutSeconds\": 5}, \"toolLimits\": {\"atOnce\": 8}, \"tools\":"
        " {\"one\": {\"command\": \"test/fixtures/upstream\", \"args\": [\"broad\"],"
        " \"ask\": [\"*\"]}}}";
    CLEANUP(request_release) struct request request;
    CLEANUP_FREE char *types = string_format("%d %d %d %d %d", FRAME_STDIN_END, FRAME_STOP,
                                             FRAME_CREDIT, FRAME_NETWORK, FRAME_EXTEND);
    struct error error = ERROR_INIT;

    signal(SIGPIPE, SIG_IGN);
    *fixture = (struct fixture){
        .directory = temp_create(), .result = RESULT_INIT, .asker = {fixture, ask, take, cancel}};
    fixture->command = script_in(fixture->directory, "docker", script);
    write_fake_supervisor(fixture->directory, &(struct frame_end){.status = 0});
    write_in(fixture->directory, "supervisor.py", supervisor);
    write_in(fixture->directory, "types", types);
    config_init(&fixture->config);
    assert_int_equal(config_load(&fixture->config, "isolator_config.json", NULL, &error), 0);
    config_overlay(&fixture->config, more, sizeof more - 1, "test", &error);
    assert_no_error(&error);
    free(fixture->config.container_command);
    fixture->config.container_command = string_copy(fixture->command);
    fixture->set = tool_set_new(&fixture->config, &error);
    assert_non_null(fixture->set);
    request_init(&request);
    request.language = string_copy("bash");
    request.input.code = string_copy("text");
    request.input.code_length = 4;
    if (tool)
        strvec_push(&request.tools, tool);
    plan_resolve(&fixture->plan, &fixture->config, &request, &error);
    assert_no_error(&error);
}

static void tear_down(struct fixture *fixture)
{
    tool_set_free(fixture->set);
    plan_release(&fixture->plan);
    config_release(&fixture->config);
    result_release(&fixture->result);
    free(fixture->command);
    temp_remove(fixture->directory);
}

static void run(struct fixture *fixture)
{
    const struct docker docker = config_docker(&fixture->config);
    const struct run_observer observer = {.live = {-1, -1}, .asker = &fixture->asker};
    struct error error = ERROR_INIT;
    struct run run;

    assert_true(
        run_begin(&run, &docker, &fixture->plan, &observer, NULL, fixture->set, &fixture->result));
    run_execute(&run, NULL, NULL);
    assert_int_equal(run_clean_up(&run, &error), 0);
    assert_no_error(&error);
}

/* ---- what the relay says */

static void say(struct fixture *fixture, unsigned slot, enum mux_type type, const char *payload)
{
    const size_t length = strlen(payload), all = MUX_HEADER + length;
    const char frame[FRAME_HEADER] = {(char)all, (char)(all >> 8), 0, 0, FRAME_NETWORK};
    unsigned char header[MUX_HEADER];

    mux_write(header, slot, type, length);
    strbuf_add(&fixture->frames, frame, sizeof frame);
    strbuf_add(&fixture->frames, header, sizeof header);
    strbuf_add(&fixture->frames, payload, length);
}

static void write_frames(struct fixture *fixture, const char *name)
{
    CLEANUP_FREE char *path = path_in(fixture->directory, name);

    write_bytes(path, fixture->frames.data, fixture->frames.length, 0600);
    strbuf_release(&fixture->frames);
}

/*
 * The second call waits for its turn, and then for its connection, whose answers wait until all
 * connections together have fewer of them. Nothing comes from the program when its turn has come.
 */
CASE_WITH(program_run__tells_the_time_of_a_question_that_room_lets_begin,
          set_up(fixture, docker_script, "one"))
{
    enum { LISTS = 6 };
    CLEANUP_FREE char *ping = string_format("{\"id\":\"%0*d\",\"method\":\"ping\"}\n", 15000, 0);
    CLEANUP_FREE char *log = NULL;

    say(fixture, 0, MUX_LISTENS, "");
    for (unsigned slot = 0; slot < LISTS + 2; slot++)
        say(fixture, slot, MUX_OPEN, "");
    say(fixture, 0, MUX_DATA,
        "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"one.t1\"}}\n");
    write_frames(fixture, "first");
    for (unsigned slot = 1; slot <= LISTS; slot++)
        say(fixture, slot, MUX_DATA, "{\"id\":2,\"method\":\"tools/list\"}\n");
    say(fixture, LISTS + 1, MUX_DATA,
        "{\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"one.t2\"}}\n");
    say(fixture, LISTS + 1, MUX_DATA, ping);
    say(fixture, LISTS + 1, MUX_DATA, "{\"id\":4,\"method\":\"tools/list\"}\n");
    say(fixture, 0, MUX_DATA,
        "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n");
    write_frames(fixture, "second");
    run(fixture);
    assert_int_equal(fixture->asked, 2);
    log = read_in(fixture->directory, "log");
    assert_string_equal(log, "extend extend ");
    assert_int_equal(fixture->result.reason, REASON_EXIT);
}

/* ---- an interactor whose program has ended */

static bool never_goes_on(struct program_run *program)
{
    (void)program;
    return false;
}

/* Runs a program that is stopped as soon as it has begun, in the instance of the run. */
static void run_stopped(struct run *run)
{
    struct notifier stop = NOTIFIER_INIT;
    struct output_sink output;
    struct program_run program;
    struct error error = ERROR_INIT;
    bool begun;

    assert_int_equal(notifier_open(&stop, &error), 0);
    notifier_raise(&stop);
    output_sink_init(&output, 1000, &run->observer);
    program = run_program_of(run, "the interactor", &output, run->result);
    program.stop = &stop;
    program.go_on = never_goes_on;
    assert_int_equal(program_run(&program, run_restore_deadline(run), &begun, &error), 0);
    assert_true(begun);
    output_sink_finish(&output, run->result);
    notifier_release(&stop);
}

/* How the program ends if its supervisor reports this after the order to stop. */
static void check_stopped(const struct frame_end *end, const char *expected)
{
    const struct run_observer observer = RUN_OBSERVER_INIT;
    CLEANUP_FREE char *seen = NULL;
    struct error error = ERROR_INIT;
    struct fixture fixture;
    struct docker docker;
    struct run run;

    set_up(&fixture, stopped_script, NULL);
    write_fake_supervisor(fixture.directory, end);
    docker = config_docker(&fixture.config);
    assert_true(run_begin(&run, &docker, &fixture.plan, &observer, NULL, NULL, &fixture.result));
    run.instance = instance_new(&docker, &fixture.plan, &run.limits, run_use_ms(&run));
    assert_int_equal(instance_make(run.instance, &fixture.plan, run_setup_deadline(&run),
                                   run_end_deadline(&run), NULL, &error),
                     0);
    run_stopped(&run);
    seen = string_format("%s %d", result_reason(&fixture.result), fixture.result.exit_code);
    assert_string_equal(seen, expected);
    assert_int_equal(run_clean_up(&run, &error), 0);
    assert_no_error(&error);
    tear_down(&fixture);
}

/* An interactor may end, or memory may run out, while the order to stop is on its way. */
CASE(program_run__ended_before_it_was_stopped)
{
    check_stopped(&(struct frame_end){.cause = FRAME_CAUSE_STOP, .signal = SIGKILL},
                  "cancelled 137");
    check_stopped(&(struct frame_end){.cause = FRAME_CAUSE_STOP,
                                      .signal = SIGKILL,
                                      .oom_kills = FRAME_UNKNOWN},
                  "cancelled 137");
    check_stopped(&(struct frame_end){.cause = FRAME_CAUSE_STOP, .signal = SIGKILL, .oom_kills = 1},
                  "oom 137");
    check_stopped(&(struct frame_end){.cause = FRAME_CAUSE_STOP, .status = 1}, "exit 1");
    check_stopped(&(struct frame_end){.cause = FRAME_CAUSE_STOP, .signal = SIGSEGV}, "signal 139");
    check_stopped(&(struct frame_end){.cause = FRAME_CAUSE_ITSELF, .signal = SIGKILL},
                  "signal 137");
}
