#include "test.h"

#include <errno.h>

#include "base/linux.h"
#include "base/memory.h"
#include "container/supervisor_link.h"
#include "docker/container.h"
#include "request/plan.h"
#include "run/result.h"
#include "supervisor/frame_header.h"

/* A connection, the plan of its request, and what the handler got. */
struct fixture {
    struct plan plan;
    struct supervisor_link link;
    struct strbuf out[2], report, files, network, omitted, too_large;
};

static void set_up(struct fixture *fixture)
{
    char network[] = "bridge";

    *fixture = (struct fixture){.plan = PLAN_INIT};
    sandbox_policy_init(&fixture->plan.policy);
    free(fixture->plan.policy.network);
    fixture->plan.policy.network = string_copy(network);
    fixture->plan.policy.limits.number[LIMIT_MEMORY] = 0;
    fixture->plan.policy.limits.number[LIMIT_TIMEOUT] = 7;
    fixture->plan.policy.limits.number[LIMIT_CPU_TIME] = 1.5;
    fixture->plan.policy.limits.number[LIMIT_WORKDIR] = 3;
    supervisor_link_init(&fixture->link);
}

/* A request of the plan's program. */
static struct program_request request_of(const struct fixture *fixture, int archive)
{
    return (struct program_request){
        .spec.command = &fixture->plan.command,
        .spec.environment = &fixture->plan.environment,
        .spec.directory = fixture->plan.directory,
        .spec.without_proxies = strcmp(fixture->plan.policy.network, "none") == 0,
        .spec.limits = &fixture->plan.policy.limits,
        .archive = archive,
        .spec.input = fixture->plan.input.stdin_file,
        .spec.input_is_live = fixture->plan.input.stdin_is_live,
    };
}

/* Requests the plan's program. */
static void request(struct fixture *fixture, int archive)
{
    const struct program_request program = request_of(fixture, archive);

    supervisor_link_request(&fixture->link, &program);
}

static void tear_down(struct fixture *fixture)
{
    supervisor_link_release(&fixture->link);
    plan_release(&fixture->plan);
    strbuf_release(&fixture->out[0]);
    strbuf_release(&fixture->out[1]);
    strbuf_release(&fixture->report);
    strbuf_release(&fixture->files);
    strbuf_release(&fixture->network);
    strbuf_release(&fixture->omitted);
    strbuf_release(&fixture->too_large);
}

/* ---- frames */

static void add_frame(struct strbuf *bytes, int type, const void *payload, size_t length)
{
    const char header[FRAME_HEADER] = {(char)length, (char)(length >> 8), (char)(length >> 16),
                                       (char)(length >> 24), (char)type};

    strbuf_add(bytes, header, sizeof header);
    strbuf_add(bytes, payload, length);
}

static void add_text(struct strbuf *bytes, int type, const char *text)
{
    add_frame(bytes, type, text, strlen(text));
}

static void add_hello(struct strbuf *bytes, const char *magic, uint32_t version, size_t length)
{
    static char payload[FRAME_HELLO_SIZE + 1];
    struct frame_hello hello = {"", version, 0};

    memcpy(hello.magic, magic, strlen(magic));
    memcpy(payload, &hello, sizeof hello);
    add_frame(bytes, FRAME_HELLO, payload, length);
}

static void add_good_hello(struct strbuf *bytes)
{
    add_hello(bytes, FRAME_HELLO_MAGIC, FRAME_VERSION, FRAME_HELLO_SIZE);
}

static void add_credit(struct strbuf *bytes, uint32_t stream, uint32_t count)
{
    const struct frame_credit credit = {stream, count};

    add_frame(bytes, FRAME_CREDIT, &credit, sizeof credit);
}

static void add_end(struct strbuf *bytes)
{
    const struct frame_end end = {.status = 3, .wall_us = 1234};

    add_frame(bytes, FRAME_END, &end, sizeof end);
}

/* ---- the handler */

static void note_bytes(void *context, enum frame_channel channel, const char *data, size_t length)
{
    struct fixture *fixture = context;
    struct strbuf *const taken[CHANNELS] = {[CHANNEL_STDOUT] = &fixture->out[0],
                                            [CHANNEL_STDERR] = &fixture->out[1],
                                            [CHANNEL_FILES] = &fixture->files,
                                            [CHANNEL_REPORT] = &fixture->report,
                                            [CHANNEL_NETWORK] = &fixture->network};

    assert_true(length > 0);
    strbuf_add(taken[channel], data, length);
}

static void note_too_large(void *context, const char *path)
{
    strbuf_addf(&((struct fixture *)context)->too_large, "%s;", path);
}

static void note_omitted(void *context, enum frame_channel channel, unsigned long long bytes)
{
    strbuf_addf(&((struct fixture *)context)->omitted, "%d %llu;", (int)channel, bytes);
}

static const struct supervisor_handler handler = {
    .take = note_bytes, .omitted = note_omitted, .too_large = note_too_large};

/* Feeds the bytes in pieces of this size, and releases them. */
static void feed_in_pieces(struct fixture *fixture, struct strbuf *bytes, size_t piece)
{
    for (size_t at = 0; at < bytes->length; at += piece) {
        const size_t left = bytes->length - at;

        supervisor_link_feed(&fixture->link, bytes->data + at, left < piece ? left : piece,
                             &handler, fixture);
    }
    strbuf_release(bytes);
}

static void feed(struct fixture *fixture, struct strbuf *bytes)
{
    feed_in_pieces(fixture, bytes, SIZE_MAX / 2);
}

/* The rest of a frame that has begun is joined with it alone, and not with what follows. */
CASE_WITH(supervisor_link__joins_one_frame, set_up(fixture))
{
    enum { FRAMES = 20 };
    CLEANUP(strbuf_release) struct strbuf hello = STRBUF_INIT, bytes = STRBUF_INIT;
    CLEANUP_FREE char *payload = memory_allocate(FRAME_CHUNK);

    add_good_hello(&hello);
    supervisor_link_feed(&fixture->link, hello.data, hello.length, &handler, fixture);
    fixture->link.state = LINK_RUNNING;
    memset(payload, 'x', FRAME_CHUNK);
    for (int i = 0; i < FRAMES; i++)
        add_frame(&bytes, FRAME_STDOUT, payload, FRAME_CHUNK);
    supervisor_link_feed(&fixture->link, bytes.data, 3, &handler, fixture);
    supervisor_link_feed(&fixture->link, bytes.data + 3, bytes.length - 3, &handler, fixture);
    assert_false(fixture->link.broken);
    assert_int_equal(fixture->out[0].length, FRAMES * FRAME_CHUNK);
    assert_int_equal(fixture->link.pending.length, 0);
    assert_true(fixture->link.pending.capacity < 2 * FRAME_CHUNK);
}

/* ---- what is sent */

/* Takes the next frame out of the bytes; its type, or 0 at the end. */
static int next_frame(struct strbuf *bytes, struct strbuf *payload)
{
    const unsigned char *header = (const unsigned char *)bytes->data;
    size_t length;
    int type;

    strbuf_release(payload);
    if (bytes->length == 0)
        return 0;
    assert_true(bytes->length >= FRAME_HEADER);
    length = header[0] | (size_t)header[1] << 8 | (size_t)header[2] << 16;
    assert_true(length <= FRAME_PAYLOAD_MAX && bytes->length >= FRAME_HEADER + length);
    assert_int_equal(header[3] | header[5] | header[6] | header[7], 0);
    type = header[4];
    strbuf_add(payload, bytes->data + FRAME_HEADER, length);
    strbuf_drop(bytes, FRAME_HEADER + length);
    return type;
}

/* Describes the frames in one line, and releases them. */
static char *describe(struct strbuf *bytes)
{
    static const char *const names[] = {
        [FRAME_ARGUMENT] = "argument",   [FRAME_ENVIRONMENT] = "environment",
        [FRAME_FILES] = "files",         [FRAME_STDIN] = "stdin",
        [FRAME_STDIN_END] = "stdin-end", [FRAME_STOP] = "stop",
        [FRAME_CODE] = "code",           [FRAME_INTERRUPT] = "interrupt",
        [FRAME_RESET] = "reset",         [FRAME_NETWORK] = "network",
        [FRAME_LET_GO] = "let-go",       [FRAME_ATTACH] = "attach",
        [FRAME_STORE] = "store",         [FRAME_DIRECTORY] = "directory"};
    struct strbuf text = STRBUF_INIT, payload = STRBUF_INIT;
    struct frame_restore restore;
    struct frame_credit credit;
    struct frame_extend extend;
    struct frame_keep keep;
    struct frame_collect order;
    struct frame_run run;
    int type;

    strbuf_addstr(&text, "");
    while ((type = next_frame(bytes, &payload)) != 0) {
        if (type == FRAME_RUN) {
            assert_int_equal(payload.length, sizeof run);
            memcpy(&run, payload.data, sizeof run);
            strbuf_addf(&text, "run %llu %llu %llu", (unsigned long long)run.timer_ms,
                        (unsigned long long)run.output_max, (unsigned long long)run.cpu_max_us);
            if ((run.flags & ~FRAME_RUN_STDIN_FILE) != 0)
                strbuf_addf(&text, " %u %llu %u", run.flags & ~FRAME_RUN_STDIN_FILE,
                            (unsigned long long)run.linger_ms, run.report_max);
            if (run.connections != 0)
                strbuf_addf(&text, " connections %u", run.connections);
            strbuf_addch(&text, ';');
        } else if (type == FRAME_COLLECT) {
            assert_int_equal(payload.length, sizeof order);
            memcpy(&order, payload.data, sizeof order);
            strbuf_addf(&text, "collect %llu %llu;", (unsigned long long)order.file_max,
                        (unsigned long long)order.max);
        } else if (type == FRAME_EXTEND) {
            assert_int_equal(payload.length, sizeof extend);
            memcpy(&extend, payload.data, sizeof extend);
            strbuf_addf(&text, "extend %llu;", (unsigned long long)extend.ms);
        } else if (type == FRAME_KEEP) {
            assert_int_equal(payload.length, sizeof keep);
            memcpy(&keep, payload.data, sizeof keep);
            strbuf_addf(&text, "keep %llu %llu;", (unsigned long long)keep.max,
                        (unsigned long long)keep.max_ms);
        } else if (type == FRAME_MAKE_READY) {
            assert_true(payload.length >= sizeof run);
            memcpy(&run, payload.data, sizeof run);
            strbuf_addf(&text, "make-ready %llu %u %s;", (unsigned long long)run.stack_max,
                        run.flags, strbuf_string(&payload) + sizeof run);
        } else if (type == FRAME_RESTORE) {
            assert_int_equal(payload.length, sizeof restore);
            memcpy(&restore, payload.data, sizeof restore);
            strbuf_addf(&text, "restore %llu;", (unsigned long long)restore.max_ms);
        } else if (type == FRAME_CREDIT) {
            assert_int_equal(payload.length, sizeof credit);
            memcpy(&credit, payload.data, sizeof credit);
            strbuf_addf(&text, "credit %u %u;", credit.stream, credit.bytes);
        } else {
            strbuf_addf(&text, "%s %s;", names[type], strbuf_string(&payload));
        }
    }
    strbuf_release(bytes);
    strbuf_release(&payload);
    return strbuf_steal(&text);
}

static void check_frames(struct strbuf *bytes, const char *expected)
{
    CLEANUP_FREE char *seen = describe(bytes);

    assert_string_equal(seen, expected);
}

/* Everything that is sent until there is nothing more now. */
static struct strbuf send_all(struct fixture *fixture)
{
    struct strbuf all = STRBUF_INIT;
    size_t before;

    do {
        struct strbuf queue = STRBUF_INIT;

        before = all.length;
        supervisor_link_send(&fixture->link, &queue);
        strbuf_add(&all, queue.data, queue.length);
        strbuf_release(&queue);
    } while (all.length > before);
    return all;
}

CASE_WITH(supervisor_link__frames_of_a_request, set_up(fixture))
{
    CLEANUP_FD int archive = linux_unnamed_file_of("tar", 3);
    CLEANUP_FD int input = linux_unnamed_file_of("in", 2);
    struct strbuf sent;

    strvec_push_each(&fixture->plan.command, "python3", "", "a b", NULL);
    strvec_push_each(&fixture->plan.environment, "A=1", "B=", NULL);
    fixture->plan.directory = string_copy("a b");
    fixture->plan.input.stdin_file = input;
    sent = send_all(fixture);
    check_frames(&sent, ""); /* there is no request yet */
    request(fixture, archive);
    sent = send_all(fixture);
    check_frames(&sent, "argument python3;argument ;argument a b;environment A=1;environment B=;"
                        "directory a b;files tar;run 12000 67108864 1500000;stdin in;stdin-end ;");
    fixture->plan.input.stdin_file = -1;
}

/* Neither files nor stdin. The engine leaves the proxies empty, the program gets none. */
CASE_WITH(supervisor_link__least_request, set_up(fixture))
{
    struct strbuf sent;
    struct strbuf expected = STRBUF_INIT;

    free(fixture->plan.policy.network);
    fixture->plan.policy.network = string_copy("none");
    strvec_push(&fixture->plan.command, "/true");
    strvec_push(&fixture->plan.environment, "http_proxy=own");
    request(fixture, -1);
    strbuf_addstr(&expected, "argument /true;");
    for (const char *const *name = container_proxy_variables; *name; name++)
        strbuf_addf(&expected, "environment %s;", *name);
    strbuf_addstr(&expected, "environment http_proxy=own;run 12000 67108864 1500000;stdin-end ;");
    sent = send_all(fixture);
    check_frames(&sent, strbuf_string(&expected));
    strbuf_release(&expected);
}

/* The archive is read as it is sent, not before: each call adds about one frame of it. */
CASE_WITH(supervisor_link__files_are_read_piece_by_piece, set_up(fixture))
{
    enum { SIZE = 10 * FRAME_CHUNK + 1 };
    CLEANUP_FREE char *content = calloc(1, SIZE);
    CLEANUP_FD int archive = linux_unnamed_file_of(content, SIZE);
    struct strbuf payload = STRBUF_INIT;
    size_t files = 0;

    strvec_push(&fixture->plan.command, "x");
    request(fixture, archive);
    while (!fixture->link.last_sent) {
        struct strbuf queue = STRBUF_INIT;
        int type;

        supervisor_link_send(&fixture->link, &queue);
        assert_in_range(queue.length, 1, FRAME_CHUNK + 100);
        while ((type = next_frame(&queue, &payload)) != 0)
            files += type == FRAME_FILES ? payload.length : 0;
        strbuf_release(&queue);
    }
    assert_int_equal(files, SIZE);
    strbuf_release(&payload);
}

/* Bytes of STDIN in the frames. Releases them. */
static size_t count_stdin(struct strbuf *bytes, bool *ended)
{
    struct strbuf payload = STRBUF_INIT;
    size_t count = 0;
    int type;

    while ((type = next_frame(bytes, &payload)) != 0) {
        count += type == FRAME_STDIN ? payload.length : 0;
        *ended = *ended || type == FRAME_STDIN_END;
    }
    strbuf_release(bytes);
    strbuf_release(&payload);
    return count;
}

CASE_WITH(supervisor_link__stdin_needs_credit, set_up(fixture))
{
    enum { SIZE = FRAME_STDIN_WINDOW + 50000 };
    CLEANUP_FREE char *content = calloc(1, SIZE);
    CLEANUP_FD int input = linux_unnamed_file_of(content, SIZE);
    struct strbuf bytes = STRBUF_INIT;
    bool ended = false;

    strvec_push(&fixture->plan.command, "x");
    fixture->plan.input.stdin_file = input;
    request(fixture, -1);
    bytes = send_all(fixture);
    assert_int_equal(count_stdin(&bytes, &ended), FRAME_STDIN_WINDOW);
    bytes = send_all(fixture);
    assert_int_equal(bytes.length, 0);
    strbuf_release(&bytes);

    add_good_hello(&bytes);
    add_frame(&bytes, FRAME_BEGUN, NULL, 0);
    add_credit(&bytes, FRAME_STDIN, 1);
    feed(fixture, &bytes);
    bytes = send_all(fixture);
    assert_int_equal(count_stdin(&bytes, &ended), 1);
    add_credit(&bytes, FRAME_STDIN, 49998);
    feed(fixture, &bytes);
    bytes = send_all(fixture);
    assert_int_equal(count_stdin(&bytes, &ended), 49998);
    assert_false(ended);
    add_credit(&bytes, FRAME_STDIN, 2);
    feed(fixture, &bytes);
    bytes = send_all(fixture);
    assert_int_equal(count_stdin(&bytes, &ended), 1);
    assert_true(ended);
    assert_false(fixture->link.broken);
    fixture->plan.input.stdin_file = -1;
}

/* The program reads its stdin no longer: nothing more is sent, whatever credit there is. */
CASE_WITH(supervisor_link__stdin_closed, set_up(fixture))
{
    enum { SIZE = 2 * FRAME_STDIN_WINDOW };
    CLEANUP_FREE char *content = calloc(1, SIZE);
    CLEANUP_FD int input = linux_unnamed_file_of(content, SIZE);
    struct strbuf bytes = STRBUF_INIT;

    strvec_push(&fixture->plan.command, "x");
    fixture->plan.input.stdin_file = input;
    request(fixture, -1);
    bytes = send_all(fixture);
    strbuf_release(&bytes);
    add_good_hello(&bytes);
    add_frame(&bytes, FRAME_BEGUN, NULL, 0);
    add_frame(&bytes, FRAME_STDIN_CLOSED, NULL, 0);
    add_credit(&bytes, FRAME_STDIN, 1000);
    feed(fixture, &bytes);
    assert_false(fixture->link.broken);
    bytes = send_all(fixture);
    assert_int_equal(bytes.length, 0);
    strbuf_release(&bytes);
    fixture->plan.input.stdin_file = -1;
}

/* It is a file if all of it is there, up to 8 MiB and an eighth of the memory: 64 and 32 MB. */
CASE(supervisor_link__stdin_that_is_a_file)
{
    static const struct {
        off_t size;
        int memory_mb;
        bool is_live, is_file;
    } inputs[] = {{0, 1, false, true},          {8388608, 64, false, true},
                  {8388609, 640, false, false}, {4194304, 32, false, true},
                  {4194305, 32, false, false},  {10, 64, true, false}};

    for (size_t i = 0; i < COUNT(inputs); i++) {
        const int file = linux_unnamed_file_of("", 0);
        struct strbuf bytes = STRBUF_INIT, payload = STRBUF_INIT;
        struct program_request asked;
        struct fixture fixture;
        struct frame_run run;

        set_up(&fixture);
        strvec_push(&fixture.plan.command, "x");
        fixture.plan.policy.limits.number[LIMIT_MEMORY] = inputs[i].memory_mb;
        assert_int_equal(ftruncate(file, inputs[i].size), 0);
        asked = request_of(&fixture, -1);
        asked.spec.input = file;
        asked.spec.input_is_live = inputs[i].is_live;
        supervisor_link_request(&fixture.link, &asked);
        bytes = send_all(&fixture);
        while (next_frame(&bytes, &payload) != FRAME_RUN)
            ;
        memcpy(&run, payload.data, sizeof run);
        assert_int_equal(run.flags, inputs[i].is_file ? FRAME_RUN_STDIN_FILE : 0);
        strbuf_release(&payload);
        strbuf_release(&bytes);
        close(file);
        tear_down(&fixture);
    }
}

/* A program that talks to another one, which is looked at. The next request knows nothing of it. */
CASE(supervisor_link__sides)
{
    static const struct {
        enum program_side side;
        unsigned flags;
    } sides[] = {{SIDE_NONE, 4096}, {SIDE_RELAYED, 32}, {SIDE_JOINED, 96}, {SIDE_INTERACTOR, 160}};
    const struct frame_wait_state wait_state = {.idle_ms = 7, .wait = FRAME_WAIT_OUTPUT};

    for (size_t i = 0; i < COUNT(sides); i++) {
        struct strbuf bytes = STRBUF_INIT, payload = STRBUF_INIT;
        struct program_request asked;
        struct fixture fixture;
        struct frame_run run;

        set_up(&fixture);
        strvec_push(&fixture.plan.command, "x");
        asked = request_of(&fixture, -1);
        asked.side = sides[i].side;
        asked.wait_state_ms = 900;
        supervisor_link_request(&fixture.link, &asked);
        bytes = send_all(&fixture);
        while (next_frame(&bytes, &payload) != FRAME_RUN)
            ;
        assert_int_equal(payload.length, sizeof run);
        memcpy(&run, payload.data, sizeof run);
        strbuf_release(&payload);
        strbuf_release(&bytes);
        assert_int_equal(run.flags, sides[i].flags);
        assert_int_equal(run.wait_state_ms, 900);
        add_good_hello(&bytes);
        add_frame(&bytes, FRAME_BEGUN, NULL, 0);
        add_frame(&bytes, FRAME_WAIT_STATE, &wait_state, sizeof wait_state);
        feed(&fixture, &bytes);
        assert_false(fixture.link.broken);
        assert_int_equal(fixture.link.wait_state.wait, FRAME_WAIT_OUTPUT);
        assert_int_equal(fixture.link.wait_state.idle_ms, 7);
        supervisor_link_request(&fixture.link, &asked);
        assert_int_equal(fixture.link.wait_state.wait, FRAME_WAIT_NOTHING);
        tear_down(&fixture);
    }
}

/* Takes the bytes of one read of live input, and whether its end was sent. */
static size_t read_live(struct fixture *fixture, bool *ended)
{
    struct strbuf queue = STRBUF_INIT;

    supervisor_link_read_input(&fixture->link, &queue);
    return count_stdin(&queue, ended);
}

/* Requests a program with live input, which is BEGUN. */
static void begin_with_live_input(struct fixture *fixture, int input)
{
    struct strbuf bytes = STRBUF_INIT;

    set_up(fixture);
    strvec_push(&fixture->plan.command, "x");
    fixture->plan.input.stdin_file = input;
    fixture->plan.input.stdin_is_live = true;
    request(fixture, -1);
    bytes = send_all(fixture);
    check_frames(&bytes, "argument x;run 12000 67108864 1500000;");
    assert_int_equal(supervisor_link_wanted_input(&fixture->link), -1);
    add_good_hello(&bytes);
    add_frame(&bytes, FRAME_BEGUN, NULL, 0);
    feed(fixture, &bytes);
    assert_int_equal(supervisor_link_wanted_input(&fixture->link), input);
    fixture->plan.input.stdin_file = -1;
}

/* It is read only while the program runs, as it comes, and as far as there is credit. */
CASE(supervisor_link__live_input)
{
    static const char content[2 * FRAME_STDIN_WINDOW];
    struct strbuf bytes = STRBUF_INIT;
    struct fixture fixture;
    bool ended = false;
    int ends[2];

    assert_int_equal(linux_pipe(ends), 0);
    begin_with_live_input(&fixture, ends[0]);
    assert_int_equal(read_live(&fixture, &ended), 0); /* another process has read it */
    assert_int_equal(write(ends[1], "ab", 2), 2);
    assert_int_equal(read_live(&fixture, &ended), 2);
    assert_int_equal(write(ends[1], content, FRAME_STDIN_WINDOW), FRAME_STDIN_WINDOW);
    assert_int_equal(read_live(&fixture, &ended), FRAME_CHUNK);
    assert_int_equal(read_live(&fixture, &ended), FRAME_CHUNK - 2);
    assert_int_equal(supervisor_link_wanted_input(&fixture.link), -1);
    bytes = send_all(&fixture);
    assert_int_equal(bytes.length, 0); /* and no end */
    add_credit(&bytes, FRAME_STDIN, 3);
    feed(&fixture, &bytes);
    assert_int_equal(supervisor_link_wanted_input(&fixture.link), ends[0]);
    assert_int_equal(read_live(&fixture, &ended), 2);
    assert_false(ended);
    close(ends[1]);
    assert_int_equal(read_live(&fixture, &ended), 0);
    assert_true(ended);
    assert_int_equal(supervisor_link_wanted_input(&fixture.link), -1);
    assert_int_equal(fixture.link.input_error, 0);
    tear_down(&fixture);
    close(ends[0]);
}

CASE(supervisor_link__live_input_is_not_wanted)
{
    CLEANUP_FD int input = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    struct strbuf bytes = STRBUF_INIT;
    struct fixture fixture;

    begin_with_live_input(&fixture, input);
    add_frame(&bytes, FRAME_STDIN_CLOSED, NULL, 0);
    feed(&fixture, &bytes);
    assert_int_equal(supervisor_link_wanted_input(&fixture.link), -1);
    tear_down(&fixture);

    begin_with_live_input(&fixture, input);
    add_end(&bytes);
    feed(&fixture, &bytes);
    assert_int_equal(supervisor_link_wanted_input(&fixture.link), -1);
    tear_down(&fixture);
}

/* The program sees the end of its stdin, and the reason is kept. */
CASE(supervisor_link__live_input_that_fails)
{
    CLEANUP_FD int input = open("/", O_RDONLY | O_CLOEXEC);
    struct fixture fixture;
    bool ended = false;

    begin_with_live_input(&fixture, input);
    assert_int_equal(read_live(&fixture, &ended), 0);
    assert_true(ended);
    assert_int_equal(fixture.link.input_error, EISDIR);
    assert_int_equal(supervisor_link_wanted_input(&fixture.link), -1);
    tear_down(&fixture);
}

CASE_WITH(supervisor_link__orders, set_up(fixture))
{
    CLEANUP_FREE char *expected = string_format(
        "stop ;let-go ;interrupt ;extend 66051;collect 1000 23068672;credit %d 77;", FRAME_STDERR);
    struct strbuf bytes = STRBUF_INIT;

    supervisor_link_stop(&fixture->link, &bytes);
    supervisor_link_let_go(&fixture->link, &bytes);
    supervisor_link_interrupt(&fixture->link, &bytes);
    supervisor_link_extend(&fixture->link, 0x10203, &bytes);
    supervisor_link_collect(&fixture->link, 1000, 23068672, &bytes);
    supervisor_link_grant(&fixture->link, CHANNEL_STDERR, 77, &bytes);
    check_frames(&bytes, expected);
}

/* ---- seals */

/* HELLO of a supervisor whose kernel is gVisor's. */
static void add_gvisor_hello(struct strbuf *bytes)
{
    add_good_hello(bytes);
    bytes->data[FRAME_HEADER + offsetof(struct frame_hello, is_gvisor)] = 1;
}

/* Takes SEAL, which comes first. */
static struct frame_seal take_keys(struct strbuf *bytes)
{
    CLEANUP(strbuf_release) struct strbuf payload = STRBUF_INIT;
    struct frame_seal keys;

    assert_int_equal(next_frame(bytes, &payload), FRAME_SEAL);
    assert_int_equal(payload.length, sizeof keys);
    memcpy(&keys, payload.data, sizeof keys);
    assert_int_equal(strspn(keys.to, "0123456789abcdef"), sizeof keys.to - 1);
    assert_int_equal(strspn(keys.from, "0123456789abcdef"), sizeof keys.from - 1);
    assert_string_not_equal(keys.to, keys.from);
    return keys;
}

/* The bytes are lines, which carry these frames. Releases them. */
static void check_sealed(struct sealed_reader *reader, struct strbuf *bytes, const char *expected)
{
    struct strbuf frames = STRBUF_INIT;

    sealed_reader_add(reader, bytes->data, bytes->length, &frames);
    assert_false(reader->broken);
    assert_int_equal(reader->line.length, 0);
    check_frames(&frames, expected);
    strbuf_release(bytes);
}

/* Replaces the bytes by a line that carries them. */
static void seal(struct sealed_lines *lines, struct strbuf *bytes)
{
    char line[SEALED_LINE_MAX];
    const size_t length = sealed_lines_write(lines, bytes->data, bytes->length, line);

    strbuf_release(bytes);
    strbuf_add(bytes, line, length);
}

CASE_WITH(supervisor_link__seals_with_gvisor, set_up(fixture))
{
    CLEANUP(sealed_reader_release) struct sealed_reader reader = {.line = STRBUF_INIT};
    struct strbuf bytes = STRBUF_INIT;
    struct sealed_lines lines;
    struct frame_seal keys;

    add_gvisor_hello(&bytes);
    feed_in_pieces(fixture, &bytes, 100);
    strvec_push(&fixture->plan.command, "x");
    request(fixture, -1);
    bytes = send_all(fixture);
    keys = take_keys(&bytes);
    sealed_reader_init(&reader, keys.to);
    sealed_lines_init(&lines, keys.from);
    check_sealed(&reader, &bytes, "argument x;run 12000 67108864 1500000;stdin-end ;");

    add_frame(&bytes, FRAME_BEGUN, NULL, 0);
    add_text(&bytes, FRAME_STDOUT, "out");
    seal(&lines, &bytes);
    feed_in_pieces(fixture, &bytes, 7);
    assert_int_equal(fixture->link.state, LINK_RUNNING);
    assert_string_equal(strbuf_string(&fixture->out[0]), "out");
    supervisor_link_stop(&fixture->link, &bytes);
    check_sealed(&reader, &bytes, "stop ;");

    add_end(&bytes); /* from someone who does not know the key */
    strbuf_addch(&bytes, '\n');
    feed(fixture, &bytes);
    assert_true(fixture->link.broken);
    assert_false(fixture->link.has_end);
}

/* A frame that is longer than a line. */
CASE(supervisor_link__long_frame_in_seals)
{
    CLEANUP(sealed_reader_release) struct sealed_reader reader = {.line = STRBUF_INIT};
    CLEANUP(strbuf_release) struct strbuf frames = STRBUF_INIT;
    CLEANUP_FREE char *word = calloc(1, FRAME_PAYLOAD_MAX + 1);
    struct strbuf bytes = STRBUF_INIT;
    struct fixture fixture;
    struct frame_seal keys;

    memset(word, 'w', FRAME_PAYLOAD_MAX);
    set_up(&fixture);
    add_gvisor_hello(&bytes);
    feed(&fixture, &bytes);
    strvec_push(&fixture.plan.command, word);
    request(&fixture, -1);
    bytes = send_all(&fixture);
    keys = take_keys(&bytes);
    sealed_reader_init(&reader, keys.to);
    sealed_reader_add(&reader, bytes.data, bytes.length, &frames);
    strbuf_release(&bytes);
    assert_false(reader.broken);
    assert_int_equal(next_frame(&frames, &bytes), FRAME_ARGUMENT);
    assert_int_equal(bytes.length, FRAME_PAYLOAD_MAX);
    assert_memory_equal(bytes.data, word, FRAME_PAYLOAD_MAX);
    strbuf_release(&bytes);
    tear_down(&fixture);
}

/* A supervisor has nothing to say before it has the keys. */
CASE_WITH(supervisor_link__bytes_before_the_keys, set_up(fixture))
{
    struct strbuf bytes = STRBUF_INIT;

    add_gvisor_hello(&bytes);
    strbuf_addch(&bytes, 'x');
    feed(fixture, &bytes);
    assert_true(fixture->link.broken);
}

/* The lines of its log are sealed. */
CASE_WITH(supervisor_link__script_with_gvisor, set_up(fixture))
{
    struct strbuf bytes = STRBUF_INIT;

    fixture->link.is_script = true;
    strvec_push(&fixture->plan.command, "x");
    request(fixture, -1);
    supervisor_link_assume_sent(&fixture->link);
    add_gvisor_hello(&bytes);
    add_frame(&bytes, FRAME_BEGUN, NULL, 0);
    add_end(&bytes);
    feed(fixture, &bytes);
    assert_true(fixture->link.has_end);
}

/* ---- cells */

/* The first cell starts the interpreter; the next ones find it. What is left of the session is less
 * than the limits of the program. */
CASE_WITH(supervisor_link__frames_of_cells, set_up(fixture))
{
    static char code[] = "{code}";
    const struct strbuf cell = {.data = code, .length = sizeof code - 1, .capacity = sizeof code};
    struct strbuf bytes = STRBUF_INIT;
    struct program_request program = {.archive = -1,
                                      .spec.input = -1,
                                      .cell = &cell,
                                      .linger_ms = 700000,
                                      .cpu_left_us = 9000000,
                                      .output_left = 5000};

    program.spec.command = &fixture->plan.command;
    program.spec.environment = &fixture->plan.environment;
    program.spec.limits = &fixture->plan.policy.limits;
    strvec_push(&fixture->plan.command, "x");
    strvec_push(&fixture->plan.environment, "A=1");
    add_good_hello(&bytes);
    feed(fixture, &bytes);
    assert_true(supervisor_link_is_idle(&fixture->link));
    assert_false(program_request_limits_cpu(&program));
    supervisor_link_request(&fixture->link, &program);
    assert_false(supervisor_link_is_idle(&fixture->link));
    bytes = send_all(fixture);
    check_frames(&bytes, "argument x;environment A=1;code {code};"
                         "run 12000 5000 1500000 1 700000 12582912;stdin-end ;");
    add_frame(&bytes, FRAME_BEGUN, NULL, 0);
    add_text(&bytes, FRAME_REPORT, "{rep");
    add_text(&bytes, FRAME_REPORT, "ort}");
    add_frame(&bytes, FRAME_END, &(struct frame_end){.stays = 1}, sizeof(struct frame_end));
    feed(fixture, &bytes);
    assert_true(fixture->link.has_end);
    assert_true(supervisor_link_is_idle(&fixture->link));
    assert_string_equal(strbuf_string(&fixture->report), "{report}");

    program.interpreter_waits = program.reset = program.keep_processes = true;
    program.cpu_left_us = 1000000;
    program.output_left = 1 << 30;
    program.linger_ms = 1000;
    assert_true(program_request_limits_cpu(&program));
    supervisor_link_request(&fixture->link, &program);
    bytes = send_all(fixture);
    check_frames(&bytes, "reset ;code {code};run 12000 67108864 1000000 3 600000 12582912;"
                         "stdin-end ;");
}

/* The code is sent piece by piece, in front of the files. */
CASE_WITH(supervisor_link__long_cell, set_up(fixture))
{
    enum { SIZE = 3 * FRAME_CHUNK + 1 };
    CLEANUP_FREE char *code = calloc(1, SIZE);
    CLEANUP_FD int archive = linux_unnamed_file_of("tar", 3);
    const struct strbuf cell = {.data = code, .length = SIZE, .capacity = SIZE};
    struct strbuf payload = STRBUF_INIT, bytes;
    struct program_request program = {.archive = archive, .spec.input = -1, .cell = &cell};
    size_t sent = 0;
    int type;

    program.spec.command = &fixture->plan.command;
    program.spec.environment = &fixture->plan.environment;
    program.spec.limits = &fixture->plan.policy.limits;
    supervisor_link_request(&fixture->link, &program);
    bytes = send_all(fixture);
    while ((type = next_frame(&bytes, &payload)) == FRAME_CODE) {
        assert_in_range(payload.length, 1, FRAME_CHUNK);
        sent += payload.length;
    }
    assert_int_equal(sent, SIZE);
    assert_int_equal(type, FRAME_FILES);
    strbuf_release(&bytes);
    strbuf_release(&payload);
}

/* Feeds a frame while a program runs that is a cell or not. */
static void check_cell_frame(bool is_cell, int type, const void *data, size_t length, bool good)
{
    static char code[] = "{}";
    const struct strbuf cell = {.data = code, .length = sizeof code - 1, .capacity = sizeof code};
    struct strbuf bytes = STRBUF_INIT;
    struct fixture fixture;
    struct program_request program = {
        .archive = -1, .spec.input = -1, .cell = is_cell ? &cell : NULL};

    set_up(&fixture);
    program.spec.command = &fixture.plan.command;
    program.spec.environment = &fixture.plan.environment;
    program.spec.limits = &fixture.plan.policy.limits;
    add_good_hello(&bytes);
    feed(&fixture, &bytes);
    supervisor_link_request(&fixture.link, &program);
    bytes = send_all(&fixture);
    strbuf_release(&bytes);
    add_frame(&bytes, FRAME_BEGUN, NULL, 0);
    add_frame(&bytes, type, data, length);
    feed(&fixture, &bytes);
    assert_int_equal(fixture.link.broken, !good);
    tear_down(&fixture);
}

CASE_WITH(supervisor_link__value, set_up(fixture))
{
    struct strbuf bytes = STRBUF_INIT;
    struct frame_run run;
    struct program_request program = {.archive = -1, .spec.input = -1, .spec.value_max = 100};

    program.spec.command = &fixture->plan.command;
    program.spec.environment = &fixture->plan.environment;
    program.spec.limits = &fixture->plan.policy.limits;
    add_good_hello(&bytes);
    feed(fixture, &bytes);
    supervisor_link_request(&fixture->link, &program);
    bytes = send_all(fixture);
    memcpy(&run, bytes.data + bytes.length - FRAME_HEADER - sizeof run, sizeof run);
    assert_int_equal(run.report_max, 100);
    assert_int_equal(run.flags, FRAME_RUN_VALUE | FRAME_RUN_STDIN_FILE);
    strbuf_release(&bytes);
    add_frame(&bytes, FRAME_BEGUN, NULL, 0);
    add_text(&bytes, FRAME_REPORT, "value");
    feed(fixture, &bytes);
    assert_false(fixture->link.broken);
    assert_string_equal(strbuf_string(&fixture->report), "value");
}

/* Only a cell has a report and an interpreter that stays. */
CASE(supervisor_link__frames_of_a_cell_alone)
{
    const struct frame_end stays = {.stays = 1}, odd = {.stays = 2};

    check_cell_frame(true, FRAME_REPORT, "x", 1, true);
    check_cell_frame(true, FRAME_REPORT, "", 0, false);
    check_cell_frame(false, FRAME_REPORT, "x", 1, false);
    check_cell_frame(true, FRAME_END, &stays, sizeof stays, true);
    check_cell_frame(true, FRAME_END, &odd, sizeof odd, false);
    check_cell_frame(false, FRAME_END, &stays, sizeof stays, false);
}

/* The input of a cell is taken before it begins. */
CASE_WITH(supervisor_link__credit_before_a_cell_begins, set_up(fixture))
{
    enum { SIZE = FRAME_STDIN_WINDOW + 10 };
    static char code[] = "{}";
    const struct strbuf cell = {.data = code, .length = sizeof code - 1, .capacity = sizeof code};
    CLEANUP_FREE char *content = calloc(1, SIZE);
    CLEANUP_FD int input = linux_unnamed_file_of(content, SIZE);
    bool ended = false;
    struct strbuf bytes = STRBUF_INIT;
    struct program_request program = {.archive = -1, .spec.input = input, .cell = &cell};

    program.spec.command = &fixture->plan.command;
    program.spec.environment = &fixture->plan.environment;
    program.spec.limits = &fixture->plan.policy.limits;
    add_good_hello(&bytes);
    feed(fixture, &bytes);
    supervisor_link_request(&fixture->link, &program);
    bytes = send_all(fixture);
    assert_int_equal(count_stdin(&bytes, &ended), FRAME_STDIN_WINDOW);
    add_credit(&bytes, FRAME_STDIN, FRAME_STDIN_WINDOW);
    feed(fixture, &bytes);
    assert_false(fixture->link.broken);
    bytes = send_all(fixture);
    assert_int_equal(count_stdin(&bytes, &ended), 10);
    assert_true(ended);
}

/* After COLLECT no request can follow before the files have arrived. */
CASE_WITH(supervisor_link__is_not_idle_before_the_files, set_up(fixture))
{
    struct strbuf bytes = STRBUF_INIT, order = STRBUF_INIT;

    assert_false(supervisor_link_is_idle(&fixture->link));
    add_good_hello(&bytes);
    feed(fixture, &bytes);
    request(fixture, -1);
    bytes = send_all(fixture);
    strbuf_release(&bytes);
    add_frame(&bytes, FRAME_BEGUN, NULL, 0);
    add_end(&bytes);
    feed(fixture, &bytes);
    assert_true(supervisor_link_is_idle(&fixture->link));
    supervisor_link_collect(&fixture->link, 1, 2, &order);
    assert_false(supervisor_link_is_idle(&fixture->link));
    add_frame(&bytes, FRAME_FILES_END, NULL, 0);
    feed(fixture, &bytes);
    assert_true(supervisor_link_is_idle(&fixture->link));
    add_frame(&bytes, FRAME_BEGUN, NULL, 0); /* what breaks the connection */
    feed(fixture, &bytes);
    assert_false(supervisor_link_is_idle(&fixture->link));
    strbuf_release(&order);
}

/* ---- what arrives */

/* The connection is in the state, with a request sent from LINK_RUNNING on. */
static void advance(struct fixture *fixture, enum supervisor_link_state wanted)
{
    struct strbuf bytes = STRBUF_INIT;

    if (wanted >= LINK_READY)
        add_good_hello(&bytes);
    feed(fixture, &bytes);
    if (wanted >= LINK_RUNNING) {
        strvec_push(&fixture->plan.command, "x");
        request(fixture, -1);
        bytes = send_all(fixture);
        strbuf_release(&bytes);
        add_frame(&bytes, FRAME_BEGUN, NULL, 0);
    }
    if (wanted >= LINK_ENDED)
        add_end(&bytes);
    if (wanted >= LINK_COLLECTED)
        add_frame(&bytes, FRAME_FILES_END, NULL, 0);
    feed(fixture, &bytes);
    assert_int_equal(fixture->link.state, wanted);
    assert_false(fixture->link.broken);
}

/* A whole conversation gives the same in pieces of any size. */
CASE(supervisor_link__pieces_of_any_size)
{
    static const size_t pieces[] = {1, 2, 7, 8, 9, 4096, 100000};

    for (size_t i = 0; i < COUNT(pieces); i++) {
        struct strbuf bytes = STRBUF_INIT;
        struct fixture fixture;

        set_up(&fixture);
        add_good_hello(&bytes);
        feed_in_pieces(&fixture, &bytes, pieces[i]);
        assert_int_equal(fixture.link.state, LINK_READY);
        strvec_push(&fixture.plan.command, "x");
        request(&fixture, -1);
        bytes = send_all(&fixture);
        strbuf_release(&bytes);
        add_frame(&bytes, FRAME_BEGUN, NULL, 0);
        add_text(&bytes, FRAME_STDOUT, "one ");
        add_text(&bytes, FRAME_STDERR, "err");
        add_text(&bytes, FRAME_STDOUT, "two");
        add_end(&bytes);
        add_text(&bytes, FRAME_FILES, "tar ");
        add_text(&bytes, FRAME_TOO_LARGE, "./large");
        add_text(&bytes, FRAME_FILES, "end");
        add_frame(&bytes, FRAME_FILES_END, NULL, 0);
        feed_in_pieces(&fixture, &bytes, pieces[i]);
        assert_false(fixture.link.broken);
        assert_int_equal(fixture.link.state, LINK_COLLECTED);
        assert_int_equal(fixture.link.pending.length, 0);
        assert_string_equal(strbuf_string(&fixture.out[0]), "one two");
        assert_string_equal(strbuf_string(&fixture.out[1]), "err");
        assert_string_equal(strbuf_string(&fixture.files), "tar end");
        assert_string_equal(strbuf_string(&fixture.too_large), "./large;");
        assert_true(fixture.link.has_end);
        assert_int_equal(fixture.link.end.status, 3);
        assert_int_equal(fixture.link.end.wall_us, 1234);
        tear_down(&fixture);
    }
}

CASE_WITH(supervisor_link__failed, set_up(fixture))
{
    const struct frame_failed failed = {FRAME_STEP_EXEC, ENOENT};
    struct strbuf payload = STRBUF_INIT, bytes = STRBUF_INIT;

    advance(fixture, LINK_RUNNING);
    strbuf_add(&payload, &failed, sizeof failed);
    strbuf_addstr(&payload, "/bin/none");
    add_frame(&bytes, FRAME_FAILED, payload.data, payload.length);
    feed(fixture, &bytes);
    assert_false(fixture->link.broken);
    assert_int_equal(fixture->link.state, LINK_ENDED);
    assert_false(fixture->link.has_end);
    assert_int_equal(fixture->link.failure.step, FRAME_STEP_EXEC);
    assert_int_equal(fixture->link.failure.error, ENOENT);
    assert_string_equal(strbuf_string(&fixture->link.failed), "/bin/none");
    strbuf_release(&payload);
}

/* The supervisor fails before HELLO if there is no working directory; a long path is cut off. */
CASE_WITH(supervisor_link__failed_at_once_with_a_long_path, set_up(fixture))
{
    const struct frame_failed failed = {FRAME_STEP_WORKDIR, ENOENT};
    struct strbuf payload = STRBUF_INIT, bytes = STRBUF_INIT;

    strbuf_add(&payload, &failed, sizeof failed);
    for (int i = 0; i < 5000; i++)
        strbuf_addch(&payload, 'p');
    add_frame(&bytes, FRAME_FAILED, payload.data, payload.length);
    feed(fixture, &bytes);
    assert_false(fixture->link.broken);
    assert_int_equal(fixture->link.failure.step, FRAME_STEP_WORKDIR);
    assert_int_equal(fixture->link.failed.length, 4096);
    strbuf_release(&payload);
}

/* Feeds a frame in a state; it has to be refused, and nothing more may be taken. */
static void check_refused(enum supervisor_link_state state, int type, const void *payload,
                          size_t length)
{
    struct strbuf bytes = STRBUF_INIT;
    struct fixture fixture;

    set_up(&fixture);
    advance(&fixture, state);
    add_frame(&bytes, type, payload, length);
    feed(&fixture, &bytes);
    if (!fixture.link.broken)
        fail_msg("state %d: a frame of type %d and %zu bytes is taken", state, type, length);
    add_text(&bytes, FRAME_STDOUT, "later");
    feed(&fixture, &bytes);
    assert_int_equal(fixture.out[0].length, 0);
    assert_int_equal(fixture.out[1].length, 0);
    assert_int_equal(fixture.files.length, 0);
    assert_int_equal(fixture.too_large.length, 0);
    tear_down(&fixture);
}

CASE(supervisor_link__wait_state_that_is_wrong)
{
    static const char zeros[sizeof(struct frame_wait_state) + 1];
    const struct frame_wait_state wait_state = {.wait = FRAME_WAIT_OUTPUT + 1};

    check_refused(LINK_RUNNING, FRAME_WAIT_STATE, zeros, sizeof zeros);
    check_refused(LINK_RUNNING, FRAME_WAIT_STATE, zeros, sizeof zeros - 2);
    check_refused(LINK_RUNNING, FRAME_WAIT_STATE, &wait_state, sizeof wait_state);
}

CASE(supervisor_link__frames_out_of_state)
{
    static const struct {
        enum supervisor_link_state first, last; /* the only states that take it */
        int type;
        size_t length;
    } frames[] = {
        {LINK_STARTING, LINK_STARTING, FRAME_HELLO, FRAME_HELLO_SIZE},
        {LINK_STARTING, LINK_RUNNING, FRAME_FAILED, 9},
        {LINK_RUNNING, LINK_RUNNING, FRAME_STDOUT, 1},
        {LINK_RUNNING, LINK_RUNNING, FRAME_STDERR, 1},
        {LINK_RUNNING, LINK_RUNNING, FRAME_STDIN_CLOSED, 0},
        {LINK_RUNNING, LINK_RUNNING, FRAME_WAIT_STATE, sizeof(struct frame_wait_state)},
        {LINK_RUNNING, LINK_RUNNING, FRAME_END, sizeof(struct frame_end)},
        {LINK_ENDED, LINK_ENDED, FRAME_FILES, 1},
        {LINK_ENDED, LINK_ENDED, FRAME_TOO_LARGE, 1},
        {LINK_ENDED, LINK_ENDED, FRAME_FILES_END, 0},
        {LINK_COLLECTED + 1, LINK_STARTING, FRAME_KEPT, sizeof(struct frame_kept)},
        {LINK_COLLECTED + 1, LINK_STARTING, FRAME_READY, sizeof(struct frame_ready)},
    };
    static const char zeros[FRAME_HELLO_SIZE];
    const struct frame_credit none = {FRAME_STDIN, 0};

    for (size_t i = 0; i < COUNT(frames); i++)
        for (int at = LINK_STARTING; at <= LINK_COLLECTED; at++)
            if (at < (int)frames[i].first || at > (int)frames[i].last)
                check_refused((enum supervisor_link_state)at, frames[i].type, zeros,
                              frames[i].length);
    check_refused(LINK_READY, FRAME_CREDIT, &none, sizeof none);
    check_refused(LINK_ENDED, FRAME_CREDIT, &none, sizeof none);
    check_refused(LINK_STARTING, FRAME_BEGUN, NULL, 0);
    check_refused(LINK_READY, FRAME_BEGUN, NULL, 0); /* there is no request */
    check_refused(LINK_READY, FRAME_END, zeros, sizeof(struct frame_end));
    check_refused(LINK_RUNNING, FRAME_BEGUN, NULL, 0);
    check_refused(LINK_ENDED, FRAME_BEGUN, NULL, 0);
}

/* A program cannot have begun before it was requested. */
CASE(supervisor_link__begun_before_the_request)
{
    struct strbuf bytes = STRBUF_INIT;
    struct fixture fixture;

    set_up(&fixture);
    advance(&fixture, LINK_READY);
    strvec_push(&fixture.plan.command, "x");
    request(&fixture, -1);
    add_frame(&bytes, FRAME_BEGUN, NULL, 0);
    feed(&fixture, &bytes);
    assert_true(fixture.link.broken);
    tear_down(&fixture);

    set_up(&fixture);
    advance(&fixture, LINK_READY);
    strvec_push(&fixture.plan.command, "x");
    request(&fixture, -1);
    bytes = send_all(&fixture);
    strbuf_release(&bytes);
    add_text(&bytes, FRAME_BEGUN, "x");
    feed(&fixture, &bytes);
    assert_true(fixture.link.broken);
    tear_down(&fixture);
}

CASE(supervisor_link__frames_of_wrong_length)
{
    static const char zeros[FRAME_HELLO_SIZE];
    const struct frame_failed nothing = {0, 0};

    check_refused(LINK_RUNNING, FRAME_END, zeros, sizeof(struct frame_end) - 1);
    check_refused(LINK_RUNNING, FRAME_END, zeros, sizeof(struct frame_end) + 1);
    check_refused(LINK_RUNNING, FRAME_CREDIT, zeros, sizeof(struct frame_credit) - 1);
    check_refused(LINK_RUNNING, FRAME_CREDIT, zeros, sizeof(struct frame_credit) + 1);
    check_refused(LINK_RUNNING, FRAME_FAILED, zeros, sizeof(struct frame_failed) - 1);
    check_refused(LINK_RUNNING, FRAME_FAILED, &nothing, sizeof nothing);
    check_refused(LINK_RUNNING, FRAME_STDIN_CLOSED, "x", 1);
    check_refused(LINK_ENDED, FRAME_FILES_END, "x", 1);
    check_refused(LINK_RUNNING, FRAME_STDOUT, NULL, 0);
    check_refused(LINK_RUNNING, FRAME_STDERR, NULL, 0);
    check_refused(LINK_ENDED, FRAME_FILES, NULL, 0);
    check_refused(LINK_ENDED, FRAME_TOO_LARGE, zeros, 4097);
}

/* What isolator sends never comes back; nor does an unknown type. */
CASE(supervisor_link__frames_of_the_other_side)
{
    static const int types[] = {0,           FRAME_ARGUMENT,  FRAME_ENVIRONMENT, FRAME_RUN,
                                FRAME_STDIN, FRAME_STDIN_END, FRAME_STOP,        FRAME_COLLECT,
                                FRAME_RESET, FRAME_KEEP,      FRAME_RESTORE,     100,
                                255};

    for (size_t i = 0; i < COUNT(types); i++)
        for (int at = LINK_STARTING; at <= LINK_COLLECTED; at++)
            check_refused((enum supervisor_link_state)at, types[i], "x", 1);
}

/* ---- several programs, with a copy of the working directory */

static const struct frame_keep KEEP = {5000, 2000};

static void add_kept(struct strbuf *bytes, uint64_t size)
{
    const struct frame_kept kept = {size};

    add_frame(bytes, FRAME_KEPT, &kept, sizeof kept);
}

/* The supervisor waits and gets KEEP with this archive; what is sent for that. */
static void check_keep(struct fixture *fixture, int archive, const char *expected)
{
    struct strbuf sent;

    supervisor_link_keep(&fixture->link, archive, &KEEP, NULL);
    sent = send_all(fixture);
    check_frames(&sent, expected);
}

/* KEEP has neither a program nor stdin. */
CASE(supervisor_link__keep)
{
    CLEANUP_FD int archive = linux_unnamed_file_of("tar", 3);
    struct strbuf bytes = STRBUF_INIT;
    struct fixture fixture;

    set_up(&fixture);
    advance(&fixture, LINK_READY);
    check_keep(&fixture, archive, "files tar;keep 5000 2000;");
    assert_int_equal(fixture.link.state, LINK_READY);
    add_kept(&bytes, 4096);
    feed(&fixture, &bytes);
    assert_false(fixture.link.broken);
    assert_int_equal(fixture.link.state, LINK_ENDED);
    assert_false(fixture.link.has_end);
    assert_int_equal(fixture.link.kept_bytes, 4096);
    tear_down(&fixture);

    set_up(&fixture);
    advance(&fixture, LINK_READY);
    check_keep(&fixture, -1, "keep 5000 2000;");
    tear_down(&fixture);
}

/* After a program, the link is as at its start; the figures of the program are gone. */
CASE_WITH(supervisor_link__keep_after_a_program, set_up(fixture))
{
    struct strbuf bytes = STRBUF_INIT;

    advance(fixture, LINK_ENDED);
    check_keep(fixture, -1, "keep 5000 2000;");
    assert_int_equal(fixture->link.state, LINK_READY);
    assert_false(fixture->link.has_end);
    add_kept(&bytes, 1);
    feed(fixture, &bytes);
    assert_int_equal(fixture->link.state, LINK_ENDED);
}

CASE_WITH(supervisor_link__keep_fails, set_up(fixture))
{
    const struct frame_failed failed = {FRAME_STEP_KEEP, EFBIG};
    struct strbuf payload = STRBUF_INIT, bytes = STRBUF_INIT;

    advance(fixture, LINK_READY);
    check_keep(fixture, -1, "keep 5000 2000;");
    strbuf_add(&payload, &failed, sizeof failed);
    strbuf_addstr(&payload, "./large");
    add_frame(&bytes, FRAME_FAILED, payload.data, payload.length);
    feed(fixture, &bytes);
    assert_false(fixture->link.broken);
    assert_int_equal(fixture->link.state, LINK_ENDED);
    assert_int_equal(fixture->link.failure.step, FRAME_STEP_KEEP);
    assert_int_equal(fixture->link.failure.error, EFBIG);
    assert_string_equal(strbuf_string(&fixture->link.failed), "./large");
    assert_int_equal(fixture->link.kept_bytes, 0);
    strbuf_release(&payload);
}

/* RESTORE comes in front of the next request, whose files are added to the copy. */
CASE(supervisor_link__restore)
{
    CLEANUP_FD int archive = linux_unnamed_file_of("own", 3);
    CLEANUP_FD int input = linux_unnamed_file_of("in", 2);
    const struct frame_failed failed = {FRAME_STEP_UNPACK, ENOSPC};
    struct strbuf bytes = STRBUF_INIT;
    struct fixture fixture;
    struct program_request program = {.spec.command = &fixture.plan.command,
                                      .spec.environment = &fixture.plan.environment,
                                      .spec.limits = &fixture.plan.policy.limits,
                                      .archive = archive,
                                      .spec.input = input,
                                      .restore_ms = 3000};

    set_up(&fixture);
    strvec_push(&fixture.plan.command, "x");
    advance(&fixture, LINK_READY);
    check_keep(&fixture, -1, "keep 5000 2000;");
    add_kept(&bytes, 4096);
    feed(&fixture, &bytes);
    for (int i = 0; i < 3; i++) { /* each finds the link as the first did */
        supervisor_link_request(&fixture.link, &program);
        assert_int_equal(fixture.link.state, LINK_READY);
        assert_int_equal(fixture.link.failure.step, 0);
        assert_int_equal(fixture.link.failed.length, 0);
        bytes = send_all(&fixture);
        check_frames(&bytes, "restore 3000;argument x;files own;run 12000 67108864 1500000;"
                             "stdin in;stdin-end ;");
        if (i == 1) {
            add_frame(&bytes, FRAME_FAILED, &failed, sizeof failed);
        } else {
            add_frame(&bytes, FRAME_BEGUN, NULL, 0);
            add_text(&bytes, FRAME_STDOUT, "o");
            add_end(&bytes);
        }
        feed(&fixture, &bytes);
        assert_false(fixture.link.broken);
        assert_int_equal(fixture.link.state, LINK_ENDED);
        assert_int_equal(fixture.link.has_end, i != 1);
        assert_int_equal(fixture.link.kept_bytes, 4096);
    }
    assert_string_equal(strbuf_string(&fixture.out[0]), "oo");
    tear_down(&fixture);
}

/* The files of the last program are ordered with it, and it is not idle before they have come. */
CASE(supervisor_link__files_in_advance)
{
    static const struct frame_collect order = {100, 200};
    struct strbuf bytes = STRBUF_INIT;
    struct fixture fixture;
    struct program_request program = {.spec.command = &fixture.plan.command,
                                      .spec.environment = &fixture.plan.environment,
                                      .spec.limits = &fixture.plan.policy.limits,
                                      .archive = -1,
                                      .spec.input = -1,
                                      .is_last = true,
                                      .collect = &order};

    set_up(&fixture);
    strvec_push(&fixture.plan.command, "x");
    advance(&fixture, LINK_READY);
    supervisor_link_request(&fixture.link, &program);
    bytes = send_all(&fixture);
    check_frames(&bytes, "argument x;collect 100 200;run 12000 67108864 1500000 2048 600000 0;"
                         "stdin-end ;");
    add_frame(&bytes, FRAME_BEGUN, NULL, 0);
    add_end(&bytes);
    feed(&fixture, &bytes);
    assert_false(supervisor_link_is_idle(&fixture.link));
    add_text(&bytes, FRAME_FILES, "f");
    add_frame(&bytes, FRAME_FILES_END, NULL, 0);
    feed(&fixture, &bytes);
    assert_false(fixture.link.broken);
    assert_true(supervisor_link_is_idle(&fixture.link));
    tear_down(&fixture);
}

/* The client of a workspace attaches, and files are stored, before another request. */
CASE_WITH(supervisor_link__store, set_up(fixture))
{
    CLEANUP_FD int archive = linux_unnamed_file_of("tar", 3);
    struct strbuf bytes = STRBUF_INIT, sent = STRBUF_INIT;

    supervisor_link_attach(&sent);
    check_frames(&sent, "attach ;");
    advance(fixture, LINK_READY);
    supervisor_link_store(&fixture->link, archive);
    sent = send_all(fixture);
    check_frames(&sent, "files tar;store ;");
    assert_int_equal(fixture->link.state, LINK_READY);
    add_frame(&bytes, FRAME_STORED, NULL, 0);
    feed(fixture, &bytes);
    assert_false(fixture->link.broken);
    assert_int_equal(fixture->link.state, LINK_ENDED);
    assert_false(fixture->link.has_end);
    add_frame(&bytes, FRAME_STORED, NULL, 0);
    feed(fixture, &bytes);
    assert_true(fixture->link.broken); /* once */
}

CASE(supervisor_link__no_answer_to_store)
{
    static const struct {
        int type;
        size_t length;
    } frames[] = {{FRAME_STORED, 1}, {FRAME_KEPT, 0}, {FRAME_BEGUN, 0}, {FRAME_STDOUT, 1}};

    for (size_t i = 0; i < COUNT(frames); i++) {
        struct strbuf bytes = STRBUF_INIT;
        struct fixture fixture;

        set_up(&fixture);
        advance(&fixture, LINK_READY);
        supervisor_link_store(&fixture.link, -1);
        bytes = send_all(&fixture);
        strbuf_release(&bytes);
        add_frame(&bytes, frames[i].type, "x", frames[i].length);
        feed(&fixture, &bytes);
        assert_true(fixture.link.broken);
        tear_down(&fixture);
    }
}

/* Feeds a frame after KEEP, sent or not; it has to be refused. */
static void check_refused_for_keep(bool sent, int type, const void *payload, size_t length)
{
    struct strbuf bytes = STRBUF_INIT;
    struct fixture fixture;

    set_up(&fixture);
    advance(&fixture, LINK_READY);
    supervisor_link_keep(&fixture.link, -1, &KEEP, NULL);
    if (sent) {
        bytes = send_all(&fixture);
        strbuf_release(&bytes);
    }
    add_frame(&bytes, type, payload, length);
    feed(&fixture, &bytes);
    if (!fixture.link.broken)
        fail_msg("a frame of type %d and %zu bytes is taken", type, length);
    assert_int_equal(fixture.link.kept_bytes, 0);
    tear_down(&fixture);
}

CASE(supervisor_link__no_answer_to_keep)
{
    static const struct frame_kept kept = {7}, large = {5001};
    static const char bytes[sizeof kept + 1];

    check_refused_for_keep(false, FRAME_KEPT, &kept, sizeof kept); /* it was not sent yet */
    check_refused_for_keep(true, FRAME_KEPT, bytes, sizeof kept - 1);
    check_refused_for_keep(true, FRAME_KEPT, bytes, sizeof kept + 1);
    check_refused_for_keep(true, FRAME_KEPT, &large, sizeof large); /* than was ordered */
    check_refused_for_keep(true, FRAME_BEGUN, NULL, 0);             /* no program was requested */
    check_refused_for_keep(true, FRAME_STDOUT, "x", 1);
}

/* A program is requested: that is no KEEP. And KEPT comes once. */
CASE(supervisor_link__kept_out_of_state)
{
    struct strbuf bytes = STRBUF_INIT;
    struct fixture fixture;

    set_up(&fixture);
    advance(&fixture, LINK_READY);
    strvec_push(&fixture.plan.command, "x");
    request(&fixture, -1);
    bytes = send_all(&fixture);
    strbuf_release(&bytes);
    add_kept(&bytes, 7);
    feed(&fixture, &bytes);
    assert_true(fixture.link.broken);
    tear_down(&fixture);

    set_up(&fixture);
    advance(&fixture, LINK_READY);
    check_keep(&fixture, -1, "keep 5000 2000;");
    add_kept(&bytes, 1);
    add_kept(&bytes, 7);
    feed(&fixture, &bytes);
    assert_true(fixture.link.broken);
    assert_int_equal(fixture.link.kept_bytes, 1);
    tear_down(&fixture);
}

/* ---- ready programs */

/* Sends MAKE_READY to a supervisor that waits. */
static void make_ready(struct fixture *fixture)
{
    struct program_request program;
    struct strbuf sent;

    set_up(fixture);
    advance(fixture, LINK_READY);
    strvec_push(&fixture->plan.command, "python3");
    strvec_push(&fixture->plan.environment, "A=1");
    program = request_of(fixture, -1);
    program.make_ready = true;
    program.ready_text = "X=./hook";
    program.spec.traits.netlink = true;
    program.spec.traits.stack_mb = 64;
    supervisor_link_request(&fixture->link, &program);
    sent = send_all(fixture);
    check_frames(&sent, "argument python3;environment A=1;make-ready 67108864 4100 X=./hook;");
}

/* After that the request is sent as always, to a supervisor that waits again. */
CASE_WITH(supervisor_link__ready, make_ready(fixture))
{
    static const struct frame_ready ready = {12345};
    struct strbuf bytes = STRBUF_INIT;

    assert_false(supervisor_link_is_idle(&fixture->link));
    add_frame(&bytes, FRAME_READY, &ready, sizeof ready);
    feed(fixture, &bytes);
    assert_false(fixture->link.broken);
    assert_true(supervisor_link_is_idle(&fixture->link));
    assert_int_equal(fixture->link.ready_bytes, 12345);
    request(fixture, -1);
    assert_int_equal(fixture->link.state, LINK_READY);
    bytes = send_all(fixture);
    check_frames(&bytes, "argument python3;environment A=1;run 12000 67108864 1500000;stdin-end ;");
    add_frame(&bytes, FRAME_BEGUN, NULL, 0);
    feed(fixture, &bytes);
    assert_int_equal(fixture->link.state, LINK_RUNNING);
}

CASE_WITH(supervisor_link__limits_have_changed, set_up(fixture))
{
    struct strbuf sent;

    advance(fixture, LINK_READY);
    strvec_push(&fixture->plan.command, "/x");
    fixture->link.was_resized = true;
    request(fixture, -1);
    sent = send_all(fixture);
    check_frames(&sent, "argument /x;run 12000 67108864 1500000 512 600000 0;stdin-end ;");
}

/* The next request was sent before READY, which comes once and means nothing then. */
CASE_WITH(supervisor_link__ready_too_late, make_ready(fixture))
{
    static const struct frame_ready ready = {12345};

    request(fixture, -1);
    for (int i = 0; i < 2; i++) {
        struct strbuf bytes = STRBUF_INIT;

        add_frame(&bytes, FRAME_READY, &ready, sizeof ready);
        feed(fixture, &bytes);
        assert_int_equal(fixture->link.broken, i);
        assert_false(supervisor_link_is_idle(&fixture->link));
        assert_int_equal(fixture->link.ready_bytes, 0);
    }
}

CASE(supervisor_link__no_answer_to_make_ready)
{
    static const struct {
        int type;
        size_t length;
    } frames[] = {{FRAME_READY, sizeof(struct frame_ready) - 1},
                  {FRAME_READY, sizeof(struct frame_ready) + 1},
                  {FRAME_BEGUN, 0},
                  {FRAME_KEPT, sizeof(struct frame_kept)},
                  {FRAME_STDOUT, 1}};
    static const char zeros[sizeof(struct frame_ready) + 1];

    for (size_t i = 0; i < COUNT(frames); i++) {
        struct strbuf bytes = STRBUF_INIT;
        struct fixture fixture;

        make_ready(&fixture);
        add_frame(&bytes, frames[i].type, zeros, frames[i].length);
        feed(&fixture, &bytes);
        assert_true(fixture.link.broken);
        tear_down(&fixture);
    }
}

/* ---- headers and statuses */

static void check_header_refused(const unsigned char *header)
{
    struct fixture fixture;

    set_up(&fixture);
    advance(&fixture, LINK_RUNNING);
    supervisor_link_feed(&fixture.link, (const char *)header, FRAME_HEADER, &handler, &fixture);
    assert_true(fixture.link.broken);
    assert_int_equal(fixture.link.pending.length, 0);
    tear_down(&fixture);
}

/* A length is refused before any memory is taken for it. */
CASE(supervisor_link__headers)
{
    check_header_refused((unsigned char[]){0, 0, 2, 0, FRAME_STDOUT, 0, 0, 0});
    check_header_refused((unsigned char[]){255, 255, 255, 255, FRAME_STDOUT, 0, 0, 0});
    check_header_refused((unsigned char[]){1, 0, 0, 0, FRAME_STDOUT, 1, 0, 0});
    check_header_refused((unsigned char[]){1, 0, 0, 0, FRAME_STDOUT, 0, 1, 0});
    check_header_refused((unsigned char[]){1, 0, 0, 0, FRAME_STDOUT, 0, 0, 1});
}

CASE_WITH(supervisor_link__longest_frame, set_up(fixture))
{
    CLEANUP_FREE char *content = calloc(1, FRAME_PAYLOAD_MAX);
    struct strbuf bytes = STRBUF_INIT;

    advance(fixture, LINK_RUNNING);
    add_frame(&bytes, FRAME_STDOUT, content, FRAME_PAYLOAD_MAX);
    feed_in_pieces(fixture, &bytes, 1000);
    assert_false(fixture->link.broken);
    assert_int_equal(fixture->out[0].length, FRAME_PAYLOAD_MAX);
}

static void check_hello_refused(const char *magic, uint32_t version, size_t length)
{
    struct strbuf bytes = STRBUF_INIT;
    struct fixture fixture;

    set_up(&fixture);
    add_hello(&bytes, magic, version, length);
    feed(&fixture, &bytes);
    assert_true(fixture.link.broken);
    assert_int_equal(fixture.link.state, LINK_STARTING);
    assert_int_equal(fixture.link.is_other_version, version != FRAME_VERSION);
    tear_down(&fixture);
}

CASE(supervisor_link__hello_names_gvisor)
{
    static const struct frame_hello hello = {FRAME_HELLO_MAGIC, FRAME_VERSION, 1};
    static char payload[FRAME_HELLO_SIZE];
    struct strbuf bytes = STRBUF_INIT;
    struct fixture fixture;

    set_up(&fixture);
    add_good_hello(&bytes);
    feed(&fixture, &bytes);
    assert_false(fixture.link.is_gvisor);
    tear_down(&fixture);

    set_up(&fixture);
    memcpy(payload, &hello, sizeof hello);
    add_frame(&bytes, FRAME_HELLO, payload, sizeof payload);
    feed(&fixture, &bytes);
    assert_true(fixture.link.is_gvisor);
    tear_down(&fixture);
}

CASE(supervisor_link__hello_of_another)
{
    check_hello_refused("isolator superviso", FRAME_VERSION, FRAME_HELLO_SIZE);
    check_hello_refused("isolator supervisor!", FRAME_VERSION, FRAME_HELLO_SIZE);
    check_hello_refused(FRAME_HELLO_MAGIC, FRAME_VERSION + 1, FRAME_HELLO_SIZE);
    check_hello_refused(FRAME_HELLO_MAGIC, 0, FRAME_HELLO_SIZE);
    check_hello_refused(FRAME_HELLO_MAGIC, FRAME_VERSION, FRAME_HELLO_SIZE - 1);
    check_hello_refused(FRAME_HELLO_MAGIC, FRAME_VERSION, FRAME_HELLO_SIZE + 1);
}

/* The log of a job may have been written by an earlier version, but not by any. */
CASE(supervisor_link__hello_of_an_earlier_version)
{
    for (uint32_t version = FRAME_LOG_VERSION - 1; version <= FRAME_VERSION + 1; version++) {
        const bool good = version >= FRAME_LOG_VERSION && version <= FRAME_VERSION;
        struct strbuf bytes = STRBUF_INIT;
        struct fixture fixture;

        set_up(&fixture);
        fixture.link.is_script = true;
        add_hello(&bytes, FRAME_HELLO_MAGIC, version, FRAME_HELLO_SIZE);
        feed(&fixture, &bytes);
        assert_int_equal(fixture.link.broken, !good);
        tear_down(&fixture);
    }
    check_hello_refused(FRAME_HELLO_MAGIC, FRAME_VERSION - 1, FRAME_HELLO_SIZE);
}

/* Statuses and signals that no process has. */
CASE(supervisor_link__impossible_ends)
{
    const struct frame_end status = {.status = 256}, signal = {.signal = 128};

    check_refused(LINK_RUNNING, FRAME_END, &status, sizeof status);
    check_refused(LINK_RUNNING, FRAME_END, &signal, sizeof signal);
}

/* Figures that are too large are not believed, so that they can be added. */
CASE_WITH(supervisor_link__impossible_figures, set_up(fixture))
{
    const uint64_t max = UINT64_C(1) << 48;
    const struct frame_end end = {.wall_us = max + 1,
                                  .cpu_us = UINT64_MAX / 2,
                                  .peak_bytes = max,
                                  .used_bytes = UINT64_MAX - 1};
    CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;

    fixture->link.state = LINK_RUNNING;
    add_frame(&bytes, FRAME_END, &end, sizeof end);
    feed(fixture, &bytes);
    assert_true(fixture->link.has_end);
    assert_true(fixture->link.end.wall_us == FRAME_UNKNOWN);
    assert_true(fixture->link.end.cpu_us == FRAME_UNKNOWN);
    assert_true(fixture->link.end.peak_bytes == max);
    assert_true(fixture->link.end.used_bytes == FRAME_UNKNOWN);
}

/* More stdin than the supervisor has room for must never be asked for. */
CASE(supervisor_link__credit_beyond_the_window)
{
    const struct frame_credit one = {FRAME_STDIN, 1}, other = {FRAME_STDOUT, 1};
    const struct frame_credit most = {FRAME_STDIN, UINT32_MAX};

    check_refused(LINK_RUNNING, FRAME_CREDIT, &one, sizeof one); /* nothing was sent */
    check_refused(LINK_RUNNING, FRAME_CREDIT, &most, sizeof most);
    check_refused(LINK_RUNNING, FRAME_CREDIT, &other, sizeof other);
}

/* ---- network by permission */

/* Requests a program; one with connections has a relay. */
static void request_relay(struct fixture *fixture, int connections, const struct strvec *proxies)
{
    const struct program_request program = {.spec.command = &fixture->plan.command,
                                            .spec.environment = &fixture->plan.environment,
                                            .spec.without_proxies = true,
                                            .spec.proxies = proxies,
                                            .spec.connections = connections,
                                            .spec.limits = &fixture->plan.policy.limits,
                                            .archive = -1,
                                            .spec.input = -1};

    supervisor_link_request(&fixture->link, &program);
}

/* A variable that the request sets is the last, and so the one that the program gets. */
CASE_WITH(supervisor_link__proxies_and_connections, set_up(fixture))
{
    CLEANUP(strvec_release) struct strvec proxies = STRVEC_INIT;
    CLEANUP(strbuf_release) struct strbuf expected = STRBUF_INIT;
    struct strbuf sent;

    strvec_push(&fixture->plan.command, "/true");
    strvec_push(&fixture->plan.environment, "http_proxy=own");
    strvec_push_each(&proxies, "http_proxy=http://127.0.0.1:3128", "no_proxy=localhost", NULL);
    request_relay(fixture, 256, &proxies);
    strbuf_addstr(&expected, "argument /true;");
    for (const char *const *name = container_proxy_variables; *name; name++)
        strbuf_addf(&expected, "environment %s;", *name);
    strbuf_addstr(&expected, "environment http_proxy=http://127.0.0.1:3128;"
                             "environment no_proxy=localhost;environment http_proxy=own;"
                             "run 12000 67108864 1500000 connections 256;stdin-end ;");
    sent = send_all(fixture);
    check_frames(&sent, strbuf_string(&expected));
}

/* How far a program with a relay is. */
enum relay_step { RELAY_REQUESTED, RELAY_ORDERED, RELAY_RUNS, RELAY_ENDED, RELAY_STEPS };

static void advance_relay(struct fixture *fixture, enum relay_step wanted, int connections)
{
    struct strbuf bytes = STRBUF_INIT;

    if (fixture->link.state == LINK_STARTING) {
        add_good_hello(&bytes);
        strvec_push(&fixture->plan.command, "x");
    }
    feed(fixture, &bytes);
    request_relay(fixture, connections, NULL);
    if (wanted >= RELAY_ORDERED) {
        bytes = send_all(fixture);
        strbuf_release(&bytes);
    }
    if (wanted >= RELAY_RUNS)
        add_frame(&bytes, FRAME_BEGUN, NULL, 0);
    if (wanted >= RELAY_ENDED)
        add_end(&bytes);
    feed(fixture, &bytes);
    assert_false(fixture->link.broken);
}

/* Sends as much as there is room for. Returns how much. */
static size_t send_network(struct fixture *fixture)
{
    static const char zeros[FRAME_CHUNK];
    struct strbuf queue = STRBUF_INIT, payload = STRBUF_INIT;
    size_t room, all = 0;

    while ((room = supervisor_link_network_room(&fixture->link)) > 0) {
        assert_in_range(room, 1, FRAME_CHUNK);
        supervisor_link_send_network(&fixture->link, zeros, room, &queue);
        assert_int_equal(next_frame(&queue, &payload), FRAME_NETWORK);
        assert_int_equal(payload.length, room);
        assert_int_equal(queue.length, 0);
        all += room;
        assert_in_range(all, 1, FRAME_STDIN_WINDOW);
    }
    strbuf_release(&queue);
    strbuf_release(&payload);
    return all;
}

static void grant_network(struct fixture *fixture, uint32_t count)
{
    struct strbuf bytes = STRBUF_INIT;

    add_credit(&bytes, FRAME_NETWORK, count);
    feed(fixture, &bytes);
    assert_false(fixture->link.broken);
}

CASE_WITH(supervisor_link__network_needs_credit, set_up(fixture))
{
    struct strbuf bytes = STRBUF_INIT;

    assert_int_equal(send_network(fixture), 0);
    advance_relay(fixture, RELAY_REQUESTED, 1);
    assert_int_equal(send_network(fixture), 0);
    bytes = send_all(fixture);
    strbuf_release(&bytes);
    assert_int_equal(send_network(fixture), 65536); /* before BEGUN, too */
    grant_network(fixture, 1);
    assert_int_equal(send_network(fixture), 1);
    add_frame(&bytes, FRAME_BEGUN, NULL, 0);
    feed(fixture, &bytes);
    assert_int_equal(send_network(fixture), 0);
    grant_network(fixture, 40000);
    grant_network(fixture, 25536);
    assert_int_equal(send_network(fixture), 65536);
    grant_network(fixture, 100);
    add_end(&bytes);
    feed(fixture, &bytes);
    assert_int_equal(send_network(fixture), 0);

    advance_relay(fixture, RELAY_RUNS, 1); /* another request */
    assert_int_equal(send_network(fixture), 65536);
}

CASE(supervisor_link__no_room_without_a_relay)
{
    struct strbuf bytes = STRBUF_INIT;
    struct fixture fixture;

    set_up(&fixture);
    advance_relay(&fixture, RELAY_ENDED, 1);
    advance_relay(&fixture, RELAY_RUNS, 0); /* the next request has none */
    assert_int_equal(send_network(&fixture), 0);
    tear_down(&fixture);

    set_up(&fixture);
    advance_relay(&fixture, RELAY_ENDED, 1);
    supervisor_link_keep(&fixture.link, -1, &(struct frame_keep){5000, 60000}, NULL);
    bytes = send_all(&fixture);
    strbuf_release(&bytes);
    assert_int_equal(send_network(&fixture), 0);
    add_text(&bytes, FRAME_NETWORK, "x");
    feed(&fixture, &bytes);
    assert_true(fixture.link.broken);
    tear_down(&fixture);

    set_up(&fixture);
    advance_relay(&fixture, RELAY_RUNS, 1);
    add_text(&bytes, FRAME_STDOUT, "");
    feed(&fixture, &bytes);
    assert_true(fixture.link.broken);
    assert_int_equal(send_network(&fixture), 0);
    tear_down(&fixture);
}

CASE_WITH(supervisor_link__network_arrives, set_up(fixture))
{
    struct strbuf bytes = STRBUF_INIT;

    advance_relay(fixture, RELAY_ORDERED, 1);
    add_text(&bytes, FRAME_NETWORK, "one ");
    add_frame(&bytes, FRAME_BEGUN, NULL, 0);
    add_text(&bytes, FRAME_NETWORK, "two");
    add_text(&bytes, FRAME_STDOUT, "out");
    feed(fixture, &bytes);
    assert_false(fixture->link.broken);
    assert_string_equal(strbuf_string(&fixture->network), "one two");
    assert_string_equal(strbuf_string(&fixture->out[0]), "out");
    supervisor_link_grant(&fixture->link, CHANNEL_NETWORK, 7, &bytes);
    assert_int_equal(FRAME_NETWORK, frame_channel_type(CHANNEL_NETWORK));
    assert_int_equal(bytes.length, FRAME_HEADER + 8);
    assert_memory_equal(bytes.data + FRAME_HEADER, &((struct frame_credit){FRAME_NETWORK, 7}), 8);
    strbuf_release(&bytes);
}

/* Whether a frame at this step is taken; it breaks the link otherwise. */
static void check_relay_frame(enum relay_step step, int connections, int type, const void *payload,
                              size_t length, bool good)
{
    struct strbuf bytes = STRBUF_INIT;
    struct fixture fixture;

    set_up(&fixture);
    advance_relay(&fixture, step, connections);
    add_frame(&bytes, type, payload, length);
    feed(&fixture, &bytes);
    if (fixture.link.broken == good)
        fail_msg("step %d, %d connections: a frame of type %d and %zu bytes: broken: %d", (int)step,
                 connections, type, length, fixture.link.broken);
    assert_int_equal(fixture.network.length, good && type == FRAME_NETWORK ? length : 0);
    tear_down(&fixture);
}

CASE(supervisor_link__frames_of_a_relay_alone)
{
    const struct frame_credit none = {FRAME_NETWORK, 0};

    for (int step = RELAY_REQUESTED; step < RELAY_STEPS; step++) {
        const bool good = step == RELAY_ORDERED || step == RELAY_RUNS;

        check_relay_frame((enum relay_step)step, 1, FRAME_NETWORK, "x", 1, good);
        check_relay_frame((enum relay_step)step, 1, FRAME_CREDIT, &none, sizeof none, good);
        check_relay_frame((enum relay_step)step, 1, FRAME_NETWORK, "", 0, false);
        check_relay_frame((enum relay_step)step, 0, FRAME_NETWORK, "x", 1, false);
        check_relay_frame((enum relay_step)step, 0, FRAME_CREDIT, &none, sizeof none, false);
    }
    check_refused(LINK_STARTING, FRAME_NETWORK, "x", 1);
    check_refused(LINK_READY, FRAME_NETWORK, "x", 1);
}

/* The order to start a relay may be sent before HELLO; the relay is not there then. */
CASE(supervisor_link__no_frame_of_a_relay_before_hello)
{
    const struct frame_credit none = {FRAME_NETWORK, 0};

    for (int type = 0; type < 2; type++) {
        struct strbuf bytes = STRBUF_INIT;
        struct fixture fixture;

        set_up(&fixture);
        strvec_push(&fixture.plan.command, "x");
        request_relay(&fixture, 1, NULL);
        bytes = send_all(&fixture);
        strbuf_release(&bytes);
        assert_int_equal(send_network(&fixture), 65536);
        if (type == 0)
            add_frame(&bytes, FRAME_NETWORK, "x", 1);
        else
            add_frame(&bytes, FRAME_CREDIT, &none, sizeof none);
        feed(&fixture, &bytes);
        assert_true(fixture.link.broken);
        assert_int_equal(fixture.network.length, 0);
        assert_int_equal(send_network(&fixture), 0);
        tear_down(&fixture);
    }
}

CASE(supervisor_link__network_credit_beyond_the_window)
{
    const struct frame_credit one = {FRAME_NETWORK, 1}, most = {FRAME_NETWORK, UINT32_MAX};
    const struct frame_credit more = {FRAME_NETWORK, 501};
    static const char zeros[500];
    struct strbuf bytes = STRBUF_INIT;
    struct fixture fixture;

    check_relay_frame(RELAY_RUNS, 1, FRAME_CREDIT, &one, sizeof one, false);
    check_relay_frame(RELAY_RUNS, 1, FRAME_CREDIT, &most, sizeof most, false);
    set_up(&fixture);
    advance_relay(&fixture, RELAY_RUNS, 1);
    supervisor_link_send_network(&fixture.link, zeros, sizeof zeros, &bytes);
    strbuf_release(&bytes);
    add_frame(&bytes, FRAME_CREDIT, &more, sizeof more);
    feed(&fixture, &bytes);
    assert_true(fixture.link.broken);
    tear_down(&fixture);
}

/* ---- scripts */

/* A link of a script whose program runs, or is in another state. */
static void set_up_script(struct fixture *fixture, enum supervisor_link_state state)
{
    set_up(fixture);
    fixture->link.is_script = true;
    advance(fixture, state);
}

/* Feeds a frame to a link of a script; whether it takes it. */
static bool script_takes(enum supervisor_link_state state, int type, const void *payload,
                         size_t length)
{
    struct strbuf bytes = STRBUF_INIT;
    struct fixture fixture;
    bool taken;

    set_up_script(&fixture, state);
    add_frame(&bytes, type, payload, length);
    feed(&fixture, &bytes);
    taken = !fixture.link.broken;
    assert_int_equal(fixture.omitted.length > 0, taken && type == FRAME_OMITTED);
    tear_down(&fixture);
    return taken;
}

CASE_WITH(supervisor_link__omitted, set_up_script(fixture, LINK_RUNNING))
{
    const struct frame_omitted out = {.bytes = 1, .stream = FRAME_STDOUT};
    const struct frame_omitted err = {.bytes = UINT64_C(1) << 50, .stream = FRAME_STDERR};
    struct strbuf bytes = STRBUF_INIT;

    add_text(&bytes, FRAME_STDOUT, "head");
    add_frame(&bytes, FRAME_OMITTED, &out, sizeof out);
    add_frame(&bytes, FRAME_OMITTED, &err, sizeof err);
    add_text(&bytes, FRAME_STDOUT, "tail");
    feed_in_pieces(fixture, &bytes, 5);
    assert_false(fixture->link.broken);
    assert_string_equal(strbuf_string(&fixture->out[0]), "headtail");
    assert_string_equal(strbuf_string(&fixture->omitted), "0 1;1 1125899906842624;");
}

/* More bytes than a program can have written, bytes of no stream, and other forms and states. */
CASE(supervisor_link__omitted_that_cannot_be)
{
    const struct frame_omitted good = {.bytes = 1, .stream = FRAME_STDOUT};
    const struct frame_omitted many = {.bytes = (UINT64_C(1) << 50) + 1, .stream = FRAME_STDOUT};
    static const uint32_t streams[] = {0, FRAME_STDIN, FRAME_FILES, FRAME_REPORT, UINT32_MAX};

    assert_true(script_takes(LINK_RUNNING, FRAME_OMITTED, &good, sizeof good));
    assert_false(script_takes(LINK_RUNNING, FRAME_OMITTED, &many, sizeof many));
    for (size_t i = 0; i < COUNT(streams); i++) {
        const struct frame_omitted other = {.bytes = 1, .stream = streams[i]};

        assert_false(script_takes(LINK_RUNNING, FRAME_OMITTED, &other, sizeof other));
    }
    assert_false(script_takes(LINK_RUNNING, FRAME_OMITTED, &good, sizeof good - 1));
    assert_false(script_takes(LINK_STARTING, FRAME_OMITTED, &good, sizeof good));
    assert_false(script_takes(LINK_READY, FRAME_OMITTED, &good, sizeof good));
    assert_false(script_takes(LINK_ENDED, FRAME_OMITTED, &good, sizeof good));
    assert_false(script_takes(LINK_COLLECTED, FRAME_OMITTED, &good, sizeof good));
}

/* It comes in any state, and changes none. */
CASE(supervisor_link__detached)
{
    struct strbuf bytes = STRBUF_INIT;
    struct fixture fixture;

    set_up_script(&fixture, LINK_READY);
    assert_false(fixture.link.detached);
    add_frame(&bytes, FRAME_DETACHED, NULL, 0);
    feed(&fixture, &bytes);
    assert_true(fixture.link.detached);
    assert_false(fixture.link.broken);
    assert_int_equal(fixture.link.state, LINK_READY);
    tear_down(&fixture);
    assert_true(script_takes(LINK_ENDED, FRAME_DETACHED, NULL, 0));
    assert_false(script_takes(LINK_READY, FRAME_DETACHED, "x", 1));
}

/* A supervisor that isolator is connected to has no script. */
CASE(supervisor_link__frames_of_a_script_alone)
{
    const struct frame_omitted omitted = {.bytes = 1, .stream = FRAME_STDOUT};

    for (int at = LINK_STARTING; at <= LINK_COLLECTED; at++) {
        check_refused((enum supervisor_link_state)at, FRAME_OMITTED, &omitted, sizeof omitted);
        check_refused((enum supervisor_link_state)at, FRAME_DETACHED, NULL, 0);
    }
    assert_false(script_takes(LINK_READY, FRAME_DETACH, "x", 1)); /* of the other side */
}

/* The order of KEEP is not known when the log is read, so any size that can be is taken. */
static void check_kept_in_a_script(uint64_t size, bool good)
{
    struct strbuf bytes = STRBUF_INIT;
    struct fixture fixture;

    set_up_script(&fixture, LINK_READY);
    supervisor_link_keep(&fixture.link, -1, &KEEP, NULL);
    supervisor_link_assume_sent(&fixture.link);
    add_kept(&bytes, size);
    feed(&fixture, &bytes);
    assert_int_equal(!fixture.link.broken, good);
    assert_true(fixture.link.kept_bytes == (good ? size : 0));
    tear_down(&fixture);
}

CASE(supervisor_link__kept_in_a_script)
{
    check_kept_in_a_script(5001, true);
    check_kept_in_a_script(UINT64_C(1) << 48, true);
    check_kept_in_a_script((UINT64_C(1) << 48) + 1, false);
}

/* What was sent as part of a script is not sent again, and its answers are taken. */
CASE_WITH(supervisor_link__assumed_to_be_sent, set_up_script(fixture, LINK_READY))
{
    CLEANUP_FD int file = linux_unnamed_file_of("in", 2);
    struct strbuf bytes = STRBUF_INIT;

    fixture->plan.input.stdin_file = file;
    request(fixture, file);
    supervisor_link_assume_sent(&fixture->link);
    bytes = send_all(fixture);
    assert_int_equal(bytes.length, 0);
    strbuf_release(&bytes);
    add_frame(&bytes, FRAME_BEGUN, NULL, 0);
    add_end(&bytes);
    feed(fixture, &bytes);
    assert_false(fixture->link.broken);
    assert_int_equal(fixture->link.end.status, 3);
    fixture->plan.input.stdin_file = -1;
}

/* The RUN of this program. */
static struct frame_run run_of(const struct program_request *program, bool is_script)
{
    struct supervisor_link link;
    struct frame_run run;

    supervisor_link_init(&link);
    link.is_script = is_script;
    supervisor_link_request(&link, program);
    assert_int_equal(link.last.length, FRAME_HEADER + sizeof run);
    memcpy(&run, link.last.data + FRAME_HEADER, sizeof run);
    supervisor_link_release(&link);
    return run;
}

/* In a script the supervisor alone keeps the timeout, cuts the output, and ends after a failure. */
CASE(supervisor_link__run_of_a_script)
{
    struct fixture fixture;
    struct program_request program = {.spec.command = &fixture.plan.command,
                                      .spec.environment = &fixture.plan.environment,
                                      .spec.limits = &fixture.plan.policy.limits,
                                      .archive = -1,
                                      .spec.input = -1,
                                      .spec.must_succeed = true,
                                      .spec.output_kept = 1001,
                                      .spec.output_compared = 10};
    struct frame_run run;

    set_up(&fixture);
    fixture.plan.policy.limits.number[LIMIT_MEMORY] = 256;
    run = run_of(&program, false);
    assert_int_equal(run.timer_ms, 12000);
    assert_int_equal(run.late_ms, 9000);
    assert_int_equal(run.flags, 4096);
    assert_int_equal(run.head_max + run.tail_max, 0);
    assert_int_equal(run.stack_max, 268435456);
    program.spec.traits.stack_mb = 100;
    assert_int_equal(run_of(&program, false).stack_max, 104857600);
    program.spec.traits.stack_mb = 257; /* no more than the memory */
    assert_int_equal(run_of(&program, false).stack_max, 268435456);
    run = run_of(&program, true);
    assert_int_equal(run.stack_max, 268435456);
    assert_int_equal(run.timer_ms, 307000);
    assert_int_equal(run.late_ms, 7000);
    assert_int_equal(run.flags, 16 | 4096);
    assert_int_equal(run.head_max, 65556); /* twice what is expected, and 64 KiB */
    assert_int_equal(run.tail_max, 501);
    program.spec.output_kept = 200001;
    assert_int_equal(run_of(&program, true).head_max, 100000);
    program.spec.output_kept = 1001;
    program.spec.output_compared = 0;
    assert_int_equal(run_of(&program, true).head_max, 500);
    tear_down(&fixture);
}
