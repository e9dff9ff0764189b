#include "mcp/host_install.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/difference.h"
#include "base/file_replace.h"
#include "mcp/host_edit.h"

/* ---- reading */

/*
 * Sets the path, and the status if there is a file. A symbolic link stays: what it leads to is
 * replaced. One that leads nowhere may wait for a disk, so nothing is created there.
 */
static int find_file(struct host_install *install, const struct host *host, bool *exists,
                     struct error *error)
{
    CLEANUP_FREE char *path = host_path(host);
    struct stat link;

    if (!path)
        return error_set(error, ERROR_CONFIG,
                         "cannot find the file of %s: HOME is not an absolute path", host->name);
    install->path = realpath(path, NULL);
    *exists = install->path != NULL;
    if (*exists)
        return 0;
    if (errno != ENOENT)
        return error_set_errno(error, ERROR_CONFIG, "cannot open '%s'", path);
    if (lstat(path, &link) == 0)
        return error_set(error, ERROR_CONFIG, "'%s' is a symbolic link that leads nowhere", path);
    install->path = steal_pointer(&path);
    return 0;
}

static int read_file(struct host_install *install, struct error *error)
{
    CLEANUP_FD const int fd =
        open(install->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    char chunk[65536];
    ssize_t length;

    if (fd < 0 || fstat(fd, &install->status) != 0)
        return error_set_errno(error, ERROR_CONFIG, "cannot open '%s'", install->path);
    if (!S_ISREG(install->status.st_mode))
        return error_set(error, ERROR_CONFIG, "'%s' is not a regular file", install->path);
    while ((length = read(fd, chunk, sizeof chunk)) > 0) {
        strbuf_add(&install->before, chunk, (size_t)length);
        if (install->before.length > HOST_FILE_MAX)
            return error_set(error, ERROR_CONFIG, "'%s' is larger than %d MiB", install->path,
                             HOST_FILE_MAX >> 20);
    }
    if (length < 0)
        return error_set_errno(error, ERROR_CONFIG, "cannot read '%s'", install->path);
    return 0;
}

int host_install_prepare(struct host_install *install, const struct host *host,
                         const struct host_config *made, struct error *error)
{
    bool exists = false;

    if (!host->file)
        return error_set(error, ERROR_CONFIG, "%s has no file that lists its servers", host->name);
    if (find_file(install, host, &exists, error) != 0)
        return -1;
    if (exists) {
        if (read_file(install, error) != 0)
            return -1;
        install->backup = string_format("%s.isolator-backup", install->path);
    }
    if (host_edit(host, made, strbuf_string(&install->before), install->before.length,
                  &install->after, error) != 0)
        return error_prefix(error, "cannot add the entry to '%s'", install->path);
    return 0;
}

/* ---- writing */

/* Whether the file is still the one that was read, or is still missing. */
static bool is_unchanged(const struct host_install *install)
{
    const struct stat *was = &install->status;
    struct stat now;

    if (lstat(install->path, &now) != 0)
        return !install->backup;
    return install->backup && now.st_dev == was->st_dev && now.st_ino == was->st_ino &&
           now.st_size == was->st_size && now.st_mtim.tv_sec == was->st_mtim.tv_sec &&
           now.st_mtim.tv_nsec == was->st_mtim.tv_nsec;
}

int host_install_write(const struct host_install *install, struct error *error)
{
    const struct stat *like = install->backup ? &install->status : NULL;

    if (install->after.length == 0)
        return 0;
    if (!install->backup)
        file_make_directories(install->path);
    else if (file_replace(install->backup, strbuf_string(&install->before), install->before.length,
                          like) != 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot write '%s'", install->backup);
    if (!is_unchanged(install))
        return error_set(error, ERROR_CONFIG, "'%s' was changed by another program; try again",
                         install->path);
    if (file_replace(install->path, install->after.data, install->after.length, like) != 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot write '%s'", install->path);
    return 0;
}

char *host_install_difference(const struct host_install *install)
{
    if (install->after.length == 0)
        return string_copy("");
    return difference_of(install->path, install->backup ? &install->before : NULL, &install->after);
}

void host_install_release(struct host_install *install)
{
    free(install->path);
    free(install->backup);
    strbuf_release(&install->before);
    strbuf_release(&install->after);
    *install = (struct host_install)HOST_INSTALL_INIT;
}
