/*
 * What isolator sends to the supervisor.
 */
#include "container/supervisor_link.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/linux.h"
#include "docker/container.h"
#include "supervisor/frame_header.h"

/*
 * How long after the timeout the supervisor kills the program, and how long after it the container
 * ends itself, if isolator has not ended it. A cell is interrupted first.
 */
enum { LATE_MS = 1000 + PROGRAM_INTERRUPT_MS, GRACE_MS = 5000 };

/*
 * In a script the supervisor alone keeps the timeout, and no one waits for the end of the
 * container, which may take long after calls that stay in the kernel.
 */
enum { SCRIPT_GRACE_MS = 300000 };

/* Bytes of stdout that a script keeps for a comparison, in addition to twice what is expected. */
enum { COMPARED_EXTRA = 65536 };

/*
 * How long a container whose program has ended waits for isolator to collect its files and to
 * dismiss it: longer than any budget, for a connection that is half open.
 */
enum { LINGER_MS = 600000 };

static void add_frame(struct strbuf *queue, enum frame_type type, const void *payload,
                      size_t length)
{
    unsigned char header[FRAME_HEADER];

    frame_header_write(header, type, length);
    strbuf_add(queue, header, sizeof header);
    strbuf_add(queue, payload, length);
}

static void add_text(struct strbuf *queue, enum frame_type type, const char *text)
{
    add_frame(queue, type, text, strlen(text));
}

/* Sends frames, which are sealed if they have to be. Everything for the supervisor passes here. */
static void send_bytes(struct supervisor_link *link, const char *bytes, size_t length,
                       struct strbuf *queue)
{
    char line[SEALED_LINE_MAX];

    if (!link->seals) {
        strbuf_add(queue, bytes, length);
        return;
    }
    if (!link->sent_keys)
        add_frame(queue, FRAME_SEAL, &link->keys, sizeof link->keys);
    link->sent_keys = true;
    while (length > 0) {
        const size_t part = length < SEALED_DATA_MAX ? length : SEALED_DATA_MAX;

        strbuf_add(queue, line, sealed_lines_write(&link->sealed, bytes, part, line));
        bytes += part;
        length -= part;
    }
}

static void send_frame(struct supervisor_link *link, enum frame_type type, const void *payload,
                       size_t length, struct strbuf *queue)
{
    CLEANUP(strbuf_release) struct strbuf frame = STRBUF_INIT;

    add_frame(&frame, type, payload, length);
    send_bytes(link, frame.data, frame.length, queue);
}

/* Begins a request, the first one or another one. */
static void begin_request(struct supervisor_link *link, int archive, int input, bool is_live)
{
    if (link->state > LINK_READY)
        link->state = LINK_READY;
    link->failure = (struct frame_failed){0};
    strbuf_release(&link->failed);
    link->has_end = link->keeps = link->collects = link->last_sent = link->input_ended = false;
    link->cell = NULL;
    link->cell_at = 0;
    link->archive = archive;
    link->input = input;
    link->input_is_live = is_live && input >= 0;
    link->input_error = 0;
    link->archive_at = link->input_at = 0;
    link->input_credit = link->network_credit = FRAME_STDIN_WINDOW;
    link->has_relay = false;
    link->looked = (struct frame_looked){0};
    link->requested = true;
}

static void add_environment(struct strbuf *queue, const struct program_request *request)
{
    if (request->without_proxies)
        for (const char *const *name = container_proxy_variables; *name; name++)
            add_text(queue, FRAME_ENVIRONMENT, *name);
    for (size_t i = 0; request->proxies && i < request->proxies->count; i++)
        add_text(queue, FRAME_ENVIRONMENT, request->proxies->items[i]);
    for (size_t i = 0; i < request->environment->count; i++)
        add_text(queue, FRAME_ENVIRONMENT, request->environment->items[i]);
}

/* What is left of a limit of the session, if that is less than the limit of the program. */
static uint64_t lower_limit(uint64_t limit, uint64_t left)
{
    return left > 0 && (limit == 0 || left < limit) ? left : limit;
}

double program_request_timeout(const struct program_request *request)
{
    const double timeout = request->limits->number[LIMIT_TIMEOUT];

    return request->seconds_left > 0 ? fmin(timeout, request->seconds_left) : timeout;
}

long long program_request_timeout_ms(const struct program_request *request)
{
    return (long long)ceil(program_request_timeout(request) * 1000);
}

uint64_t supervisor_link_cpu_max_us(const struct program_request *request)
{
    return lower_limit(limits_cpu_us(request->limits), request->cpu_left_us);
}

bool supervisor_link_limits_cpu(const struct program_request *request)
{
    return supervisor_link_cpu_max_us(request) != limits_cpu_us(request->limits);
}

size_t supervisor_link_head_max(const struct program_request *request)
{
    const size_t kept = request->output_kept / 2;
    const size_t compared =
        request->output_compared > 0 ? 2 * request->output_compared + COMPARED_EXTRA : 0;

    return compared > kept ? compared : kept;
}

size_t supervisor_link_tail_max(const struct program_request *request)
{
    return request->output_kept - request->output_kept / 2;
}

/* The memory limit ends a program that uses more, so the stack needs no lower one. */
static uint64_t stack_max(const struct program_request *request)
{
    const uint64_t memory = (uint64_t)limits_bytes(request->limits, LIMIT_MEMORY);

    return lower_limit(memory, (uint64_t)request->stack_mb << 20);
}

static uint32_t side_flags(enum program_side side)
{
    static const uint32_t flags[] = {[SIDE_RELAYED] = FRAME_RUN_AT_ONCE,
                                     [SIDE_JOINED] = FRAME_RUN_AT_ONCE | FRAME_RUN_JOINED,
                                     [SIDE_INTERACTOR] = FRAME_RUN_AT_ONCE | FRAME_RUN_INTERACTOR};

    return flags[side];
}

static struct frame_run run_frame(const struct supervisor_link *link,
                                  const struct program_request *request)
{
    const bool is_script = link->is_script;
    const uint64_t timeout_ms = (uint64_t)program_request_timeout_ms(request);

    return (struct frame_run){
        .timer_ms = timeout_ms + (is_script ? SCRIPT_GRACE_MS : GRACE_MS),
        .late_ms = timeout_ms + (is_script ? 0 : LATE_MS),
        .linger_ms = (uint64_t)(request->linger_ms > LINGER_MS ? request->linger_ms : LINGER_MS),
        .output_max =
            lower_limit(lower_limit(OUTPUT_HARD_MAX, request->output_max), request->output_left),
        .cpu_max_us = supervisor_link_cpu_max_us(request),
        .stack_max = stack_max(request),
        .flags = (request->cell ? FRAME_RUN_CELL : 0u) |
                 (request->keep_processes ? FRAME_RUN_KEEP_PROCESSES : 0u) |
                 (request->netlink ? FRAME_RUN_NETLINK : 0u) |
                 (request->samples_memory ? FRAME_RUN_SAMPLE_MEMORY : 0u) |
                 (request->value_max > 0 ? FRAME_RUN_VALUE : 0u) |
                 (request->must_succeed && is_script ? FRAME_RUN_MUST_SUCCEED : 0u) |
                 side_flags(request->side),
        .report_max = request->cell ? SUPERVISOR_REPORT_MAX : request->value_max,
        .head_max = is_script ? supervisor_link_head_max(request) : 0,
        .tail_max = is_script ? supervisor_link_tail_max(request) : 0,
        .connections = (uint32_t)request->connections,
        .tools = (uint32_t)request->tools,
        .look_ms = (uint64_t)request->look_ms};
}

void supervisor_link_request(struct supervisor_link *link, const struct program_request *request)
{
    const struct frame_restore restore = {(uint64_t)request->restore_ms};
    const struct frame_run run = run_frame(link, request);

    begin_request(link, request->archive, request->input, request->input_is_live);
    link->cell = request->cell;
    link->has_value = request->value_max > 0;
    link->keeps_processes = request->keep_processes;
    link->has_relay = request->connections > 0 || request->tools > 0;
    if (request->reset)
        add_frame(&link->head, FRAME_RESET, NULL, 0);
    if (request->restore_ms > 0)
        add_frame(&link->head, FRAME_RESTORE, &restore, sizeof restore);
    for (size_t i = 0; i < request->command->count && !request->interpreter_waits; i++)
        add_text(&link->head, FRAME_ARGUMENT, request->command->items[i]);
    if (!request->interpreter_waits)
        add_environment(&link->head, request);
    add_frame(&link->last, FRAME_RUN, &run, sizeof run);
}

void supervisor_link_keep(struct supervisor_link *link, int archive, const struct frame_keep *order)
{
    begin_request(link, archive, -1, false);
    link->keeps = link->input_ended = true;
    link->keep_max = order->max;
    add_frame(&link->last, FRAME_KEEP, order, sizeof *order);
}

/* Sends a frame with the next bytes of a file, at most `max`. False at its end. */
static bool send_piece(struct supervisor_link *link, enum frame_type type, int file, off_t *at,
                       size_t max, struct strbuf *queue)
{
    char piece[FRAME_CHUNK];
    const size_t wanted = max < sizeof piece ? max : sizeof piece;
    const ssize_t length = file < 0 ? 0 : pread(file, piece, wanted, *at);

    if (length <= 0) /* the end: an unnamed file has no read errors */
        return false;
    send_frame(link, type, piece, (size_t)length, queue);
    *at += length;
    return true;
}

/* Sends a frame with the next bytes of the cell. False at its end. */
static bool send_piece_of_cell(struct supervisor_link *link, struct strbuf *queue)
{
    const size_t left = link->cell ? link->cell->length - link->cell_at : 0;
    const size_t length = left < FRAME_CHUNK ? left : FRAME_CHUNK;

    if (length == 0)
        return false;
    send_frame(link, FRAME_CODE, link->cell->data + link->cell_at, length, queue);
    link->cell_at += length;
    return true;
}

/* Sends a piece of stdin, if there is credit for it, or its end. */
static void send_input(struct supervisor_link *link, struct strbuf *queue)
{
    const off_t before = link->input_at;

    if (link->input_is_live || link->input_ended || link->input_credit == 0)
        return;
    if (send_piece(link, FRAME_STDIN, link->input, &link->input_at, link->input_credit, queue)) {
        link->input_credit -= (size_t)(link->input_at - before);
        return;
    }
    send_frame(link, FRAME_STDIN_END, NULL, 0, queue);
    link->input_ended = true;
}

int supervisor_link_wanted_input(const struct supervisor_link *link)
{
    const bool is_wanted = link->input_is_live && link->state == LINK_RUNNING &&
                           !link->input_ended && link->input_credit > 0;

    return is_wanted ? link->input : -1;
}

void supervisor_link_read_input(struct supervisor_link *link, struct strbuf *queue)
{
    char piece[FRAME_CHUNK];
    const size_t wanted = link->input_credit < sizeof piece ? link->input_credit : sizeof piece;
    const ssize_t length = linux_read_now(link->input, piece, wanted);

    if (length > 0) {
        send_frame(link, FRAME_STDIN, piece, (size_t)length, queue);
        link->input_credit -= (size_t)length;
        return;
    }
    if (length < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    link->input_error = length < 0 ? errno : 0;
    send_frame(link, FRAME_STDIN_END, NULL, 0, queue);
    link->input_ended = true;
}

size_t supervisor_link_network_room(const struct supervisor_link *link)
{
    return !supervisor_link_has_relay(link)     ? 0
           : link->network_credit < FRAME_CHUNK ? link->network_credit
                                                : FRAME_CHUNK;
}

void supervisor_link_send_network(struct supervisor_link *link, const char *bytes, size_t length,
                                  struct strbuf *queue)
{
    send_frame(link, FRAME_NETWORK, bytes, length, queue);
    link->network_credit -= length;
}

static void send_all(struct supervisor_link *link, struct strbuf *frames, struct strbuf *queue)
{
    send_bytes(link, frames->data, frames->length, queue);
    strbuf_release(frames);
}

void supervisor_link_send(void *context, struct strbuf *queue)
{
    struct supervisor_link *link = context;

    if (!link->requested)
        return;
    if (!link->last_sent) {
        send_all(link, &link->head, queue);
        if (send_piece_of_cell(link, queue) ||
            send_piece(link, FRAME_FILES, link->archive, &link->archive_at, FRAME_CHUNK, queue))
            return;
        send_all(link, &link->last, queue);
        link->last_sent = true;
    }
    send_input(link, queue);
}

void supervisor_link_assume_sent(struct supervisor_link *link)
{
    strbuf_release(&link->head);
    strbuf_release(&link->last);
    link->last_sent = link->input_ended = true;
}

void supervisor_link_assume_success(struct supervisor_link *link)
{
    if (link->state == LINK_READY && !link->keeps) {
        link->state = LINK_RUNNING;
    } else if (link->state == LINK_ENDED) {
        link->state = LINK_COLLECTED;
    } else {
        link->end = (struct frame_end){.cause = FRAME_CAUSE_ITSELF};
        link->has_end = !link->keeps;
        link->state = LINK_ENDED;
    }
}

void supervisor_link_detach(const struct frame_detach *order, struct strbuf *queue)
{
    add_frame(queue, FRAME_DETACH, order, sizeof *order);
}

void supervisor_link_stop(struct supervisor_link *link, struct strbuf *queue)
{
    send_frame(link, FRAME_STOP, NULL, 0, queue);
}

void supervisor_link_let_go(struct supervisor_link *link, struct strbuf *queue)
{
    send_frame(link, FRAME_LET_GO, NULL, 0, queue);
}

void supervisor_link_interrupt(struct supervisor_link *link, struct strbuf *queue)
{
    send_frame(link, FRAME_INTERRUPT, NULL, 0, queue);
}

void supervisor_link_extend(struct supervisor_link *link, long long ms, struct strbuf *queue)
{
    const struct frame_extend order = {(uint64_t)ms};

    send_frame(link, FRAME_EXTEND, &order, sizeof order, queue);
}

void supervisor_link_collect(struct supervisor_link *link, long long file_max, long long max,
                             struct strbuf *queue)
{
    const struct frame_collect order = {(uint64_t)file_max, (uint64_t)max};

    link->collects = true;
    send_frame(link, FRAME_COLLECT, &order, sizeof order, queue);
}

void supervisor_link_grant(struct supervisor_link *link, enum frame_channel channel, size_t bytes,
                           struct strbuf *queue)
{
    const struct frame_credit credit = {frame_channel_type(channel), (uint32_t)bytes};

    send_frame(link, FRAME_CREDIT, &credit, sizeof credit, queue);
}
