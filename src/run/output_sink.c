#include "run/output_sink.h"

#include <errno.h>
#include <time.h>

#include "container/supervisor_link.h"

/* A deadline that has passed: output_write() tries once. */
enum { NOW = 1 };

void output_sink_init(struct output_sink *output, size_t limit, const struct run_observer *observer)
{
    *output = (struct output_sink){.stats = observer->stats,
                                   .begun = observer->begun,
                                   .context = observer->context,
                                   .destinations = {-1, -1}};
    for (int i = 0; i < 2; i++) {
        output->capture[i] = (struct capture)CAPTURE_INIT(limit);
        output->live[i] = observer->live[i];
    }
}

void output_sink_begin(struct output_sink *output)
{
    if (output->stats)
        atomic_store(&output->stats->running, true);
    if (output->begun)
        output->begun(output->context);
}

/* Nothing more can be passed on: what waits is dropped. */
static void give_up(struct output_sink *output, int reason)
{
    output->live_error = reason;
    for (int i = 0; i < 2; i++) {
        output->taken[i] += output->waiting[i].length;
        output->destinations[i] = -1;
        strbuf_release(&output->waiting[i]);
    }
}

static void close_live(struct output_sink *output)
{
    for (int i = 0; i < 2; i++) {
        if (output->is_open[i])
            output_release(&output->to[i]);
        output->is_open[i] = false;
    }
}

/*
 * A terminal may report room for one character and not take a newline, which it writes as two. So
 * what was said to fit and does not is tried again after a pause.
 */
static void pause_if_stuck(const struct output_sink *output, int stream, size_t written)
{
    static const struct timespec pause = {0, 10 * 1000000L};

    if (written == 0 && output->destinations[stream] >= 0)
        nanosleep(&pause, NULL);
}

void output_sink_flush(struct output_sink *output, int stream)
{
    struct strbuf *waiting = &output->waiting[stream];
    size_t written;

    if (!output->is_open[stream])
        output_open(&output->to[stream], output->live[stream]);
    output->is_open[stream] = true;
    written = output_write(&output->to[stream], waiting->data, waiting->length, NOW, NULL);
    if (written < waiting->length && errno != ETIMEDOUT) {
        if (output->is_piped && errno == EPIPE)
            output_sink_detach(output);
        else
            give_up(output, errno);
        return;
    }
    pause_if_stuck(output, stream, written);
    strbuf_drop(waiting, written);
    output->taken[stream] += written;
    output->destinations[stream] = waiting->length > 0 ? output->live[stream] : -1;
}

void output_sink_add(struct output_sink *output, int stream, const char *data, size_t length)
{
    struct capture *capture = &output->capture[stream];

    if (output->flooded || length == 0) {
        output->taken[stream] += length; /* another program may follow, which needs the credit */
        return;
    }
    capture_add(capture, data, length);
    if (stream == 0 && output->comparison)
        comparison_add(output->comparison, data, length);
    if (stream == 0 && output->transcript)
        transcript_add(output->transcript, output->side, data, length);
    if (output->stats)
        atomic_fetch_add(&output->stats->output_bytes, length);
    output->flooded = !output->has_gap && capture->total > OUTPUT_HARD_MAX;
    if (output->live[stream] < 0 || output->live_error != 0) {
        output->taken[stream] += length;
        return;
    }
    strbuf_add(&output->waiting[stream], data, length);
    if (output->destinations[stream] < 0)
        output_sink_flush(output, stream);
}

void output_sink_skip(struct output_sink *output, int stream, unsigned long long length)
{
    output->has_gap = true;
    capture_skip(&output->capture[stream], length);
    if (stream == 0 && output->comparison)
        comparison_skip(output->comparison);
}

void output_sink_detach(struct output_sink *output)
{
    const int error = output->live_error;

    give_up(output, error);
    close_live(output);
    output->live[0] = output->live[1] = -1;
}

bool output_sink_is_flushed(const struct output_sink *output)
{
    return output->waiting[0].length == 0 && output->waiting[1].length == 0;
}

size_t output_sink_take(struct output_sink *output, int stream)
{
    const size_t taken = output->taken[stream];

    output->taken[stream] = 0;
    return taken;
}

bool output_sink_must_end(const struct output_sink *output)
{
    return output->flooded || output->live_error != 0;
}

void output_sink_finish(struct output_sink *output, struct result *result)
{
    for (int i = 0; i < 2; i++) {
        result->bytes[i] += output->capture[i].total; /* those of tests are there already */
        result->truncated[i] = capture_truncated(&output->capture[i]);
        result->text[i] = capture_take_text(&output->capture[i]);
        strbuf_release(&output->waiting[i]);
    }
    close_live(output);
}

/* ---- the functions of its channels */

static void channel_take(void *context, int stream, const char *data, size_t length)
{
    output_sink_add(context, stream, data, length);
}

static void channel_omitted(void *context, int stream, unsigned long long length)
{
    output_sink_skip(context, stream, length);
}

static size_t channel_dealt(void *context, int stream)
{
    return output_sink_take(context, stream);
}

static int channel_destination(const void *context, int stream)
{
    const struct output_sink *output = context;

    return output->destinations[stream];
}

static void channel_flush(void *context, int stream)
{
    output_sink_flush(context, stream);
}

static bool channel_must_end(const void *context)
{
    return output_sink_must_end(context);
}

struct channel output_sink_channel(struct output_sink *output, int stream)
{
    return (struct channel){.context = output,
                            .number = stream,
                            .take = channel_take,
                            .omitted = channel_omitted,
                            .dealt = channel_dealt,
                            .destination = channel_destination,
                            .flush = channel_flush,
                            .must_end = channel_must_end};
}
