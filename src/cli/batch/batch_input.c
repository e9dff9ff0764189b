#include "cli/batch/batch_input.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/io.h"
#include "base/signals.h"
#include "base/text.h"

enum { CHUNK = 65536 };

bool batch_input_next(struct batch_input *input, const char **text, size_t *length)
{
    enum lines_event event;

    do {
        event = lines_next(&input->lines, text, length);
        if (event == LINES_NONE)
            return false;
        input->number++;
    } while (event == LINES_LINE && text_is_blank(*text, *length));
    if (event != LINES_LINE)
        *text = NULL;
    return true;
}

bool batch_input_wait(int fd)
{
    struct pollfd polled[] = {
        {fd, POLLIN, 0},
        {notifier_fd(signals_cancel()), POLLIN, 0},
    };

    return io_poll(polled, 2, -1) > 0 && polled[1].revents == 0;
}

void batch_input_read(struct batch_input *input)
{
    char chunk[CHUNK];
    ssize_t length;

    if (!batch_input_wait(input->fd))
        return; /* the caller checks for a signal */
    length = read(input->fd, chunk, sizeof chunk);
    if (length > 0) {
        lines_feed(&input->lines, chunk, (size_t)length);
    } else if (length == 0) {
        lines_end(&input->lines);
        input->ended = true;
    } else if (errno != EINTR && errno != EAGAIN) {
        input->error = errno;
    }
}

void batch_input_release(struct batch_input *input)
{
    lines_release(&input->lines);
}
