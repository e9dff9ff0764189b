#define _GNU_SOURCE
#include "config/state_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file_replace.h"
#include "base/strbuf.h"
#include "config/config_files.h"

enum { DIRECTORY = O_PATH | O_DIRECTORY | O_CLOEXEC };

/* Where the part "isolator/NAME" of the path begins. */
static size_t own_part(const char *path)
{
    CLEANUP_FREE char *own = config_state("");
    const size_t length = strlen(own) - strlen("isolator/");

    return strncmp(path, own, length) == 0 ? length : 0;
}

/* Of a link, too, the kernel says only that it has no directory there. */
static void name_link(int parent, const char *name)
{
    struct stat status;

    if (errno == ENOTDIR && fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISLNK(status.st_mode))
        errno = ELOOP;
}

int state_file_directory(const char *path, bool create)
{
    CLEANUP_FREE char *copy = string_copy(path);
    char *part = copy + own_part(path);
    CLEANUP_FREE char *above = string_format("%.*s", (int)(part - copy), copy);
    CLEANUP_FD int fd = -1;

    if (create)
        file_make_directories(above);
    fd = open(above, DIRECTORY);
    for (char *slash = strchr(part, '/'); slash && fd >= 0; slash = strchr(part, '/')) {
        int next;

        *slash = '\0';
        if (create)
            mkdirat(fd, part, 0700);
        next = openat(fd, part, DIRECTORY | O_NOFOLLOW);
        if (next < 0)
            name_link(fd, part);
        cleanup_fd(&fd);
        fd = next;
        part = slash + 1;
    }
    return steal_fd(&fd);
}

int state_file_open(const char *path, int flags)
{
    CLEANUP_FD const int directory = state_file_directory(path, (flags & O_CREAT) != 0);

    if (directory < 0)
        return -1;
    return openat(directory, strrchr(path, '/') + 1, flags | O_NOFOLLOW | O_CLOEXEC, 0600);
}
