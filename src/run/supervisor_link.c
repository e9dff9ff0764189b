#include "run/supervisor_link.h"

#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "docker/container.h"
#include "run/result.h"

/* How long after the timeout the container ends itself if isolator has not ended it. */
enum { GRACE_MS = 5000 };

/*
 * How long a container whose program has ended waits for isolator to collect its files and to
 * dismiss it: longer than any budget, for a connection that is half open.
 */
enum { LINGER_MS = 600000 };

/* The longest path that a frame may carry; the rest is cut off. */
enum { TEXT_MAX = 4096 };

/*
 * The largest figure that is believed: 8 years in microseconds, or 256 TiB. Those of TESTS_MAX
 * tests can be added.
 */
#define FIGURE_MAX (UINT64_C(1) << 48)

/* ---- what is sent */

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

void supervisor_link_init(struct supervisor_link *link)
{
    *link = (struct supervisor_link){.archive = -1, .input = -1};
}

void supervisor_link_release(struct supervisor_link *link)
{
    strbuf_release(&link->pending);
    strbuf_release(&link->failed);
    strbuf_release(&link->head);
    strbuf_release(&link->last);
}

/* Begins a request, the first one or another one. */
static void begin_request(struct supervisor_link *link, int archive, int input)
{
    if (link->state > SUPERVISOR_READY)
        link->state = SUPERVISOR_READY;
    link->failure = (struct frame_failed){0};
    strbuf_release(&link->failed);
    link->has_end = link->keeps = link->last_sent = link->input_ended = false;
    link->archive = archive;
    link->input = input;
    link->archive_at = link->input_at = 0;
    link->input_credit = FRAME_STDIN_WINDOW;
    link->requested = true;
}

static void add_environment(struct strbuf *queue, const struct program_request *request)
{
    if (request->without_proxies)
        for (const char *const *name = container_proxy_variables; *name; name++)
            add_text(queue, FRAME_ENVIRONMENT, *name);
    for (size_t i = 0; i < request->environment->count; i++)
        add_text(queue, FRAME_ENVIRONMENT, request->environment->items[i]);
}

void supervisor_link_request(struct supervisor_link *link, const struct program_request *request)
{
    const struct frame_restore restore = {(uint64_t)request->restore_ms};
    const struct frame_run run = {.timer_ms =
                                      (uint64_t)limits_timeout_ms(request->limits) + GRACE_MS,
                                  .linger_ms = LINGER_MS,
                                  .output_max = OUTPUT_HARD_MAX,
                                  .cpu_max_us = limits_cpu_us(request->limits)};

    begin_request(link, request->archive, request->input);
    if (request->reset)
        add_frame(&link->head, FRAME_RESET, NULL, 0);
    if (request->restore_ms > 0)
        add_frame(&link->head, FRAME_RESTORE, &restore, sizeof restore);
    for (size_t i = 0; i < request->command->count; i++)
        add_text(&link->head, FRAME_ARGUMENT, request->command->items[i]);
    add_environment(&link->head, request);
    add_frame(&link->last, FRAME_RUN, &run, sizeof run);
}

void supervisor_link_keep(struct supervisor_link *link, int archive, const struct frame_keep *order)
{
    begin_request(link, archive, -1);
    link->keeps = link->input_ended = true;
    link->keep_max = order->max;
    add_frame(&link->last, FRAME_KEEP, order, sizeof *order);
}

/* Adds a frame with the next bytes of a file, at most `max`. False at its end. */
static bool add_piece(struct strbuf *queue, enum frame_type type, int file, off_t *at, size_t max)
{
    char piece[FRAME_CHUNK];
    const size_t wanted = max < sizeof piece ? max : sizeof piece;
    const ssize_t length = file < 0 ? 0 : pread(file, piece, wanted, *at);

    if (length <= 0) /* the end: an unnamed file has no read errors */
        return false;
    add_frame(queue, type, piece, (size_t)length);
    *at += length;
    return true;
}

/* Adds a piece of stdin, if there is credit for it, or its end. */
static void send_input(struct supervisor_link *link, struct strbuf *queue)
{
    const off_t before = link->input_at;

    if (link->input_ended || link->input_credit == 0)
        return;
    if (add_piece(queue, FRAME_STDIN, link->input, &link->input_at, link->input_credit)) {
        link->input_credit -= (size_t)(link->input_at - before);
        return;
    }
    add_frame(queue, FRAME_STDIN_END, NULL, 0);
    link->input_ended = true;
}

static void move_bytes(struct strbuf *to, struct strbuf *from)
{
    strbuf_add(to, from->data, from->length);
    strbuf_release(from);
}

void supervisor_link_send(void *context, struct strbuf *queue)
{
    struct supervisor_link *link = context;

    if (!link->requested)
        return;
    if (!link->last_sent) {
        move_bytes(queue, &link->head);
        if (add_piece(queue, FRAME_FILES, link->archive, &link->archive_at, FRAME_CHUNK))
            return;
        move_bytes(queue, &link->last);
        link->last_sent = true;
    }
    send_input(link, queue);
}

void supervisor_link_stop(struct strbuf *queue)
{
    add_frame(queue, FRAME_STOP, NULL, 0);
}

void supervisor_link_collect(const struct plan *plan, long long file_max, struct strbuf *queue)
{
    const struct frame_collect order = {
        (uint64_t)file_max,
        (uint64_t)limits_bytes(&plan->policy.limits, LIMIT_WORKDIR) * 2 + (16 << 20)};

    add_frame(queue, FRAME_COLLECT, &order, sizeof order);
}

void supervisor_link_grant(enum frame_type stream, size_t bytes, struct strbuf *queue)
{
    const struct frame_credit credit = {stream, (uint32_t)bytes};

    add_frame(queue, FRAME_CREDIT, &credit, sizeof credit);
}

/* ---- what arrives */

struct arrived {
    enum frame_type type;
    const char *payload;
    size_t length;
};

static bool read_struct(const struct arrived *frame, void *to, size_t size)
{
    if (frame->length != size)
        return false;
    memcpy(to, frame->payload, size);
    return true;
}

static bool take_hello(struct supervisor_link *link, const struct arrived *frame)
{
    struct frame_hello hello;

    if (link->state != SUPERVISOR_STARTING || frame->length != FRAME_HELLO_SIZE)
        return false;
    memcpy(&hello, frame->payload, sizeof hello);
    if (memcmp(hello.magic, FRAME_HELLO_MAGIC, sizeof hello.magic) != 0 ||
        hello.version != FRAME_VERSION)
        return false;
    link->state = SUPERVISOR_READY;
    return true;
}

static bool take_failed(struct supervisor_link *link, const struct arrived *frame)
{
    const size_t fixed = sizeof link->failure;

    if (frame->length < fixed || link->state > SUPERVISOR_RUNNING)
        return false;
    memcpy(&link->failure, frame->payload, fixed);
    strbuf_add(&link->failed, frame->payload + fixed,
               frame->length - fixed < TEXT_MAX ? frame->length - fixed : TEXT_MAX);
    link->state = SUPERVISOR_ENDED;
    return link->failure.step != 0;
}

static void bound_figure(uint64_t *figure)
{
    if (*figure > FIGURE_MAX)
        *figure = FRAME_UNKNOWN;
}

static bool take_end(struct supervisor_link *link, const struct arrived *frame)
{
    if (link->state != SUPERVISOR_RUNNING || !read_struct(frame, &link->end, sizeof link->end))
        return false;
    bound_figure(&link->end.wall_us);
    bound_figure(&link->end.cpu_us);
    bound_figure(&link->end.peak_bytes);
    bound_figure(&link->end.rss_bytes);
    link->state = SUPERVISOR_ENDED;
    link->has_end = link->end.status <= 255 && link->end.signal <= 127;
    return link->has_end;
}

static bool take_kept(struct supervisor_link *link, const struct arrived *frame)
{
    struct frame_kept kept;

    if (link->state != SUPERVISOR_READY || !link->keeps || !link->last_sent ||
        !read_struct(frame, &kept, sizeof kept) || kept.bytes > link->keep_max)
        return false;
    link->kept_bytes = kept.bytes;
    link->state = SUPERVISOR_ENDED;
    return true;
}

static bool take_credit(struct supervisor_link *link, const struct arrived *frame)
{
    struct frame_credit credit;

    if (link->state != SUPERVISOR_RUNNING || !read_struct(frame, &credit, sizeof credit) ||
        credit.stream != FRAME_STDIN || credit.bytes > FRAME_STDIN_WINDOW - link->input_credit)
        return false;
    link->input_credit += credit.bytes;
    return true;
}

static bool take_path(const struct supervisor_link *link, const struct arrived *frame,
                      const struct supervisor_handler *handler, void *context)
{
    CLEANUP_FREE char *path = string_format("%.*s", (int)frame->length, frame->payload);

    if (link->state != SUPERVISOR_ENDED || frame->length > TEXT_MAX)
        return false;
    handler->too_large(context, path);
    return true;
}

/* Handles a frame. False: it cannot come now, or has another form. */
static bool take_frame(struct supervisor_link *link, const struct arrived *frame,
                       const struct supervisor_handler *handler, void *context)
{
    switch (frame->type) {
    case FRAME_HELLO:
        return take_hello(link, frame);
    case FRAME_FAILED:
        return take_failed(link, frame);
    case FRAME_BEGUN:
        if (link->state != SUPERVISOR_READY || !link->last_sent || link->keeps || frame->length > 0)
            return false;
        link->state = SUPERVISOR_RUNNING;
        return true;
    case FRAME_STDOUT:
    case FRAME_STDERR:
        if (link->state != SUPERVISOR_RUNNING || frame->length == 0)
            return false;
        handler->output(context, frame->type == FRAME_STDERR, frame->payload, frame->length);
        return true;
    case FRAME_STDIN_CLOSED:
        if (link->state != SUPERVISOR_RUNNING || frame->length > 0)
            return false;
        link->input_ended = true;
        return true;
    case FRAME_CREDIT:
        return take_credit(link, frame);
    case FRAME_END:
        return take_end(link, frame);
    case FRAME_FILES:
        if (link->state != SUPERVISOR_ENDED || frame->length == 0)
            return false;
        handler->files(context, frame->payload, frame->length);
        return true;
    case FRAME_TOO_LARGE:
        return take_path(link, frame, handler, context);
    case FRAME_KEPT:
        return take_kept(link, frame);
    case FRAME_FILES_END:
        if (link->state != SUPERVISOR_ENDED || frame->length > 0)
            return false;
        link->state = SUPERVISOR_COLLECTED;
        return true;
    default:
        return false;
    }
}

/* Handles the frames that are complete. Returns how many bytes they have. */
static size_t take_frames(struct supervisor_link *link, const char *data, size_t length,
                          const struct supervisor_handler *handler, void *context)
{
    size_t done = 0;

    while (!link->broken && length - done >= FRAME_HEADER) {
        struct arrived frame = {.payload = data + done + FRAME_HEADER};
        const long payload = frame_header_read((const unsigned char *)data + done, &frame.type);

        frame.length = (size_t)payload;
        if (payload >= 0 && length - done - FRAME_HEADER < frame.length)
            break;
        link->broken = payload < 0 || !take_frame(link, &frame, handler, context);
        done += FRAME_HEADER + (payload < 0 ? 0 : frame.length);
    }
    return link->broken ? length : done;
}

void supervisor_link_feed(struct supervisor_link *link, const char *data, size_t length,
                          const struct supervisor_handler *handler, void *context)
{
    size_t done;

    if (link->broken)
        return;
    if (link->pending.length == 0) {
        done = take_frames(link, data, length, handler, context);
        if (done < length)
            strbuf_add(&link->pending, data + done, length - done);
    } else { /* the start of a frame is joined with the rest */
        strbuf_add(&link->pending, data, length);
        done = take_frames(link, link->pending.data, link->pending.length, handler, context);
        strbuf_drop(&link->pending, done);
    }
}
