#include <errno.h>
#include <string.h>

#include "supervisor/supervisor_state.h"

/*
 * The script of a job: its frames are all there from the beginning. So each is looked at first, and
 * taken once the state lets it (may_take()). What it waits for is seen by the loop: the end of a
 * program, or room in a pipe. DETACH alone is looked at again after a pause.
 */

/* Whether something goes on that most frames of a script wait for. */
static bool is_busy(const struct supervisor *supervisor)
{
    return supervisor_runs(supervisor) || supervisor->state == STATE_ENDING ||
           supervisor->state == STATE_COLLECTING;
}

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
        frame->length != sizeof order)
        return -1;
    memcpy(&order, frame->payload, sizeof order);
    state = detach_check(&supervisor->detach, &order, &supervisor->figures,
                         keep_bytes(&supervisor->keep));
    if (state == DETACH_WAITS)
        return 0;
    requests_begin_step(supervisor, true);
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
    requests_stop(supervisor);
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
        taken = requests_take_frame(supervisor, &frame) ? 1 : -1;
    if (taken > 0)
        frame_link_next(link, &frame);
    starting_load(supervisor); /* the next one may have to wait for the end of what this begins */
    return taken;
}

/* Handles no more than what is read at a time, so that the loop goes on. */
void scripts_take(struct supervisor *supervisor)
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

void scripts_watch(struct supervisor *supervisor, struct loop *loop)
{
    const struct frame_link *link = &supervisor->connection.link;
    struct frame frame;
    int found;

    found = frame_link_peek(link, &frame);
    if (supervisor->detach.deadline_us > 0)
        loop_limit(loop, DETACH_WAIT_MS);
    else if (has_failed(supervisor) || is_done(supervisor) || (found == 0 && !link->in_ended) ||
             (found > 0 && may_take(supervisor, &frame)))
        loop_limit(loop, 0);
}
