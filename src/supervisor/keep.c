#define _GNU_SOURCE
#include "supervisor/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/clean.h"
#include "supervisor/collect.h"
#include "supervisor/descriptors.h"
#include "supervisor/kernel.h"
#include "supervisor/memory_file.h"

enum { STEPS_MAX = 64, REAP_WAIT_MS = 5, CHUNK = 32768 };

/* How long KEEP waits for sockets to go; those that are left are of another container, or a host.
 */
enum { SOCKETS_MAX_MS = 1000, SOCKETS_WAIT_MS = 2 };

/* More than any deadline, in milliseconds. */
enum { TIME_MAX_MS = 1000000000 };

static bool is_late(const struct keep *keep)
{
    return figures_clock_us() >= keep->deadline_us;
}

static bool go_on(void *context)
{
    struct keep *keep = context;

    if (++keep->steps % STEPS_MAX != 0)
        return true;
    connection_poll(keep->connection, 0);
    return !is_late(keep);
}

void keep_open(struct keep *keep, struct connection *connection, const char *mountinfo,
               const char *sysvipc, const char *sockets)
{
    *keep = (struct keep){.connection = connection,
                          .workdir = -1,
                          .sysvipc = sysvipc,
                          .sockets = sockets,
                          .copy = -1,
                          .pace = {go_on, keep}};
    places_open(&keep->places, mountinfo);
}

static void begin_work(struct keep *keep, uint64_t max_ms)
{
    const uint64_t ms = max_ms < TIME_MAX_MS ? max_ms : TIME_MAX_MS;

    keep->deadline_us = figures_clock_us() + ms * 1000;
    keep->steps = 0;
    keep->step = 0;
    connection_set_timer(keep->connection, 0);
}

/* Notes what failed, as `failure` says. False. */
static bool fail_at(struct keep *keep, enum frame_step step)
{
    keep->step = step;
    return false;
}

static bool fail(struct keep *keep, enum frame_step step, int error, const char *path)
{
    place_fail(&keep->failure, error, path, NULL);
    return fail_at(keep, step);
}

/* ---- emptying */

/* Processes have ended at END; one that could not become the program may not have yet. */
static bool end_processes(struct keep *keep)
{
    pid_t pid;

    while ((pid = waitpid(-1, NULL, WNOHANG | __WALL)) >= 0) {
        if (pid > 0)
            continue;
        if (is_late(keep))
            return fail(keep, FRAME_STEP_CLEAN, ETIME, "");
        processes_kill(keep->connection->processes);
        connection_poll(keep->connection, REAP_WAIT_MS);
    }
    if (keep->connection->processes->is_init && (kill(-1, 0) == 0 || errno != ESRCH))
        return fail(keep, FRAME_STEP_CLEAN, EBUSY, "/proc");
    return true;
}

bool keep_hides_objects(const struct keep *keep)
{
    return keep->empties && kernel_is_gvisor();
}

bool keep_is_full(const struct keep *keep)
{
    struct statvfs room;

    for (size_t i = 0; i < keep->places.count; i++)
        if (keep->places.items[i].empty && fstatvfs(keep->places.items[i].fd, &room) == 0 &&
            room.f_blocks > 0 && (room.f_bavail == 0 || (room.f_files > 0 && room.f_favail == 0)))
            return true;
    return false;
}

/* A queue can be made although no file system shows it. */
static bool check_queues(struct keep *keep)
{
    if (!keep->connection->processes->is_init || keep->places.has_queues || kernel_is_gvisor() ||
        (syscall(SYS_mq_unlink, "isolator") != 0 && errno == ENOSYS))
        return true;
    return fail(keep, FRAME_STEP_CLEAN, EPERM, "/dev/mqueue");
}

/* Empties all places, or all but the working directory, or that alone. */
static bool empty_places(struct keep *keep, bool others, bool workdir)
{
    for (size_t i = 0; i < keep->places.count; i++) {
        const struct place *place = &keep->places.items[i];

        if (place->empty && (place_is(place, keep->workdir) ? workdir : others) &&
            !clean_place(place, &keep->pace, &keep->failure))
            return fail_at(keep, FRAME_STEP_CLEAN);
    }
    return true;
}

static bool remove_objects(struct keep *keep)
{
    return clean_sysv(keep->sysvipc, &keep->pace, &keep->failure) ||
           fail_at(keep, FRAME_STEP_CLEAN);
}

/* The kernel looks for garbage when a UNIX socket is closed. */
static void collect_sockets(void)
{
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd >= 0)
        close(fd);
}

/*
 * Waits until the kernel has collected sockets that hold each other: it may do that some time after
 * the end of the processes, and memory and room in file systems are missing until then. The list is
 * empty a little before the files are closed that were in the messages.
 */
static bool wait_for_sockets(struct keep *keep, bool keeps)
{
    const uint64_t start_us = figures_clock_us();
    bool waited = false;

    if (keeps)
        keep->shares_sockets = false;
    while (!keep->shares_sockets && clean_has_sockets(keep->sockets)) {
        if (is_late(keep))
            return fail(keep, FRAME_STEP_CLEAN, ETIME, keep->sockets);
        if (keeps && figures_clock_us() - start_us > (uint64_t)SOCKETS_MAX_MS * 1000)
            keep->shares_sockets = true;
        collect_sockets();
        connection_poll(keep->connection, SOCKETS_WAIT_MS);
        waited = true;
    }
    if (waited)
        connection_poll(keep->connection, SOCKETS_WAIT_MS);
    return true;
}

/* ---- the copy */

/* The memfd that the copy is written to. */
struct copy {
    struct keep *keep;
    int fd;
    uint64_t left; /* bytes that it may still get */
    int error;
};

static bool write_copy(void *context, const void *data, size_t length)
{
    struct copy *copy = context;
    const char *bytes = data;

    copy->error = !go_on(copy->keep) ? ETIME : length > copy->left ? EFBIG : 0;
    if (copy->error != 0)
        return false;
    copy->left -= length;
    while (length > 0) {
        const ssize_t written = write(copy->fd, bytes, length);

        if (written < 0 && errno != EINTR) {
            copy->error = errno;
            return false;
        }
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
    return true;
}

static bool refuse_file(void *context, const char *path)
{
    struct copy *copy = context;

    (void)path;
    copy->error = EFBIG;
    return false;
}

/* Forgets the copy that there is. */
static void drop_copy(struct keep *keep)
{
    descriptor_close(&keep->copy);
}

static bool make_copy(struct keep *keep, uint64_t max)
{
    struct copy copy = {.keep = keep, .left = max};
    struct collect job = {.write = write_copy,
                          .too_large = refuse_file,
                          .context = &copy,
                          .exact = true,
                          .file_max = max,
                          .left = max};

    drop_copy(keep);
    keep->copy = copy.fd = memory_file_make("copy");
    if (copy.fd < 0)
        return fail(keep, FRAME_STEP_KEEP, errno, "");
    if (!collect_directory(&job, keep->workdir))
        fail(keep, FRAME_STEP_KEEP, job.error != 0 ? job.error : copy.error, job.path);
    else if (!memory_file_seal(copy.fd))
        fail(keep, FRAME_STEP_KEEP, errno, "");
    else
        return true;
    drop_copy(keep);
    return false;
}

/* ---- frames */

/* Whether all files and queues that programs can leave can be removed. */
static bool check(struct keep *keep)
{
    if (!places_check(&keep->places, keep->workdir, &keep->pace, &keep->failure))
        return fail_at(keep, FRAME_STEP_CLEAN);
    return check_queues(keep);
}

/* Memory is given back before the copy takes some. */
static bool make(struct keep *keep, uint64_t max, bool ended)
{
    return (ended || end_processes(keep)) && check(keep) && remove_objects(keep) &&
           empty_places(keep, true, false) && wait_for_sockets(keep, true) &&
           (max == 0 || (make_copy(keep, max) && empty_places(keep, false, true)));
}

uint64_t keep_bytes(const struct keep *keep)
{
    return keep->copy < 0 ? 0 : (uint64_t)lseek(keep->copy, 0, SEEK_END);
}

bool keep_make(struct keep *keep, const struct frame_keep *frame, bool ended, uint64_t *bytes)
{
    begin_work(keep, frame->max_ms);
    if (!make(keep, frame->max, ended))
        return false;
    keep->empties = true;
    *bytes = keep_bytes(keep);
    return true;
}

bool keep_empty(struct keep *keep, const struct frame_restore *frame, bool ended)
{
    const bool is_first = !keep->empties;

    begin_work(keep, frame->max_ms);
    if (frame->forgets != 0)
        drop_copy(keep);
    if ((!ended && !end_processes(keep)) || (is_first && !check(keep)))
        return false;
    keep->empties = true;
    return remove_objects(keep) && empty_places(keep, true, true) &&
           wait_for_sockets(keep, is_first);
}

bool keep_lay_out(struct keep *keep, struct unpack *unpack)
{
    static char chunk[CHUNK];
    ssize_t length;
    off_t at = 0;

    while ((length = pread(keep->copy, chunk, sizeof chunk, at)) > 0) {
        unpack_feed(unpack, chunk, (size_t)length);
        at += length;
        connection_poll(keep->connection, 0);
        if (is_late(keep))
            return fail(keep, FRAME_STEP_UNPACK, ETIME, "");
    }
    return unpack_good(unpack) ||
           fail(keep, FRAME_STEP_UNPACK, unpack->failure, unpack->failed ? unpack->failed : "");
}
