/*
 * What the supervisor sends. The other half is in container/supervisor_send.c.
 */
#include "container/supervisor_link.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/linux.h"
#include "supervisor/frame_header.h"

/* The longest path that a frame may carry; the rest is cut off. */
enum { TEXT_MAX = 4096 };

/*
 * The largest figure that is believed: 8 years in microseconds, or 256 TiB. Those of TESTS_MAX
 * tests can be added.
 */
#define FIGURE_MAX (UINT64_C(1) << 48)

/* The output of a program is counted up to so many bytes: 1 PiB. */
#define OUTPUT_COUNT_MAX (UINT64_C(1) << 50)

void supervisor_link_init(struct supervisor_link *link)
{
    *link = (struct supervisor_link){.archive = -1, .input = -1};
}

void supervisor_link_release(struct supervisor_link *link)
{
    strbuf_release(&link->pending);
    sealed_reader_release(&link->reader);
    strbuf_release(&link->failed);
    strbuf_release(&link->head);
    strbuf_release(&link->last);
}

bool supervisor_link_is_idle(const struct supervisor_link *link)
{
    if (link->broken)
        return false;
    return link->requested
               ? link->state >= LINK_ENDED && (!link->collects || link->state == LINK_COLLECTED)
               : link->state == LINK_READY;
}

bool supervisor_link_has_relay(const struct supervisor_link *link)
{
    return link->has_relay && link->last_sent && link->state <= LINK_RUNNING && !link->broken;
}

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

static void prepare_seals(struct supervisor_link *link)
{
    link->seals = true;
    linux_random_digits(link->keys.to, sizeof link->keys.to);
    linux_random_digits(link->keys.from, sizeof link->keys.from);
    sealed_lines_init(&link->sealed, link->keys.to);
    sealed_reader_init(&link->reader, link->keys.from);
}

static bool take_hello(struct supervisor_link *link, const struct arrived *frame)
{
    const uint32_t oldest = link->is_script ? FRAME_LOG_VERSION : FRAME_VERSION;
    struct frame_hello hello;

    if (link->state != LINK_STARTING || frame->length != FRAME_HELLO_SIZE)
        return false;
    memcpy(&hello, frame->payload, sizeof hello);
    if (memcmp(hello.magic, FRAME_HELLO_MAGIC, sizeof hello.magic) != 0)
        return false;
    link->is_other_version = hello.version < oldest || hello.version > FRAME_VERSION;
    if (link->is_other_version)
        return false;
    link->is_gvisor = hello.is_gvisor != 0;
    link->state = LINK_READY;
    if (link->is_gvisor && !link->is_script)
        prepare_seals(link);
    return true;
}

static bool take_failed(struct supervisor_link *link, const struct arrived *frame)
{
    const size_t fixed = sizeof link->failure;

    if (frame->length < fixed || link->state > LINK_RUNNING)
        return false;
    memcpy(&link->failure, frame->payload, fixed);
    strbuf_add(&link->failed, frame->payload + fixed,
               frame->length - fixed < TEXT_MAX ? frame->length - fixed : TEXT_MAX);
    link->state = LINK_ENDED;
    return link->failure.step != 0;
}

static void bound_figure(uint64_t *figure)
{
    if (*figure > FIGURE_MAX)
        *figure = FRAME_UNKNOWN;
}

static bool take_end(struct supervisor_link *link, const struct arrived *frame)
{
    if (link->state != LINK_RUNNING || !read_struct(frame, &link->end, sizeof link->end))
        return false;
    bound_figure(&link->end.wall_us);
    bound_figure(&link->end.cpu_us);
    bound_figure(&link->end.peak_bytes);
    bound_figure(&link->end.used_bytes);
    link->state = LINK_ENDED;
    link->has_end = link->end.status <= 255 && link->end.signal <= 127 &&
                    link->end.stays <= (link->cell ? 1 : 0) && link->end.was_ready <= 1;
    return link->has_end;
}

static bool take_wait_state(struct supervisor_link *link, const struct arrived *frame)
{
    struct frame_wait_state wait_state;

    if (link->state != LINK_RUNNING || !read_struct(frame, &wait_state, sizeof wait_state) ||
        wait_state.wait > FRAME_WAIT_OUTPUT)
        return false;
    link->wait_state = wait_state;
    return true;
}

static bool take_kept(struct supervisor_link *link, const struct arrived *frame)
{
    struct frame_kept kept;

    if (link->state != LINK_READY || !link->keeps || !link->last_sent ||
        !read_struct(frame, &kept, sizeof kept) ||
        kept.bytes > (link->is_script ? FIGURE_MAX : link->keep_max))
        return false;
    link->kept_bytes = kept.bytes;
    link->state = LINK_ENDED;
    return true;
}

/* The supervisor waits for a request, as before. */
static bool take_ready(struct supervisor_link *link, const struct arrived *frame)
{
    struct frame_ready ready;

    if (link->ready_is_late && link->state == LINK_READY) {
        link->ready_is_late = false;
        return true;
    }
    if (link->state != LINK_READY || !link->makes_ready || !link->last_sent ||
        !read_struct(frame, &ready, sizeof ready))
        return false;
    bound_figure(&ready.bytes);
    link->ready_bytes = ready.bytes == FRAME_UNKNOWN ? 0 : (long long)ready.bytes;
    link->makes_ready = link->requested = false;
    return true;
}

static bool take_credit(struct supervisor_link *link, const struct arrived *frame)
{
    struct frame_credit credit;
    size_t *left;

    if (!read_struct(frame, &credit, sizeof credit))
        return false;
    if (credit.stream == FRAME_NETWORK && supervisor_link_has_relay(link))
        left = &link->network_credit;
    else if (credit.stream == FRAME_STDIN &&
             (link->state == LINK_RUNNING || (link->state == LINK_READY && link->loads_input)))
        left = &link->input_credit;
    else
        return false;
    if (credit.bytes > FRAME_STDIN_WINDOW - *left)
        return false;
    *left += credit.bytes;
    return true;
}

static bool take_omitted(const struct supervisor_link *link, const struct arrived *frame,
                         const struct supervisor_handler *handler, void *context)
{
    struct frame_omitted omitted;

    if (!link->is_script || link->state != LINK_RUNNING ||
        !read_struct(frame, &omitted, sizeof omitted) || omitted.bytes > OUTPUT_COUNT_MAX ||
        (omitted.stream != FRAME_STDOUT && omitted.stream != FRAME_STDERR))
        return false;
    handler->omitted(context, frame_channel_of(omitted.stream), omitted.bytes);
    return true;
}

static bool take_path(const struct supervisor_link *link, const struct arrived *frame,
                      const struct supervisor_handler *handler, void *context)
{
    CLEANUP_FREE char *path = string_format("%.*s", (int)frame->length, frame->payload);

    if (link->state != LINK_ENDED || frame->length > TEXT_MAX)
        return false;
    handler->too_large(context, path);
    return true;
}

/* Whether bytes of this channel can come now. */
static bool is_open(const struct supervisor_link *link, enum frame_channel channel)
{
    switch (channel) {
    case CHANNEL_STDOUT:
    case CHANNEL_STDERR:
        return link->state == LINK_RUNNING;
    case CHANNEL_REPORT:
        return link->state == LINK_RUNNING && (link->cell || link->has_value);
    case CHANNEL_FILES:
        return link->state == LINK_ENDED;
    case CHANNEL_NETWORK:
        return supervisor_link_has_relay(link);
    case CHANNELS:
        break;
    }
    return false;
}

static bool take_bytes(const struct supervisor_link *link, const struct arrived *frame,
                       const struct supervisor_handler *handler, void *context)
{
    const enum frame_channel channel = frame_channel_of(frame->type);

    if (!is_open(link, channel) || frame->length == 0)
        return false;
    handler->take(context, channel, frame->payload, frame->length);
    return true;
}

/* Handles a frame. False: it cannot come now, or has another form. */
static bool take_frame(struct supervisor_link *link, const struct arrived *frame,
                       const struct supervisor_handler *handler, void *context)
{
    /* a relay may be ordered before HELLO, and is not there then */
    if (link->state == LINK_STARTING && frame->type != FRAME_HELLO && frame->type != FRAME_FAILED)
        return false;
    switch (frame->type) {
    case FRAME_HELLO:
        return take_hello(link, frame);
    case FRAME_FAILED:
        return take_failed(link, frame);
    case FRAME_BEGUN:
        if (link->state != LINK_READY || !link->last_sent || link->keeps || link->makes_ready ||
            frame->length > 0)
            return false;
        link->state = LINK_RUNNING;
        return true;
    case FRAME_STDIN_CLOSED:
        if (link->state != LINK_RUNNING || frame->length > 0)
            return false;
        link->input_ended = true;
        return true;
    case FRAME_CREDIT:
        return take_credit(link, frame);
    case FRAME_WAIT_STATE:
        return take_wait_state(link, frame);
    case FRAME_END:
        return take_end(link, frame);
    case FRAME_TOO_LARGE:
        return take_path(link, frame, handler, context);
    case FRAME_KEPT:
        return take_kept(link, frame);
    case FRAME_STORED:
        if (link->state != LINK_READY || !link->keeps || !link->last_sent || frame->length > 0)
            return false;
        link->state = LINK_ENDED;
        return true;
    case FRAME_READY:
        return take_ready(link, frame);
    case FRAME_DETACHED:
        link->detached = true;
        return link->is_script && frame->length == 0;
    case FRAME_OMITTED:
        return take_omitted(link, frame, handler, context);
    case FRAME_FILES_END:
        if (link->state != LINK_ENDED || frame->length > 0)
            return false;
        link->state = LINK_COLLECTED;
        return true;
    default:
        return take_bytes(link, frame, handler, context);
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
        if (frame.type == FRAME_HELLO && link->seals && done < length)
            link->broken = true; /* it has to wait for the keys */
    }
    return link->broken ? length : done;
}

/* How many bytes the frame still lacks that has begun there: of its header, then of its payload. */
static size_t missing_length(const struct strbuf *pending)
{
    enum frame_type type;

    if (pending->length < FRAME_HEADER)
        return FRAME_HEADER - pending->length;
    return FRAME_HEADER - pending->length +
           (size_t)frame_header_read((const unsigned char *)pending->data, &type);
}

void supervisor_link_feed(struct supervisor_link *link, const char *data, size_t length,
                          const struct supervisor_handler *handler, void *context)
{
    size_t done;

    if (link->broken)
        return;
    if (link->seals) {
        sealed_reader_add(&link->reader, data, length, &link->pending);
        done = take_frames(link, link->pending.data, link->pending.length, handler, context);
        strbuf_drop(&link->pending, done);
        link->broken = link->broken || link->reader.broken;
    } else {
        while (link->pending.length > 0 && length > 0) { /* a frame has begun */
            const size_t missing = missing_length(&link->pending);
            const size_t piece = missing < length ? missing : length;

            strbuf_add(&link->pending, data, piece);
            done = take_frames(link, link->pending.data, link->pending.length, handler, context);
            strbuf_drop(&link->pending, done);
            data += piece;
            length -= piece;
        }
        done = take_frames(link, data, length, handler, context);
        if (done < length)
            strbuf_add(&link->pending, data + done, length - done);
    }
}
