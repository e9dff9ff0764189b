#include "sandbox/output.h"

#include <errno.h>

#include "base/io.h"

void output_init(struct output *output, const struct plan *plan)
{
    const size_t limit = (size_t)plan->limits.number[LIMIT_OUTPUT];

    for (int i = 0; i < 2; i++) {
        output->capture[i] = (struct capture)CAPTURE_INIT(limit);
        output->live[i] = plan->request->live[i];
    }
    output->watch = plan->request->watch;
    output->flooded = false;
    output->live_error = 0;
}

void output_begin(struct output *output)
{
    if (output->watch)
        atomic_store(&output->watch->running, true);
}

/* The pump made sure that this does not block, terminals excepted: see struct process_pump. */
static void pass_on(struct output *output, int stream, const char *data, size_t length)
{
    if (io_write_all(output->live[stream], data, length) != 0)
        output->live_error = errno;
}

void output_add(struct output *output, int stream, const char *data, size_t length)
{
    struct capture *capture = &output->capture[stream];

    if (output->flooded)
        return;
    capture_add(capture, data, length);
    if (output->watch)
        atomic_fetch_add(&output->watch->output_bytes, length);
    if (output->live[stream] >= 0 && output->live_error == 0)
        pass_on(output, stream, data, length);
    output->flooded = capture->total > OUTPUT_HARD_MAX;
}

bool output_must_end(const struct output *output)
{
    return output->flooded || output->live_error != 0;
}

void output_forget(struct output *output)
{
    for (int i = 0; i < 2; i++) {
        capture_release(&output->capture[i]);
        output->capture[i].total = 0;
    }
}

void output_finish(struct output *output, struct result *result)
{
    for (int i = 0; i < 2; i++) {
        result->bytes[i] = output->capture[i].total;
        result->truncated[i] = capture_truncated(&output->capture[i]);
        result->text[i] = capture_take_text(&output->capture[i]);
    }
}
