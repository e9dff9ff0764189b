#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/mux.h"
#include "supervisor/supervisor_state.h"

/*
 * The frames from isolator: what each does, and in which state it may come. In each function that
 * takes one, false means that isolator does not send such a frame now.
 *
 * The frames of a script are all there from the beginning. So each is looked at first, and taken
 * once the state lets it (may_take()). What it waits for is seen by the loop: the end of a program,
 * or room in a pipe. DETACH alone is looked at again after a pause.
 */

/* Forgets the request, after its end, for another one. */
static void reset(struct supervisor *supervisor)
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
    supervisor->end = (struct frame_end){0};
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

static bool is_script(const struct supervisor *supervisor)
{
    return supervisor->connection.link.is_script;
}

/* A frame is handled whose failure ends a script, or may be without consequence. */
static void begin_step(struct supervisor *supervisor, bool must_succeed)
{
    supervisor->must_succeed = must_succeed;
    supervisor->failed = false;
}

/* ---- between two programs */

static void keep(struct supervisor *supervisor, const struct frame_keep *frame)
{
    struct frame_kept kept;

    begin_step(supervisor, true);
    if (!starting_end_files(supervisor))
        return;
    if (!keep_make(&supervisor->keep, frame, &kept.bytes)) {
        ending_fail_keep(supervisor);
        return;
    }
    connection_send(&supervisor->connection, FRAME_KEPT, &kept, sizeof kept, NULL);
    supervisor->state = STATE_ENDED;
}

/* A failure is reported after the next RUN. */
static void restore(struct supervisor *supervisor, const struct frame_restore *frame)
{
    const bool empty = keep_empty(&supervisor->keep, frame);

    reset(supervisor);
    if (!empty || !keep_lay_out(&supervisor->keep, &supervisor->unpack))
        return;
    unpack_release(&supervisor->unpack);
    unpack_init(&supervisor->unpack);
}

static bool take_between(struct supervisor *supervisor, const struct frame *frame)
{
    struct frame_keep kept;
    struct frame_restore restored;

    if (supervisor->state != STATE_ENDED &&
        !(supervisor->state == STATE_WAITING && frame->type == FRAME_KEEP))
        return false;
    switch (frame->type) {
    case FRAME_COLLECT:
        if (!read_struct(frame, &supervisor->collect, sizeof supervisor->collect))
            return false;
        supervisor->state = STATE_COLLECTING;
        return true;
    case FRAME_RESET:
        reset(supervisor);
        return true;
    case FRAME_KEEP:
        if (supervisor->has_interpreter || !read_struct(frame, &kept, sizeof kept))
            return false;
        keep(supervisor, &kept);
        return true;
    case FRAME_RESTORE:
        if (supervisor->keep.copy < 0 || supervisor->has_interpreter ||
            !read_struct(frame, &restored, sizeof restored))
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
    const bool script = is_script(supervisor);
    const uint32_t known = FRAME_RUN_CELL | FRAME_RUN_KEEP_PROCESSES | FRAME_RUN_NETLINK |
                           FRAME_RUN_SAMPLE_MEMORY | (script ? FRAME_RUN_MUST_SUCCEED : 0);

    if (script ? frame->connections > 0 || frame->tools > 0
               : frame->head_max > 0 || frame->tail_max > 0)
        return false;
    return supervisor->program.arguments.count > 0 && (frame->flags & ~known) == 0 &&
           frame->connections <= MUX_PROXY_MAX && frame->tools <= MUX_TOOLS_MAX &&
           (!supervisor->has_interpreter || (frame->flags & FRAME_RUN_CELL) != 0);
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
    case FRAME_FILES:
        unpack_feed(&supervisor->unpack, frame->payload, frame->length);
        return true;
    case FRAME_CODE:
        driver_link_add(&supervisor->driver, DRIVER_CODE, frame->payload, frame->length);
        return true;
    case FRAME_RUN:
        if (!read_struct(frame, &order, sizeof order) || !can_run(supervisor, &order))
            return false;
        begin_step(supervisor, (order.flags & FRAME_RUN_MUST_SUCCEED) != 0);
        starting_run(supervisor, &order);
        return true;
    default:
        return false;
    }
}

/* ---- at any time */

/* Ends what runs. What waits in STATE_LOADING does not begin. */
static void stop(struct supervisor *supervisor)
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

/* Whether something goes on that most frames of a script wait for. */
static bool is_busy(const struct supervisor *supervisor)
{
    return supervisor_runs(supervisor) || supervisor->state == STATE_ENDING ||
           supervisor->state == STATE_COLLECTING;
}

/* A program that has just ended has no use for it. */
static bool extend(struct supervisor *supervisor, const struct frame *frame)
{
    struct frame_extend order;

    if (is_script(supervisor) || !read_struct(frame, &order, sizeof order))
        return false;
    if (supervisor->state == STATE_LOADING || supervisor_runs(supervisor))
        starting_extend(supervisor, order.ms);
    return true;
}

static bool take_frame(struct supervisor *supervisor, const struct frame *frame)
{
    struct frame_credit credit;

    switch (frame->type) {
    case FRAME_STDIN:
        if (is_script(supervisor) && (supervisor->state == STATE_ENDED || supervisor->input.closed))
            return true; /* no one takes it any more */
        if (!input_stream_add(&supervisor->input, frame->payload, frame->length))
            return false;
        starting_load(supervisor);
        return true;
    case FRAME_STDIN_END:
        supervisor->input.ended = true;
        starting_load(supervisor);
        return true;
    case FRAME_NETWORK:
        return relay_take(&supervisor->relay, frame->payload, frame->length);
    case FRAME_CREDIT:
        return !is_script(supervisor) && read_struct(frame, &credit, sizeof credit) &&
               frame_link_grant(&supervisor->connection.link, credit.stream, credit.bytes);
    case FRAME_EXTEND:
        return extend(supervisor, frame);
    case FRAME_STOP:
        stop(supervisor);
        return true;
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

/* ---- scripts */

/* Whether a frame of a script is handled now, if only to find that it must not come. */
static bool may_take(const struct supervisor *supervisor, const struct frame *frame)
{
    const struct input_stream *input = &supervisor->input;

    if (!frame_link_has_space(&supervisor->connection.link)) /* for what it makes us send */
        return false;
    switch (frame->type) {
    case FRAME_STDIN:
        return !supervisor_runs(supervisor) || input->closed ||
               frame->length > FRAME_STDIN_WINDOW || input_stream_has_room(input, frame->length);
    case FRAME_COLLECT:
    case FRAME_RESET:
    case FRAME_KEEP:
    case FRAME_RESTORE:
    case FRAME_DETACH:
        return !is_busy(supervisor);
    default:
        return true;
    }
}

/* Handles DETACH. 0: it waits; -1: it must not come. */
static int take_detach(struct supervisor *supervisor, const struct frame *frame)
{
    struct frame_detach order;
    enum detach_state state;

    if ((supervisor->state != STATE_WAITING && supervisor->state != STATE_ENDED) ||
        !read_struct(frame, &order, sizeof order))
        return -1;
    state = detach_look(&supervisor->detach, &order, &supervisor->figures,
                        keep_bytes(&supervisor->keep));
    if (state == DETACH_WAITS)
        return 0;
    begin_step(supervisor, true);
    if (state == DETACH_DONE)
        connection_send(&supervisor->connection, FRAME_DETACHED, NULL, 0, NULL);
    else
        ending_report(supervisor, FRAME_STEP_LIMITS, state == DETACH_LATE ? ETIME : ENOTSUP, NULL);
    return 1;
}

/* Whether the script ends before its last frame. */
static bool has_failed(const struct supervisor *supervisor)
{
    return supervisor->must_succeed && supervisor->failed;
}

/* Whether everything has been handled. A frame that is cut off never is. */
static bool is_done(const struct supervisor *supervisor)
{
    const struct frame_link *link = &supervisor->connection.link;

    return link->in_ended && !frame_link_has_rest(link) && !is_busy(supervisor);
}

/* Ends what runs, and then the script. A request that has not begun fails. */
static void stop_script(struct supervisor *supervisor)
{
    struct frame frame;

    if (has_failed(supervisor) || supervisor->end.cause == FRAME_CAUSE_STOP)
        return;
    supervisor->must_succeed = true;
    stop(supervisor);
    if (!is_busy(supervisor) && !is_done(supervisor) &&
        !(frame_link_peek(&supervisor->connection.link, &frame) > 0 &&
          frame.type == FRAME_COLLECT)) /* what has ended keeps its files */
        ending_fail(supervisor, FRAME_STEP_START, ECANCELED, NULL);
}

/* Handles the next frame of a script. 1; 0: not now, or there is none; -1: it must not come. */
static int take_next(struct supervisor *supervisor)
{
    struct frame_link *link = &supervisor->connection.link;
    struct frame frame;
    int taken = frame_link_peek(link, &frame);

    if (taken <= 0)
        return taken;
    if (!may_take(supervisor, &frame))
        return 0;
    if (frame.type == FRAME_DETACH)
        taken = take_detach(supervisor, &frame);
    else
        taken = take_frame(supervisor, &frame) ? 1 : -1;
    if (taken > 0)
        frame_link_next(link, &frame);
    return taken;
}

/* Handles no more than what is read at a time, so that the loop goes on. */
static void take_script(struct supervisor *supervisor)
{
    struct connection *connection = &supervisor->connection;
    struct frame frame;
    int taken;

    if (supervisor->stop.exists)
        stop_script(supervisor);
    if (frame_link_peek(&connection->link, &frame) == 0 && !connection->link.in_ended &&
        !frame_link_read(&connection->link))
        connection_finish(connection, 1);
    do
        taken = has_failed(supervisor) ? 0 : take_next(supervisor);
    while (taken > 0);
    if (has_failed(supervisor))
        connection_finish(connection, 0);
    if (is_done(supervisor)) /* a cell may not wait for more */
        connection_finish(connection, supervisor->state == STATE_LOADING ? 1 : 0);
    if (taken < 0 || (connection->link.in_ended && frame_link_has_rest(&connection->link) &&
                      frame_link_peek(&connection->link, &frame) == 0))
        connection_finish(connection, 1);
}

void requests_watch(struct supervisor *supervisor, struct loop *loop)
{
    const struct frame_link *link = &supervisor->connection.link;
    struct frame frame;
    int found;

    if (!link->is_script)
        return;
    found = frame_link_peek(link, &frame);
    if (supervisor->detach.deadline_us > 0)
        loop_limit(loop, DETACH_WAIT_MS);
    else if (has_failed(supervisor) || is_done(supervisor) || (found == 0 && !link->in_ended) ||
             (found > 0 && may_take(supervisor, &frame)))
        loop_limit(loop, 0);
}

void requests_take(struct supervisor *supervisor)
{
    struct frame frame;
    int found;

    if (is_script(supervisor)) {
        take_script(supervisor);
        return;
    }
    while ((found = frame_link_next(&supervisor->connection.link, &frame)) > 0)
        if (!take_frame(supervisor, &frame))
            connection_leave(&supervisor->connection, 1);
    if (found < 0)
        connection_leave(&supervisor->connection, 1);
}
