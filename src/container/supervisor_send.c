/*
 * What isolator sends to the supervisor.
 */
#include "container/supervisor_link.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/linux.h"
#include "docker/container.h"
#include "supervisor/frame_header.h"

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
    link->loads_input = false;
    link->input_error = 0;
    link->archive_at = link->input_at = 0;
    link->input_credit = link->network_credit = FRAME_STDIN_WINDOW;
    link->ready_is_late |= link->makes_ready;
    link->has_relay = link->makes_ready = false;
    link->wait_state = (struct frame_wait_state){0};
    link->requested = true;
}

static void add_environment(struct strbuf *queue, const struct program_request *request)
{
    if (request->spec.without_proxies)
        for (const char *const *name = container_proxy_variables; *name; name++)
            add_text(queue, FRAME_ENVIRONMENT, *name);
    for (size_t i = 0; request->spec.proxies && i < request->spec.proxies->count; i++)
        add_text(queue, FRAME_ENVIRONMENT, request->spec.proxies->items[i]);
    for (size_t i = 0; i < request->spec.environment->count; i++)
        add_text(queue, FRAME_ENVIRONMENT, request->spec.environment->items[i]);
}

static void add_make_ready(struct supervisor_link *link, const struct frame_run *run,
                           const char *text)
{
    CLEANUP(strbuf_release) struct strbuf payload = STRBUF_INIT;

    strbuf_add(&payload, run, sizeof *run);
    strbuf_addstr(&payload, text ? text : "");
    add_frame(&link->last, FRAME_MAKE_READY, payload.data, payload.length);
    link->makes_ready = link->input_ended = true;
    link->was_resized = false; /* it starts with the limits of now */
}

void supervisor_link_request(struct supervisor_link *link, const struct program_request *request)
{
    const struct frame_restore restore = {(uint64_t)request->restore_ms, request->forgets};
    struct frame_run run = program_request_frame(request, link->is_script);

    begin_request(link, request->archive, request->spec.input, request->spec.input_is_live);
    run.flags |= link->was_resized ? FRAME_RUN_FRESH : 0u;
    link->cell = request->cell;
    link->loads_input = (run.flags & (FRAME_RUN_CELL | FRAME_RUN_STDIN_FILE)) != 0;
    link->has_value = request->spec.value_max > 0;
    link->keeps_processes = request->keep_processes;
    link->has_relay = request->spec.connections > 0 || request->spec.tools > 0;
    if (request->reset)
        add_frame(&link->head, FRAME_RESET, NULL, 0);
    if (request->restore_ms > 0)
        add_frame(&link->head, FRAME_RESTORE, &restore, sizeof restore);
    for (size_t i = 0; i < request->spec.command->count && !request->interpreter_waits; i++)
        add_text(&link->head, FRAME_ARGUMENT, request->spec.command->items[i]);
    if (!request->interpreter_waits)
        add_environment(&link->head, request);
    if (!request->interpreter_waits && request->spec.directory)
        add_text(&link->head, FRAME_DIRECTORY, request->spec.directory);
    link->collects = request->collect != NULL;
    if (request->collect)
        add_frame(&link->last, FRAME_COLLECT, request->collect, sizeof *request->collect);
    if (request->make_ready)
        add_make_ready(link, &run, request->ready_text);
    else
        add_frame(&link->last, FRAME_RUN, &run, sizeof run);
}

void supervisor_link_keep(struct supervisor_link *link, int archive, const struct frame_keep *order,
                          const struct frame_restore *restore)
{
    begin_request(link, archive, -1, false);
    if (restore)
        add_frame(&link->head, FRAME_RESTORE, restore, sizeof *restore);
    link->keeps = link->input_ended = true;
    link->keep_max = order->max;
    add_frame(&link->last, FRAME_KEEP, order, sizeof *order);
}

void supervisor_link_store(struct supervisor_link *link, int archive)
{
    begin_request(link, archive, -1, false);
    link->keeps = link->input_ended = true;
    add_frame(&link->last, FRAME_STORE, NULL, 0);
}

void supervisor_link_attach(struct strbuf *queue)
{
    add_frame(queue, FRAME_ATTACH, NULL, 0);
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
