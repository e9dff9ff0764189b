#include "supervisor/driver_link.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/descriptors.h"
#include "supervisor/memory_file.h"

void driver_link_init(struct driver_link *driver, struct frame_link *link,
                      struct program *interpreter)
{
    *driver = (struct driver_link){
        .link = link, .interpreter = interpreter, .files = {-1, -1}, .unread = -1};
}

void driver_link_forget(struct driver_link *driver)
{
    for (int i = 0; i < DRIVER_FILES; i++)
        descriptor_close(&driver->files[i]);
    descriptor_close(&driver->unread);
    driver_link_init(driver, driver->link, driver->interpreter);
}

void driver_link_reset(struct driver_link *driver)
{
    driver->error = 0;
    for (int i = 0; i < DRIVER_FILES; i++) {
        driver->sizes[i] = 0;
        if (driver->files[i] >= 0 && ftruncate(driver->files[i], 0) != 0)
            driver->error = errno;
    }
}

/* ---- the cell */

/* Makes the files that are not there yet. */
static bool open_files(struct driver_link *driver)
{
    for (int i = 0; i < DRIVER_FILES && driver->error == 0; i++)
        if (driver->files[i] < 0) {
            driver->files[i] = memory_file_make("cell");
            if (driver->files[i] < 0)
                driver->error = errno;
        }
    return driver->error == 0;
}

void driver_link_add(struct driver_link *driver, enum driver_file file, const char *bytes,
                     size_t length)
{
    if (!open_files(driver))
        return;
    while (length > 0) {
        const ssize_t written =
            pwrite(driver->files[file], bytes, length, (off_t)driver->sizes[file]);

        if (written < 0 && errno != EINTR) {
            driver->error = errno;
            return;
        }
        if (written > 0) {
            driver->sizes[file] += (uint64_t)written;
            bytes += written;
            length -= (size_t)written;
        }
    }
}

int driver_link_begin(struct driver_link *driver, uint64_t report_max)
{
    if (!open_files(driver))
        return -1;
    snprintf(driver->head, sizeof driver->head, "%12llu %12llu %12llu\n",
             (unsigned long long)++driver->number, (unsigned long long)driver->sizes[DRIVER_CODE],
             (unsigned long long)driver->sizes[DRIVER_INPUT]);
    driver->sent = driver->reported = 0;
    driver->matched = 0;
    driver->report_max = report_max;
    driver->ended = false;
    return 0;
}

void driver_link_attach(struct driver_link *driver)
{
    driver->unread = memory_file_reopen(driver->interpreter->begin);
    fcntl(driver->unread, F_SETFL, O_NONBLOCK);
}

void driver_link_discard(struct driver_link *driver)
{
    descriptor_discard(&driver->unread);
    descriptor_discard(&driver->interpreter->answer);
}

bool driver_link_is_sending(const struct driver_link *driver)
{
    return driver->interpreter->begin >= 0 &&
           driver->sent < DRIVER_HEAD + driver->sizes[DRIVER_CODE] + driver->sizes[DRIVER_INPUT];
}

/* The next bytes to be sent; how many. */
static ssize_t next_bytes(const struct driver_link *driver, char *bytes, size_t size)
{
    uint64_t at = driver->sent;

    if (at < DRIVER_HEAD) {
        memcpy(bytes, driver->head + at, DRIVER_HEAD - at);
        return (ssize_t)(DRIVER_HEAD - at);
    }
    at -= DRIVER_HEAD;
    if (at < driver->sizes[DRIVER_CODE])
        return pread(driver->files[DRIVER_CODE], bytes, size, (off_t)at);
    return pread(driver->files[DRIVER_INPUT], bytes, size,
                 (off_t)(at - driver->sizes[DRIVER_CODE]));
}

void driver_link_send(struct driver_link *driver)
{
    char bytes[8192];

    while (driver_link_is_sending(driver)) {
        const ssize_t length = next_bytes(driver, bytes, sizeof bytes);
        const ssize_t written =
            length > 0 ? write(driver->interpreter->begin, bytes, (size_t)length) : 0;

        if (written < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (written <= 0)
            descriptor_close(&driver->interpreter->begin); /* as the driver has done */
        else
            driver->sent += (uint64_t)written;
    }
}

static void send_when_ready(void *context, int number)
{
    (void)number;
    driver_link_send(context);
}

void driver_link_watch_cell(struct driver_link *driver, struct loop *loop)
{
    if (driver_link_is_sending(driver))
        loop_add(loop, driver->interpreter->begin, POLLOUT, send_when_ready, driver, 0);
}

/* ---- its report */

static bool may_report(const struct driver_link *driver)
{
    const bool discards = driver->reported >= driver->report_max;

    return driver->interpreter->answer >= 0 && !driver->ended &&
           (discards ? frame_link_has_space(driver->link)
                     : frame_link_may_send(driver->link, CHANNEL_REPORT) > 0);
}

/* How many bytes of the report may be sent now. */
static size_t report_left(const struct driver_link *driver)
{
    const uint64_t left = driver->report_max - driver->reported;
    const size_t most = frame_link_may_send(driver->link, CHANNEL_REPORT);

    return left < most ? (size_t)left : most;
}

/*
 * Takes from what was read what comes before the report of this cell: other reports up to their
 * NUL, and the number. Returns its length.
 */
static size_t take_number(struct driver_link *driver, const unsigned char *bytes, size_t length)
{
    size_t at = 0;

    while (at < length && driver->matched < DRIVER_NUMBER) {
        if (bytes[at] == '\0')
            driver->matched = 0;
        else if (driver->matched >= 0 && bytes[at] == (unsigned char)driver->head[driver->matched])
            driver->matched++;
        else
            driver->matched = -1;
        at++;
    }
    return at;
}

static void pass_report(void *context, int number)
{
    struct driver_link *driver = context;
    int *fd = &driver->interpreter->answer;
    const size_t left = report_left(driver);
    const size_t size = left > 0 && left < FRAME_CHUNK ? left : FRAME_CHUNK;
    unsigned char *bytes;
    const unsigned char *end;
    size_t length, before;
    ssize_t got;

    (void)number;
    if (!may_report(driver))
        return;
    bytes = frame_link_prepare(driver->link);
    got = read(*fd, bytes, size);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        descriptor_close(fd);
    if (got <= 0)
        return;
    before = take_number(driver, bytes, (size_t)got);
    length = (size_t)got - before;
    memmove(bytes, bytes + before, length);
    end = memchr(bytes, '\0', length);
    if (end)
        length = (size_t)(end - bytes);
    if (length > 0 && left > 0) {
        frame_link_commit(driver->link, CHANNEL_REPORT, length);
        driver->reported += length;
    }
    driver->ended = end != NULL;
}

void driver_link_watch_report(struct driver_link *driver, struct loop *loop)
{
    if (may_report(driver))
        loop_add(loop, driver->interpreter->answer, POLLIN, pass_report, driver, 0);
}
