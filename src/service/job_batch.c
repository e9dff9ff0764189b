#include "service/job_batch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "config/state_files.h"
#include "service/job_files.h"

/* Not the name of the file of a job. */
static char *lock_path(void)
{
    CLEANUP_FREE char *directory = job_files_directory();

    return string_format("%s/.batch", directory);
}

int job_batch_begin(struct error *error)
{
    CLEANUP_FREE char *path = lock_path();
    CLEANUP_FD int fd = -1;

    fd = state_file_open(path, O_RDWR | O_CREAT);
    if (fd < 0 || flock(fd, LOCK_SH) != 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot lock '%s'", path);
    return steal_fd(&fd);
}

bool job_batch_runs(void)
{
    CLEANUP_FREE char *path = lock_path();
    CLEANUP_FD int fd = state_file_open(path, O_RDWR);

    return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}
