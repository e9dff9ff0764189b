#include <errno.h>
#include <string.h>

#include "supervisor/collect.h"
#include "supervisor/supervisor_state.h"

void requests_fail(struct supervisor *supervisor, enum frame_step step, int error)
{
    supervisor_send_failed(supervisor, step, error, supervisor->program.arguments.items[0]);
}

static void send_not_started(struct supervisor *supervisor, const struct program_failure *failure)
{
    cell_forget(supervisor);
    requests_fail(supervisor, failure->executing ? FRAME_STEP_EXEC : FRAME_STEP_START,
                  failure->error);
}

/* Whether all files that were sent are there; FAILED is sent if not. */
static bool end_files(struct supervisor *supervisor)
{
    if (!unpack_good(&supervisor->unpack)) {
        supervisor_send_failed(supervisor, FRAME_STEP_UNPACK, supervisor->unpack.failure,
                               supervisor->unpack.failed);
        return false;
    }
    unpack_release(&supervisor->unpack);
    unpack_init(&supervisor->unpack);
    return true;
}

void requests_begin(struct supervisor *supervisor)
{
    supervisor->run = supervisor->order;
    supervisor->before =
        supervisor->left_processes ? supervisor->ended : cpu_limit_usage(supervisor);
    memory_use_begin(supervisor);
    supervisor_set_timer(supervisor, supervisor->run.timer_ms);
    supervisor_set_late(supervisor, supervisor->run.late_ms);
    supervisor_send(supervisor, FRAME_BEGUN, NULL, 0, NULL);
    if (!frame_link_write(&supervisor->link))
        supervisor_leave(supervisor, 0);
}

bool requests_start_program(struct supervisor *supervisor)
{
    struct program_failure failure;

    if (!program_start(&supervisor->program, &supervisor->figures, &failure)) {
        send_not_started(supervisor, &failure);
        return false;
    }
    supervisor->state = STATE_STARTING;
    cpu_limit_check(supervisor);
    return true;
}

static void run_request(struct supervisor *supervisor, const struct frame_run *frame)
{
    if (keep_send_failure(supervisor) || !end_files(supervisor))
        return;
    if (frame->cpu_max_us > 0 && figures_cpu_us(&supervisor->figures) == FRAME_UNKNOWN) {
        supervisor_send_failed(supervisor, FRAME_STEP_CPU, ENOTSUP, NULL);
        return;
    }
    supervisor->order = *frame;
    supervisor->program.watch = supervisor->watch;
    supervisor->program.netlink = (frame->flags & FRAME_RUN_NETLINK) != 0;
    if ((frame->flags & FRAME_RUN_CELL) != 0) {
        supervisor_set_timer(supervisor, frame->timer_ms);
        cell_load(supervisor);
        return;
    }
    requests_begin(supervisor);
    requests_start_program(supervisor);
}

void requests_take_report(struct supervisor *supervisor)
{
    struct program_failure failure;

    if (supervisor->state != STATE_STARTING)
        return;
    switch (program_take_report(&supervisor->program, &failure)) {
    case PROGRAM_STARTING:
        break;
    case PROGRAM_STARTED:
        supervisor->state = STATE_RUNNING;
        if (!supervisor->left_processes)
            supervisor->before.cpu_us = supervisor->program.start_cpu_us;
        break;
    case PROGRAM_FAILED:
        send_not_started(supervisor, &failure);
        break;
    }
}

static void take_report(void *context, int number)
{
    (void)number;
    requests_take_report(context);
}

void requests_watch(struct supervisor *supervisor, struct loop *loop)
{
    if (supervisor->state == STATE_STARTING)
        loop_add(loop, supervisor->program.report, POLLIN, take_report, supervisor, 0);
}

static bool send_files(void *context, const void *data, size_t length)
{
    struct supervisor *supervisor = context;
    const char *bytes = data;

    while (length > 0) {
        const size_t most = frame_link_may_send(&supervisor->link, CHANNEL_FILES);
        const size_t part = length < most ? length : most;

        if (part == 0) {
            supervisor_serve(supervisor);
            continue;
        }
        memcpy(frame_link_prepare(&supervisor->link), bytes, part);
        frame_link_commit(&supervisor->link, CHANNEL_FILES, part);
        bytes += part;
        length -= part;
    }
    return true;
}

static bool send_too_large(void *context, const char *path)
{
    struct supervisor *supervisor = context;

    while (!frame_link_prepare(&supervisor->link))
        supervisor_serve(supervisor);
    supervisor_send(supervisor, FRAME_TOO_LARGE, NULL, 0, path);
    return true;
}

static void collect_files(struct supervisor *supervisor, const struct frame_collect *frame)
{
    struct collect job = {.write = send_files,
                          .too_large = send_too_large,
                          .context = supervisor,
                          .file_max = frame->file_max,
                          .left = frame->max};

    supervisor->state = STATE_COLLECTING;
    collect_directory(&job, supervisor->workdir);
    supervisor->state = STATE_ENDED;
    supervisor_send(supervisor, FRAME_FILES_END, NULL, 0, NULL);
}

void requests_reset(struct supervisor *supervisor)
{
    supervisor_set_timer(supervisor, 0);
    if (!supervisor->cell.exists) {
        program_release(&supervisor->program);
        program_init(&supervisor->program);
        supervisor->reaped = false;
    }
    cell_reset(supervisor);
    unpack_release(&supervisor->unpack);
    unpack_init(&supervisor->unpack);
    supervisor->stdin_first = supervisor->stdin_filled = supervisor->stdin_taken = 0;
    supervisor->stdin_ended = false;
    supervisor->end = (struct frame_end){0};
    ending_take_spare();
    supervisor->state = STATE_WAITING;
}

/*
 * Copies a struct out of a frame that has to be exactly as long. False: it is not.
 */
static bool read_struct(const struct frame *frame, void *to, size_t size)
{
    if (frame->length != size)
        return false;
    memcpy(to, frame->payload, size);
    return true;
}

/* Handles a frame that comes between two programs. False: it cannot come now. */
static bool take_between(struct supervisor *supervisor, const struct frame *frame)
{
    struct frame_collect collect;
    struct frame_keep keep;
    struct frame_restore restore;

    if (supervisor->state != STATE_ENDED &&
        !(supervisor->state == STATE_WAITING && frame->type == FRAME_KEEP))
        return false;
    switch (frame->type) {
    case FRAME_COLLECT:
        if (!read_struct(frame, &collect, sizeof collect))
            return false;
        collect_files(supervisor, &collect);
        return true;
    case FRAME_RESET:
        requests_reset(supervisor);
        return true;
    case FRAME_KEEP:
        if (supervisor->cell.exists || !read_struct(frame, &keep, sizeof keep))
            return false;
        if (end_files(supervisor))
            keep_make(supervisor, &keep);
        return true;
    case FRAME_RESTORE:
        if (supervisor->copy < 0 || supervisor->cell.exists ||
            !read_struct(frame, &restore, sizeof restore))
            return false;
        keep_restore(supervisor, &restore);
        return true;
    default:
        return false;
    }
}

/* Whether there can be such a request now. An interpreter has its words and variables already. */
static bool can_run(const struct supervisor *supervisor, const struct frame_run *frame)
{
    const uint32_t known =
        FRAME_RUN_CELL | FRAME_RUN_KEEP_PROCESSES | FRAME_RUN_NETLINK | FRAME_RUN_SAMPLE_MEMORY;

    return supervisor->program.arguments.count > 0 && (frame->flags & ~known) == 0 &&
           (!supervisor->cell.exists || (frame->flags & FRAME_RUN_CELL) != 0);
}

/* Handles a frame that belongs to the request. False: it cannot come now. */
static bool take_request(struct supervisor *supervisor, const struct frame *frame)
{
    struct program *program = &supervisor->program;
    const bool stays = supervisor->cell.exists;
    struct frame_run order;

    if (supervisor->state != STATE_WAITING)
        return false;
    switch (frame->type) {
    case FRAME_ARGUMENT:
        return !stays && program_add_argument(program, frame->payload, frame->length);
    case FRAME_ENVIRONMENT:
        return !stays && program_set_variable(program, frame->payload, frame->length);
    case FRAME_FILES:
        unpack_feed(&supervisor->unpack, frame->payload, frame->length);
        return true;
    case FRAME_CODE:
        cell_take_code(supervisor, frame->payload, frame->length);
        return true;
    case FRAME_RUN:
        if (!read_struct(frame, &order, sizeof order) || !can_run(supervisor, &order))
            return false;
        run_request(supervisor, &order);
        return true;
    default:
        return false;
    }
}

/* Ends what runs. A cell that waits for its stdin does not begin. */
static void take_stop(struct supervisor *supervisor)
{
    if (supervisor->state == STATE_LOADING)
        requests_fail(supervisor, FRAME_STEP_START, ECANCELED);
    if (supervisor->state == STATE_ENDING && supervisor->end.cause == FRAME_CAUSE_ITSELF)
        supervisor->end.cause = FRAME_CAUSE_STOP;
    ending_begin(supervisor, FRAME_CAUSE_STOP);
}

/* Handles a frame. False if it is none that isolator sends now. */
static bool take_frame(struct supervisor *supervisor, const struct frame *frame)
{
    struct frame_credit credit;

    switch (frame->type) {
    case FRAME_STDIN:
        if (!streams_take_stdin(supervisor, frame->payload, frame->length))
            return false;
        if (supervisor->state == STATE_LOADING)
            cell_load(supervisor);
        return true;
    case FRAME_STDIN_END:
        supervisor->stdin_ended = true;
        if (supervisor->state == STATE_LOADING)
            cell_load(supervisor);
        return true;
    case FRAME_CREDIT:
        return read_struct(frame, &credit, sizeof credit) &&
               frame_link_grant(&supervisor->link, credit.stream, credit.bytes);
    case FRAME_STOP:
        take_stop(supervisor);
        return true;
    case FRAME_INTERRUPT:
        cell_interrupt(supervisor);
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

    while ((found = frame_link_next(&supervisor->link, &frame)) > 0)
        if (!take_frame(supervisor, &frame))
            supervisor_leave(supervisor, 1);
    if (found < 0)
        supervisor_leave(supervisor, 1);
}
