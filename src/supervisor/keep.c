#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/clean.h"
#include "supervisor/collect.h"
#include "supervisor/memory_file.h"
#include "supervisor/supervisor_state.h"

/*
 * How several programs run one after the other, each as in a fresh container. The files that the
 * first one finds are kept as an archive in a sealed memfd of this process, which no program can
 * open (see supervise.c). Before each program everything that the one before has left is removed,
 * and the archive is unpacked.
 *
 * This may take long, and isolator may have sent the next request already. So frames that arrive
 * meanwhile are read as far as there is room, and not handled; the end of the connection and the
 * timer are looked at after each few steps.
 */

enum { STEPS_MAX = 64, REAP_WAIT_MS = 5, CHUNK = 32768 };

/* How long KEEP waits for sockets to go; those that are left are of another container, or a host.
 */
enum { SOCKETS_MAX_MS = 1000, SOCKETS_WAIT_MS = 2 };

/* More than any deadline, in milliseconds. */
enum { TIME_MAX_MS = 1000000000 };

/* The work on one frame. */
struct work {
    struct supervisor *supervisor;
    uint64_t deadline_us;
    unsigned steps;
    struct pace pace;
};

static bool is_late(const struct work *work)
{
    return figures_clock_us() >= work->deadline_us;
}

static bool go_on(void *context)
{
    struct work *work = context;

    if (++work->steps % STEPS_MAX != 0)
        return true;
    supervisor_look(work->supervisor, 0);
    return !is_late(work);
}

static void begin_work(struct work *work, struct supervisor *supervisor, uint64_t max_ms)
{
    const uint64_t ms = max_ms < TIME_MAX_MS ? max_ms : TIME_MAX_MS;

    *work = (struct work){.supervisor = supervisor,
                          .deadline_us = figures_clock_us() + ms * 1000,
                          .pace = {go_on, work}};
    supervisor->failure.step = 0;
    supervisor_set_timer(supervisor, 0);
}

/* Keeps what failed, as `why` says. False. */
static bool fail_at(struct work *work, enum frame_step step)
{
    work->supervisor->failure.step = step;
    return false;
}

static bool fail(struct work *work, enum frame_step step, int error, const char *path)
{
    place_fail(&work->supervisor->failure.why, error, path, NULL);
    return fail_at(work, step);
}

/* ---- emptying */

/* Processes have ended at END; one that could not become the program may not have yet. */
static bool end_processes(struct work *work)
{
    struct supervisor *supervisor = work->supervisor;
    pid_t pid;

    while ((pid = waitpid(-1, NULL, WNOHANG | __WALL)) >= 0) {
        if (pid > 0)
            continue;
        if (is_late(work))
            return fail(work, FRAME_STEP_CLEAN, ETIME, "");
        ending_kill(supervisor);
        supervisor_look(supervisor, REAP_WAIT_MS);
    }
    if (supervisor->is_init && (kill(-1, 0) == 0 || errno != ESRCH))
        return fail(work, FRAME_STEP_CLEAN, EBUSY, "/proc");
    return true;
}

/* A queue can be made although no file system shows it. */
static bool check_queues(struct work *work)
{
    const struct supervisor *supervisor = work->supervisor;

    if (!supervisor->is_init || supervisor->places.has_queues ||
        (syscall(SYS_mq_unlink, "isolator") != 0 && errno == ENOSYS))
        return true;
    return fail(work, FRAME_STEP_CLEAN, EPERM, "/dev/mqueue");
}

/* Empties all places, or all but the working directory, or that alone. */
static bool empty_places(struct work *work, bool others, bool workdir)
{
    struct supervisor *supervisor = work->supervisor;

    for (size_t i = 0; i < supervisor->places.count; i++) {
        const struct place *place = &supervisor->places.items[i];

        if (place->empty && (place_is(place, supervisor->workdir) ? workdir : others) &&
            !clean_place(place, &work->pace, &supervisor->failure.why))
            return fail_at(work, FRAME_STEP_CLEAN);
    }
    return true;
}

static bool remove_objects(struct work *work)
{
    struct supervisor *supervisor = work->supervisor;

    return clean_sysv(supervisor->sysvipc, &work->pace, &supervisor->failure.why) ||
           fail_at(work, FRAME_STEP_CLEAN);
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
static bool wait_for_sockets(struct work *work, bool keeps)
{
    struct supervisor *supervisor = work->supervisor;
    const uint64_t start_us = figures_clock_us();
    bool waited = false;

    if (keeps)
        supervisor->shares_sockets = false;
    while (!supervisor->shares_sockets && clean_has_sockets(supervisor->sockets)) {
        if (is_late(work))
            return fail(work, FRAME_STEP_CLEAN, ETIME, supervisor->sockets);
        if (keeps && figures_clock_us() - start_us > (uint64_t)SOCKETS_MAX_MS * 1000)
            supervisor->shares_sockets = true;
        collect_sockets();
        supervisor_look(supervisor, SOCKETS_WAIT_MS);
        waited = true;
    }
    if (waited)
        supervisor_look(supervisor, SOCKETS_WAIT_MS);
    return true;
}

/* ---- the copy */

/* The memfd that the copy is written to. */
struct copy {
    struct work *work;
    int fd;
    uint64_t left; /* bytes that it may still get */
    int error;
};

static bool write_copy(void *context, const void *data, size_t length)
{
    struct copy *copy = context;
    const char *bytes = data;

    copy->error = !go_on(copy->work) ? ETIME : length > copy->left ? EFBIG : 0;
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
static void drop_copy(struct supervisor *supervisor)
{
    if (supervisor->copy >= 0)
        close(supervisor->copy);
    supervisor->copy = -1;
}

static bool make_copy(struct work *work, uint64_t max)
{
    const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    struct supervisor *supervisor = work->supervisor;
    struct copy copy = {.work = work, .left = max};
    struct collect job = {.write = write_copy,
                          .too_large = refuse_file,
                          .context = &copy,
                          .exact = true,
                          .file_max = max,
                          .left = max};

    drop_copy(supervisor);
    supervisor->copy = copy.fd = memory_file_make("copy");
    if (copy.fd < 0)
        return fail(work, FRAME_STEP_KEEP, errno, "");
    if (!collect_directory(&job, supervisor->workdir))
        fail(work, FRAME_STEP_KEEP, job.error != 0 ? job.error : copy.error, job.path);
    else if (fcntl(copy.fd, F_ADD_SEALS, seals) != 0)
        fail(work, FRAME_STEP_KEEP, errno, "");
    else
        return true;
    drop_copy(supervisor);
    return false;
}

/* Unpacks the copy in the working directory, which is empty. */
static bool lay_out(struct work *work)
{
    struct supervisor *supervisor = work->supervisor;
    struct unpack *unpack = &supervisor->unpack;
    static char chunk[CHUNK];
    ssize_t length;
    off_t at = 0;

    while ((length = pread(supervisor->copy, chunk, sizeof chunk, at)) > 0) {
        unpack_feed(unpack, chunk, (size_t)length);
        at += length;
        supervisor_look(supervisor, 0);
        if (is_late(work))
            return fail(work, FRAME_STEP_UNPACK, ETIME, "");
    }
    return unpack_good(unpack) ||
           fail(work, FRAME_STEP_UNPACK, unpack->failure, unpack->failed ? unpack->failed : "");
}

/* ---- frames */

/* Memory is given back before the copy takes some. */
static bool keep(struct work *work, uint64_t max)
{
    struct supervisor *supervisor = work->supervisor;

    if (!places_check(&supervisor->places, supervisor->workdir, &work->pace,
                      &supervisor->failure.why))
        return fail_at(work, FRAME_STEP_CLEAN);
    return end_processes(work) && check_queues(work) && remove_objects(work) &&
           empty_places(work, true, false) && wait_for_sockets(work, true) &&
           make_copy(work, max) && empty_places(work, false, true);
}

void keep_make(struct supervisor *supervisor, const struct frame_keep *frame)
{
    struct frame_kept kept;
    struct work work;

    begin_work(&work, supervisor, frame->max_ms);
    if (!keep(&work, frame->max)) {
        keep_send_failure(supervisor);
        return;
    }
    kept.bytes = (uint64_t)lseek(supervisor->copy, 0, SEEK_END);
    supervisor_send(supervisor, FRAME_KEPT, &kept, sizeof kept, NULL);
    supervisor->state = STATE_ENDED;
}

void keep_restore(struct supervisor *supervisor, const struct frame_restore *frame)
{
    struct work work;
    bool empty;

    begin_work(&work, supervisor, frame->max_ms);
    empty = end_processes(&work) && remove_objects(&work) && empty_places(&work, true, true) &&
            wait_for_sockets(&work, false);
    requests_reset(supervisor);
    if (!empty || !lay_out(&work))
        return;
    unpack_release(&supervisor->unpack);
    unpack_init(&supervisor->unpack);
}

bool keep_send_failure(struct supervisor *supervisor)
{
    struct failure *failure = &supervisor->failure;

    if (failure->step == 0)
        return false;
    supervisor_send_failed(supervisor, failure->step, failure->why.error, failure->why.path);
    failure->step = 0;
    return true;
}
