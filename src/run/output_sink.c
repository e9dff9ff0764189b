#include "run/output_sink.h"

#include <errno.h>

void output_sink_init(struct output_sink *output, const struct plan *plan,
                      const struct run_observer *observer)
{
    const size_t limit = (size_t)plan->policy.limits.number[LIMIT_OUTPUT];

    for (int i = 0; i < 2; i++) {
        output->capture[i] = (struct capture)CAPTURE_INIT(limit);
        output->is_open[i] = false;
        output->live[i] = observer->live[i];
    }
    output->stats = observer->stats;
    output_sink_wait(output, 0, NULL);
    output->flooded = false;
    output->live_error = 0;
}

void output_sink_begin(struct output_sink *output)
{
    if (output->stats)
        atomic_store(&output->stats->running, true);
}

void output_sink_wait(struct output_sink *output, long long deadline, const struct notifier *cancel)
{
    output->deadline = deadline;
    output->cancel = cancel;
}

static void copy_live(struct output_sink *output, int stream, const char *data, size_t length)
{
    if (!output->is_open[stream])
        output_open(&output->to[stream], output->live[stream]);
    output->is_open[stream] = true;
    if (output_write(&output->to[stream], data, length, output->deadline, output->cancel) <
            length &&
        errno != ETIMEDOUT && errno != ECANCELED)
        output->live_error = errno;
}

void output_sink_add(struct output_sink *output, int stream, const char *data, size_t length)
{
    struct capture *capture = &output->capture[stream];

    if (output->flooded)
        return;
    capture_add(capture, data, length);
    if (output->stats)
        atomic_fetch_add(&output->stats->output_bytes, length);
    if (output->live[stream] >= 0 && output->live_error == 0)
        copy_live(output, stream, data, length);
    output->flooded = capture->total > OUTPUT_HARD_MAX;
}

bool output_sink_must_end(const struct output_sink *output)
{
    return output->flooded || output->live_error != 0;
}

void output_sink_forget(struct output_sink *output)
{
    for (int i = 0; i < 2; i++) {
        capture_release(&output->capture[i]);
        output->capture[i].total = 0;
    }
}

void output_sink_finish(struct output_sink *output, struct result *result)
{
    for (int i = 0; i < 2; i++) {
        result->bytes[i] = output->capture[i].total;
        result->truncated[i] = capture_truncated(&output->capture[i]);
        result->text[i] = capture_take_text(&output->capture[i]);
        if (output->is_open[i])
            output_release(&output->to[i]);
        output->is_open[i] = false;
    }
}
