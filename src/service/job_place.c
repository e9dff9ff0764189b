#include "service/job_place.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/io.h"
#include "config/state_files.h"
#include "service/job_list.h"

/* How often the lock is tried while another start decides. */
enum { POLL_MS = 20 };

/* Returns the locked file, which is next to the directory of jobs. -1 with the error. */
static int lock_starts(const struct job_place *place, struct error *error)
{
    CLEANUP_FREE char *directory = job_files_directory();
    CLEANUP_FREE char *path = string_format("%s.lock", directory);
    struct pollfd cancelled = {place->cancel ? notifier_fd(place->cancel) : -1, POLLIN, 0};
    CLEANUP_FD int fd = -1;

    fd = state_file_open(path, O_RDWR | O_CREAT);
    if (fd < 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot write '%s'", path);
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return error_set_errno(error, ERROR_SYSTEM, "cannot lock '%s'", path);
        if (notifier_raised(place->cancel))
            return error_set(error, ERROR_CANCELLED, "cancelled");
        if (clock_now_ms() >= place->deadline)
            return error_set(error, ERROR_SYSTEM, "another isolator has '%s' locked", path);
        io_poll(&cancelled, 1, POLL_MS);
    }
    return steal_fd(&fd);
}

/* ERROR_USAGE if a job or workspace has this name, or is being started with it. */
static int check_name(const char *name, const struct strvec *starting, struct error *error)
{
    CLEANUP(strvec_release) struct strvec found = STRVEC_INIT;
    char id[JOB_ID_SIZE];
    const char *other = NULL;

    job_files_find(name, false, &found);
    for (size_t i = 0; i < starting->count && found.count == 0; i++)
        if (job_file_split(starting->items[i], id, &other) && other && strcmp(other, name) == 0)
            strvec_push(&found, starting->items[i]);
    return found.count == 0 ? 0
                            : error_set(error, ERROR_USAGE, "there is a job or workspace '%s' already", name);
}

static bool is_starting(const struct strvec *starting, const char *id)
{
    for (size_t i = 0; i < starting->count; i++)
        if (strncmp(starting->items[i], id, JOB_ID_SIZE - 1) == 0)
            return true;
    return false;
}

/* What a start that was killed has left does not count: gc removes it. */
static int check_number(const struct job_place *place, const struct job_note *note,
                        const struct strvec *starting, struct error *error)
{
    const enum container_purpose purpose = note->is_workspace ? PURPOSE_WORKSPACE : PURPOSE_JOB;
    CLEANUP(job_list_release) struct job_list list = JOB_LIST_INIT;
    size_t running = starting->count;

    if (job_list_read(&list, place->docker, place->cancel, error) != 0)
        return -1;
    for (size_t i = 0; i < list.count; i++)
        running += list.rows[i].purpose == purpose && job_state_runs(list.rows[i].state) &&
                   !is_starting(starting, list.rows[i].id) &&
                   job_note_stage(list.rows[i].id) != JOB_STAGE_STARTING;
    if (running < (size_t)place->max_running)
        return 0;
    return error_set(error, ERROR_INPUT, "%zu %s run already, and no more than %d may%s%s", running,
                     note->is_workspace ? "workspaces" : "jobs", place->max_running,
                     place->when_full ? ": " : "", place->when_full ? place->when_full : "");
}

int job_place_take(const struct job_place *place, struct job_note *note, struct error *error)
{
    CLEANUP(strvec_release) struct strvec starting = STRVEC_INIT;
    CLEANUP_FD int lock = lock_starts(place, error);

    if (lock < 0)
        return -1;
    job_notes_starting(&starting); /* before the list, which then has those that are started now */
    if ((note->name && check_name(note->name, &starting, error) != 0) ||
        (place->max_running > 0 && check_number(place, note, &starting, error) != 0))
        return -1;
    return job_note_create(note, error);
}
