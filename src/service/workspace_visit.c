#define _GNU_SOURCE /* F_OFD_SETLK */
#include "service/workspace_visit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "container/owned_container.h"
#include "run/run_steps.h"

/* A workspace limits neither the CPU time nor the output of all its commands together. */
#define CPU_SECONDS_MAX  1e12
#define OUTPUT_BYTES_MAX (1ULL << 62)

enum { TURN_POLL_MS = 20 };

/* ---- the turn */

/* Which bytes of the file are locked: a lock needs no bytes that are there. */
enum turn_lock { LOCK_TURN, LOCK_WAITING };

/*
 * Without waiting; F_UNLCK gives it up. False: another one is in the way. True also where files
 * cannot be locked.
 */
static bool set_lock(int fd, enum turn_lock which, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = which, .l_len = 1};

    return fcntl(fd, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES);
}

bool workspace_visit_is_wanted(const struct workspace_visit *visit)
{
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCK_WAITING, .l_len = 1};

    return fcntl(visit->note->lock, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* `pause` is before the first try. */
static int wait_for_turn(int fd, int pause, long long deadline, const struct notifier *cancel,
                         struct error *error)
{
    struct pollfd cancelled = {notifier_fd(cancel), POLLIN, 0};

    for (;; pause = TURN_POLL_MS) {
        if (poll(&cancelled, 1, pause) > 0)
            return owned_container_set_cancelled(error);
        if (set_lock(fd, LOCK_TURN, F_WRLCK))
            return 0;
        if (clock_now_ms() >= deadline)
            return error_set(error, ERROR_INPUT, WORKSPACE_INSTANCE_IN_USE);
    }
}

static int take_turn(struct workspace_visit *visit, struct run *run, struct error *error)
{
    const int fd = visit->note->lock;
    const bool others_wait = workspace_visit_is_wanted(visit); /* and are first */
    int result = 0;

    if (others_wait || !set_lock(fd, LOCK_TURN, F_WRLCK)) {
        set_lock(fd, LOCK_WAITING, F_RDLCK);
        result = wait_for_turn(fd, (others_wait ? 2 : 1) * TURN_POLL_MS, run_setup_deadline(run),
                               run->cancel, error);
        set_lock(fd, LOCK_WAITING, F_UNLCK);
    }
    visit->has_turn = result == 0;
    run->start = clock_now_ms(); /* the time of the others is not this one's */
    return result;
}

static void give_turn_up(struct workspace_visit *visit)
{
    if (visit->has_turn)
        set_lock(visit->note->lock, LOCK_TURN, F_UNLCK);
    visit->has_turn = false;
}

/* ---- the visit */

struct workspace_place workspace_visit_place(const struct docker *docker,
                                             const struct job_note *note, const char *container)
{
    return (struct workspace_place){
        .docker = docker, .container = container, .image = note->plan.image, .key = note->key};
}

static void start_session(struct workspace_visit *visit)
{
    const long long left_s = visit->note->ends - (long long)time(NULL);
    const struct session_limits limits = {.end = clock_now_ms() + left_s * 1000,
                                          .cpu_seconds = CPU_SECONDS_MAX,
                                          .output_bytes = OUTPUT_BYTES_MAX};

    run_session_init(&visit->session, &limits, false);
}

void workspace_visit_init(struct workspace_visit *visit, const struct job_note *note)
{
    *visit = (struct workspace_visit){.note = note};
    start_session(visit);
}

void workspace_visit_leave(struct workspace_visit *visit)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT;

    run_session_remove(&visit->session, 0, &ignored);
    run_session_release(&visit->session);
    start_session(visit);
    give_turn_up(visit);
}

void workspace_visit_release(struct workspace_visit *visit)
{
    workspace_visit_leave(visit);
    run_session_release(&visit->session);
}

int workspace_visit_begin(struct workspace_visit *visit, struct run *run, struct error *error)
{
    const struct job_note *note = visit->note;
    CLEANUP_FREE char *container = owned_container_name_for(PURPOSE_WORKSPACE, note->id);
    const struct workspace_place place = workspace_visit_place(run->docker, note, container);

    if (visit->session.instance && !run_session_lives(&visit->session))
        workspace_visit_leave(visit);
    if (!visit->has_turn && take_turn(visit, run, error) != 0)
        return -1;
    if (!visit->session.instance)
        visit->session.instance = workspace_instance_visit(
            &place, &run->limits, run_setup_deadline(run), run->cancel, error);
    if (visit->session.instance)
        return 0;
    give_turn_up(visit);
    return -1;
}

void workspace_visit_end(struct workspace_visit *visit, struct run *run)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *container = owned_container_name_for(PURPOSE_WORKSPACE, visit->note->id);
    const struct workspace_place place = workspace_visit_place(run->docker, visit->note, container);

    if (run->result->reason == REASON_ENGINE &&
        workspace_instance_explain_end(&place, run->cancel, &error))
        result_fail(run->result, &error);
    if (run->plan->is_shell && run->result->exit_code != EXIT_CODE_NONE &&
        run->result->reason != REASON_EXIT)
        strvec_push(
            &run->result->warnings,
            "this code was ended, and what it has set is not kept: the directory, variables "
            "and functions of the shell are those from before it");
    if (!visit->session.instance)
        workspace_visit_leave(visit);
}
