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

bool streams_have_room(const struct supervisor *supervisor)
{
    return sizeof supervisor->link.output - supervisor->link.out_filled +
               supervisor->link.out_first >=
           FRAME_HEADER + FRAME_CHUNK + FRAME_LINK_RESERVE;
}

/* What is written between two requests belongs to none. */
static bool may_write(const struct supervisor *supervisor, int stream)
{
    return supervisor->state == STATE_SETTLING
               ? supervisor->output_left[stream] > 0
               : supervisor_runs(supervisor) || supervisor->state == STATE_ENDING;
}

bool streams_may_pass(const struct supervisor *supervisor, int stream)
{
    return supervisor->program.out[stream] >= 0 && supervisor->credit[stream] > 0 &&
           may_write(supervisor, stream) && streams_have_room(supervisor);
}

/* Sends on what the program has written to a stream, as far as there is credit and room. */
void streams_pass(struct supervisor *supervisor, int stream)
{
    int *fd = &supervisor->program.out[stream];
    uint64_t *written = &supervisor->end.written[stream];
    unsigned char *bytes = frame_link_prepare(&supervisor->link);
    size_t size = FRAME_CHUNK;
    ssize_t length;

    if (!bytes)
        return;
    if (size > supervisor->credit[stream])
        size = (size_t)supervisor->credit[stream];
    if (supervisor->state == STATE_SETTLING && size > supervisor->output_left[stream])
        size = (size_t)supervisor->output_left[stream];
    length = read(*fd, bytes, size);
    if (length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR))
        streams_close(fd);
    if (length <= 0)
        return;
    *written += (uint64_t)length;
    supervisor->credit[stream] -= (uint64_t)length;
    supervisor->output_left[stream] -= (uint64_t)length;
    frame_link_commit(&supervisor->link, stream == 0 ? FRAME_STDOUT : FRAME_STDERR, (size_t)length);
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

void streams_feed_stdin(struct supervisor *supervisor)
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
