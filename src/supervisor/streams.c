#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "supervisor/supervisor_state.h"

void streams_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void streams_discard(int *fd)
{
    char bytes[4096];
    ssize_t length;
    int left = 0;

    if (*fd < 0)
        return;
    ioctl(*fd, FIONREAD, &left);
    do {
        length = read(*fd, bytes, sizeof bytes);
        if (length == 0)
            streams_close(fd);
        left -= (int)length;
    } while (length > 0 && left > 0);
}

/* What is written between two requests belongs to none. */
static bool may_write(const struct supervisor *supervisor, int stream)
{
    return supervisor->state == STATE_SETTLING
               ? supervisor->output_left[stream] > 0
               : supervisor_runs(supervisor) || supervisor->state == STATE_ENDING;
}

/*
 * A program that writes byte after byte would cost a frame for each of them, and the engine several
 * times the CPU time that it uses itself. So after that many reads of a few bytes in a row, each is
 * put off for a moment, in which more can gather. Until then, and after a pause, all is sent at
 * once, in the order of the two streams.
 */
enum { GATHER_AFTER = 64, GATHER_BELOW = 4096, GATHER_US = 2000, GATHER_PAUSE_US = 10000 };

static void note_read(struct supervisor *supervisor, int stream, size_t length)
{
    struct gather *gather = &supervisor->gather[stream];
    const uint64_t now_us = figures_clock_us();

    if (length >= GATHER_BELOW || now_us - gather->last_us > GATHER_PAUSE_US)
        gather->reads = 0;
    else if (gather->reads < GATHER_AFTER)
        gather->reads++;
    gather->last_us = now_us;
}

static uint64_t gather_left_us(const struct supervisor *supervisor, int stream)
{
    const struct gather *gather = &supervisor->gather[stream];
    uint64_t passed_us;

    if (supervisor->state != STATE_RUNNING || gather->reads < GATHER_AFTER)
        return 0;
    passed_us = figures_clock_us() - gather->last_us;
    return passed_us < GATHER_US ? GATHER_US - passed_us : 0;
}

static enum frame_channel channel_of(int stream)
{
    return stream == 0 ? CHANNEL_STDOUT : CHANNEL_STDERR;
}

static bool can_pass(const struct supervisor *supervisor, int stream)
{
    return supervisor->program.out[stream] >= 0 && may_write(supervisor, stream) &&
           frame_link_may_send(&supervisor->link, channel_of(stream)) > 0;
}

/* Sends on what the program has written to a stream, as far as there is credit and room. */
static void pass_output(struct supervisor *supervisor, int stream)
{
    int *fd = &supervisor->program.out[stream];
    uint64_t *written = &supervisor->end.written[stream];
    unsigned char *bytes = frame_link_prepare(&supervisor->link);
    size_t size = frame_link_may_send(&supervisor->link, channel_of(stream));
    ssize_t length;

    if (!bytes)
        return;
    if (supervisor->state == STATE_SETTLING && size > supervisor->output_left[stream])
        size = (size_t)supervisor->output_left[stream];
    length = read(*fd, bytes, size);
    if (length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR))
        streams_close(fd);
    if (length <= 0)
        return;
    *written += (uint64_t)length;
    supervisor->output_left[stream] -= (uint64_t)length;
    frame_link_commit(&supervisor->link, channel_of(stream), (size_t)length);
    note_read(supervisor, stream, (size_t)length);
    if (*written > supervisor->run.output_max) {
        ending_begin(supervisor, FRAME_CAUSE_OUTPUT);
        supervisor->end.cause = FRAME_CAUSE_OUTPUT;
        streams_close(fd);
    }
}

static bool stdin_open(const struct supervisor *supervisor)
{
    return supervisor->program.in >= 0;
}

void streams_grant_stdin(struct supervisor *supervisor)
{
    const struct frame_credit credit = {FRAME_STDIN, (uint32_t)supervisor->stdin_taken};

    if (supervisor->stdin_taken < FRAME_STDIN_WINDOW / 2)
        return;
    supervisor_send(supervisor, FRAME_CREDIT, &credit, sizeof credit, NULL);
    supervisor->stdin_taken = 0;
}

static void close_stdin(struct supervisor *supervisor)
{
    streams_close(&supervisor->program.in);
    supervisor->stdin_filled = 0;
}

static void feed_stdin(struct supervisor *supervisor)
{
    const size_t first = supervisor->stdin_first;
    const size_t until_end = FRAME_STDIN_WINDOW - first;
    const size_t filled = supervisor->stdin_filled;
    const ssize_t written = write(supervisor->program.in, supervisor->stdin_bytes + first,
                                  filled < until_end ? filled : until_end);

    if (written < 0 && errno != EAGAIN && errno != EINTR) {
        close_stdin(supervisor);
        supervisor_send(supervisor, FRAME_STDIN_CLOSED, NULL, 0, NULL);
    }
    if (written <= 0)
        return;
    supervisor->stdin_first = (first + (size_t)written) % FRAME_STDIN_WINDOW;
    supervisor->stdin_filled -= (size_t)written;
    supervisor->stdin_taken += (size_t)written;
    streams_grant_stdin(supervisor);
}

/* Keeps bytes for the program. False: more than was granted. */
bool streams_take_stdin(struct supervisor *supervisor, const char *bytes, size_t length)
{
    if (length > FRAME_STDIN_WINDOW - supervisor->stdin_filled - supervisor->stdin_taken)
        return false;
    if (supervisor->state != STATE_WAITING && supervisor->state != STATE_LOADING &&
        !stdin_open(supervisor)) {
        supervisor->stdin_taken += length;
        return true;
    }
    for (size_t done = 0; done < length;) {
        const size_t at = (supervisor->stdin_first + supervisor->stdin_filled) % FRAME_STDIN_WINDOW;
        const size_t room = FRAME_STDIN_WINDOW - at;
        const size_t part = length - done < room ? length - done : room;

        memcpy(supervisor->stdin_bytes + at, bytes + done, part);
        supervisor->stdin_filled += part;
        done += part;
    }
    return true;
}

void streams_end_stdin(struct supervisor *supervisor)
{
    if (supervisor->stdin_ended && supervisor->stdin_filled == 0 && supervisor->program.pid > 0)
        streams_close(&supervisor->program.in);
}

/* ---- what the loop calls */

static void take_output(void *context, int stream)
{
    if (can_pass(context, stream) && gather_left_us(context, stream) == 0)
        pass_output(context, stream);
}

static void take_stdin_room(void *context, int number)
{
    const struct supervisor *supervisor = context;

    (void)number;
    if (stdin_open(supervisor) && supervisor->stdin_filled > 0)
        feed_stdin(context);
}

void streams_watch(struct supervisor *supervisor, struct loop *loop)
{
    if (supervisor->stdin_filled > 0)
        loop_add(loop, supervisor->program.in, POLLOUT, take_stdin_room, supervisor, 0);
    for (int i = 0; i < 2; i++) {
        const uint64_t left_us = gather_left_us(supervisor, i);

        if (can_pass(supervisor, i) && left_us > 0)
            loop_limit(loop, (int)((left_us + 999) / 1000));
        else if (can_pass(supervisor, i))
            loop_add(loop, supervisor->program.out[i], POLLIN, take_output, supervisor, i);
    }
}
