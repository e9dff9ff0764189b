#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/mux.h"
#include "supervisor/kernel.h"
#include "supervisor/supervisor_state.h"

/*
 * The frames from isolator: what each does, and in which state it may come. In each function that
 * takes one, false means that isolator does not send such a frame now.
 */

void requests_say_hello(struct supervisor *supervisor)
{
    static char payload[FRAME_HELLO_SIZE];
    const struct frame_hello hello = {FRAME_HELLO_MAGIC, FRAME_VERSION, kernel_is_gvisor()};

    memcpy(payload, &hello, sizeof hello);
    connection_send(&supervisor->connection, FRAME_HELLO, payload, sizeof payload, NULL);
}

void requests_reset(struct supervisor *supervisor)
{
    connection_set_timer(&supervisor->connection, 0);
    if (!supervisor->has_interpreter) {
        program_release(&supervisor->program);
        program_init(&supervisor->program);
    }
    driver_link_reset(&supervisor->driver);
    unpack_release(&supervisor->unpack);
    unpack_init(&supervisor->unpack);
    input_stream_reset(&supervisor->input);
    relay_reset(&supervisor->relay);
    peer_close(&supervisor->peer);
    supervisor->end = (struct frame_end){0};
    supervisor->collects = false;
    ending_take_spare();
    supervisor->state = STATE_WAITING;
}

/* Copies a struct out of a frame that has to be exactly as long. False: it is not. */
static bool read_struct(const struct frame *frame, void *to, size_t size)
{
    if (frame->length != size)
        return false;
    memcpy(to, frame->payload, size);
    return true;
}

void requests_begin_step(struct supervisor *supervisor, bool must_succeed)
{
    supervisor->must_succeed = must_succeed;
    supervisor->failed = false;
}

/* ---- between two programs */

static void keep(struct supervisor *supervisor, const struct frame_keep *frame)
{
    const bool ended = ready_is_alone(&supervisor->ready, &supervisor->figures);
    struct frame_kept kept;

    requests_begin_step(supervisor, true);
    if (!ended)
        ready_discard(&supervisor->ready, &supervisor->processes);
    if (ending_fail_keep(supervisor) || !starting_end_files(supervisor))
        return;
    if (!keep_make(&supervisor->keep, frame, ended, &kept.bytes)) {
        ending_fail_keep(supervisor);
        return;
    }
    connection_send(&supervisor->connection, FRAME_KEPT, &kept, sizeof kept, NULL);
    supervisor->state = STATE_ENDED;
}

/* A failure is reported after the next RUN. */
static void restore(struct supervisor *supervisor, const struct frame_restore *frame)
{
    const bool ended = ready_is_alone(&supervisor->ready, &supervisor->figures);
    bool empty;

    if (!ended)
        ready_discard(&supervisor->ready, &supervisor->processes);
    empty = keep_empty(&supervisor->keep, frame, ended);
    requests_reset(supervisor);
    if (!empty || frame->forgets != 0 || !keep_lay_out(&supervisor->keep, &supervisor->unpack))
        return;
    unpack_release(&supervisor->unpack);
    unpack_init(&supervisor->unpack);
}

static bool take_between(struct supervisor *supervisor, const struct frame *frame)
{
    const bool was_last = (supervisor->run.flags & FRAME_RUN_LAST) != 0;
    struct frame_keep kept;
    struct frame_restore restored;

    if (supervisor->state != STATE_ENDED &&
        !(supervisor->state == STATE_WAITING &&
          (frame->type == FRAME_COLLECT || frame->type == FRAME_KEEP ||
           frame->type == FRAME_RESTORE)))
        return false;
    if (was_last && frame->type != FRAME_COLLECT)
        return false;
    if (supervisor_has_workspace(supervisor) &&
        (frame->type == FRAME_KEEP || frame->type == FRAME_RESTORE))
        return false;
    switch (frame->type) {
    case FRAME_COLLECT:
        if (!read_struct(frame, &supervisor->collect, sizeof supervisor->collect))
            return false;
        supervisor->collects = supervisor->state == STATE_WAITING;
        if (!supervisor->collects)
            supervisor->state = STATE_COLLECTING;
        return true;
    case FRAME_RESET:
        requests_reset(supervisor);
        return true;
    case FRAME_KEEP:
        if (supervisor->has_interpreter || !read_struct(frame, &kept, sizeof kept))
            return false;
        keep(supervisor, &kept);
        return true;
    case FRAME_RESTORE:
        if (supervisor->has_interpreter || !read_struct(frame, &restored, sizeof restored) ||
            (supervisor->keep.copy < 0 && restored.forgets == 0))
            return false;
        restore(supervisor, &restored);
        return true;
    default:
        return false;
    }
}

/* ---- the next program */

/* Whether there can be such a request now. An interpreter has its words and variables already. */
static bool can_run(const struct supervisor *supervisor, const struct frame_run *frame)
{
    const bool script = supervisor_has_script(supervisor);
    const uint32_t known =
        FRAME_RUN_ALL & ~(uint32_t)(script ? FRAME_RUN_NOT_IN_SCRIPTS : FRAME_RUN_MUST_SUCCEED);
    const uint32_t stays = FRAME_RUN_CELL | FRAME_RUN_KEEP_PROCESSES;
    const uint32_t no_file = FRAME_RUN_CELL | FRAME_RUN_JOINED | FRAME_RUN_INTERACTOR;

    if ((frame->flags & FRAME_RUN_STDIN_FILE) != 0 && (frame->flags & no_file) != 0)
        return false;
    if ((frame->flags & (FRAME_RUN_VALUE | FRAME_RUN_LAST)) != 0 && (frame->flags & stays) != 0)
        return false;
    if (supervisor->collects && (frame->flags & FRAME_RUN_LAST) == 0)
        return false;
    if (script ? frame->connections > 0 || frame->tools > 0
               : frame->head_max > 0 || frame->tail_max > 0)
        return false;
    return supervisor->program.arguments.count > 0 && (frame->flags & ~known) == 0 &&
           frame->connections <= MUX_PROXY_MAX && frame->tools <= MUX_TOOLS_MAX &&
           (!supervisor->has_interpreter || (frame->flags & FRAME_RUN_CELL) != 0);
}

/* Once, before any program has run: what was left by one could change what is made ready. */
static bool make_ready(struct supervisor *supervisor, const struct frame *frame)
{
    struct frame_run order;
    char text[128];

    if (supervisor_has_script(supervisor) || supervisor_has_workspace(supervisor) ||
        supervisor->run.timer_ms > 0 || supervisor->ready.program.pid > 0 ||
        supervisor->program.arguments.count == 0 || supervisor->program.directory ||
        frame->length < sizeof order || frame->length >= sizeof order + sizeof text)
        return false;
    memcpy(&order, frame->payload, sizeof order);
    memcpy(text, frame->payload + sizeof order, frame->length - sizeof order);
    text[frame->length - sizeof order] = '\0';
    starting_make_ready(supervisor, &order, text);
    return true;
}

/* Handles STORE. */
static bool store(struct supervisor *supervisor, const struct frame *frame)
{
    if (supervisor_has_script(supervisor) || supervisor->collects || frame->length > 0)
        return false;
    if (ending_fail_keep(supervisor) || !starting_end_files(supervisor))
        return true;
    connection_send(&supervisor->connection, FRAME_STORED, NULL, 0, NULL);
    supervisor->state = STATE_ENDED;
    return true;
}

static bool take_request(struct supervisor *supervisor, const struct frame *frame)
{
    struct program *program = &supervisor->program;
    const bool stays = supervisor->has_interpreter;
    struct frame_run order;
    struct frame_seal keys;

    if (supervisor->state != STATE_WAITING)
        return false;
    switch (frame->type) {
    case FRAME_SEAL:
        return read_struct(frame, &keys, sizeof keys) &&
               frame_link_seal(&supervisor->connection.link, &keys);
    case FRAME_ARGUMENT:
        return !stays && program_add_argument(program, frame->payload, frame->length);
    case FRAME_ENVIRONMENT:
        return !stays && program_set_variable(program, frame->payload, frame->length);
    case FRAME_DIRECTORY:
        return !stays && program_set_directory(program, frame->payload, frame->length);
    case FRAME_FILES:
        unpack_feed(&supervisor->unpack, frame->payload, frame->length);
        return true;
    case FRAME_CODE:
        driver_link_add(&supervisor->driver, DRIVER_CODE, frame->payload, frame->length);
        return true;
    case FRAME_MAKE_READY:
        return make_ready(supervisor, frame);
    case FRAME_STORE:
        return store(supervisor, frame);
    case FRAME_RUN:
        if (!read_struct(frame, &order, sizeof order) || !can_run(supervisor, &order))
            return false;
        requests_begin_step(supervisor, (order.flags & FRAME_RUN_MUST_SUCCEED) != 0);
        starting_run(supervisor, &order);
        return true;
    default:
        return false;
    }
}

/* ---- at any time */

void requests_stop(struct supervisor *supervisor)
{
    if (supervisor->state == STATE_LOADING)
        starting_fail(supervisor, FRAME_STEP_START, ECANCELED);
    if (supervisor->state == STATE_ENDING && supervisor->end.cause == FRAME_CAUSE_ITSELF)
        supervisor->end.cause = FRAME_CAUSE_STOP;
    ending_begin(supervisor, FRAME_CAUSE_STOP);
}

/* Sends SIGINT to the interpreter, if a cell runs. */
static void interrupt(const struct supervisor *supervisor)
{
    const pid_t pid = supervisor->program.pid;

    if ((supervisor->run.flags & FRAME_RUN_CELL) == 0 || supervisor->program.reaped ||
        (supervisor->state != STATE_STARTING && supervisor->state != STATE_RUNNING))
        return;
    if (kill(-pid, SIGINT) != 0) /* it does not lead its group yet */
        kill(pid, SIGINT);
}

/* A program that has just ended has no use for it. */
static bool extend(struct supervisor *supervisor, const struct frame *frame)
{
    struct frame_extend order;

    if (supervisor_has_script(supervisor) || !read_struct(frame, &order, sizeof order))
        return false;
    if (supervisor->state == STATE_LOADING || supervisor_runs(supervisor))
        starting_extend(supervisor, order.ms);
    return true;
}

/* The first frame of a client of a workspace. */
static bool take_attach(struct supervisor *supervisor, const struct frame *frame)
{
    if (frame->type != FRAME_ATTACH || frame->length > 0)
        return false;
    workspace_attach(&supervisor->workspace);
    requests_say_hello(supervisor);
    return true;
}

bool requests_take_frame(struct supervisor *supervisor, const struct frame *frame)
{
    struct frame_credit credit;

    if (supervisor_has_workspace(supervisor) && !supervisor->workspace.attached)
        return take_attach(supervisor, frame);
    if (frame->type != FRAME_STDIN && frame->type != FRAME_STDIN_END)
        starting_load(supervisor); /* what has arrived of its stdin was taken */
    switch (frame->type) {
    case FRAME_STDIN:
        if (supervisor_has_script(supervisor) &&
            (supervisor->state == STATE_ENDED || supervisor->input.closed))
            return true; /* no one takes it any more */
        return input_stream_add(&supervisor->input, frame->payload, frame->length);
    case FRAME_STDIN_END:
        supervisor->input.ended = true;
        return true;
    case FRAME_NETWORK:
        return relay_take(&supervisor->relay, frame->payload, frame->length);
    case FRAME_CREDIT:
        return !supervisor_has_script(supervisor) && read_struct(frame, &credit, sizeof credit) &&
               frame_link_grant(&supervisor->connection.link, credit.stream, credit.bytes);
    case FRAME_EXTEND:
        return extend(supervisor, frame);
    case FRAME_STOP:
        requests_stop(supervisor);
        return true;
    case FRAME_LET_GO:
        peer_let_go(&supervisor->peer);
        return !supervisor_has_script(supervisor);
    case FRAME_INTERRUPT:
        interrupt(supervisor);
        return true;
    case FRAME_COLLECT:
    case FRAME_RESET:
    case FRAME_KEEP:
    case FRAME_RESTORE:
        return take_between(supervisor, frame);
    default:
        return take_request(supervisor, frame);
    }
}

void requests_take(struct supervisor *supervisor)
{
    struct frame frame;
    int found;

    do
        found = frame_link_next(&supervisor->connection.link, &frame);
    while (found > 0 && requests_take_frame(supervisor, &frame));
    if (found != 0)
        connection_end(&supervisor->connection, 1);
}
