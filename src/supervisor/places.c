#define _GNU_SOURCE
#include "supervisor/places.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "supervisor/entries.h"
#include "supervisor/mounts.h"
#include "supervisor/protocol.h"

/* A longer table, or a longer line, is refused. */
enum { MOUNTS_MAX = 4096, LINE_SIZE = 16384 };

/* The levels of a place that was not empty that are looked at. */
enum { LEVELS_MAX = 32 };

bool place_fail(struct place_failure *failure, int error, const char *path, const char *name)
{
    failure->error = error;
    snprintf(failure->path, sizeof failure->path, "%s%s%s", path, name ? "/" : "",
             name ? name : "");
    return false;
}

/* ---- at the start */

/* Remembers the first reason only. */
static void refuse(struct places *places, int error, const char *path)
{
    if (places->refusal.error == 0)
        place_fail(&places->refusal, error, path, NULL);
}

/* File systems that show the kernel, in which no program can leave a file. */
static bool has_no_files(const char *type)
{
    static const char *const types[] = {"proc", "sysfs", "cgroup", "cgroup2", "devpts"};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i]) == 0)
            return true;
    return false;
}

static bool is_mount_point(int directory, const char *name, dev_t device)
{
    struct stat status;

    return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_dev != device;
}

static bool is_empty(int directory, dev_t device)
{
    struct entries entries;
    struct entry entry;
    int found;

    entries_open(&entries, directory);
    while ((found = entries_next(&entries, &entry)) > 0)
        if (!is_mount_point(directory, entry.name, device))
            return false;
    return found == 0;
}

static void release_place(struct place *place)
{
    close(place->fd);
    free(place->path);
}

/* A mount hides one that was mounted in the same place before. */
static void remove_place(struct places *places, const char *path)
{
    for (size_t i = 0; i < places->count; i++)
        if (strcmp(places->items[i].path, path) == 0) {
            release_place(&places->items[i]);
            places->items[i] = places->items[--places->count];
            return;
        }
}

long place_flags(int fd)
{
    long flags = 0;

    return ioctl(fd, PLACE_GET_FLAGS, &flags) == 0 ? flags : 0;
}

static void add_place(struct places *places, const char *path, int fd, const struct stat *status)
{
    if (places->count == PLACES_MAX) {
        close(fd);
        refuse(places, E2BIG, path);
        return;
    }
    places->items[places->count++] = (struct place){.path = string_copy(path),
                                                    .fd = fd,
                                                    .device = status->st_dev,
                                                    .inode = status->st_ino,
                                                    .empty = is_empty(fd, status->st_dev),
                                                    .mode = status->st_mode & 07777,
                                                    .uid = status->st_uid,
                                                    .gid = status->st_gid,
                                                    .times = {status->st_atim, status->st_mtim},
                                                    .flags = place_flags(fd)};
}

static bool may(const char *path, int mode)
{
    return faccessat(AT_FDCWD, path, mode, 0) == 0;
}

/* Looks at the root of a writable mount. What this user cannot reach, no program can. */
static void open_place(struct places *places, const char *path)
{
    struct stat status;
    bool changeable;
    int fd;

    if (lstat(path, &status) != 0)
        return;
    if (!S_ISDIR(status.st_mode)) {
        if (S_ISREG(status.st_mode) && may(path, W_OK))
            refuse(places, EPERM, path);
        return;
    }
    changeable = status.st_uid == geteuid() || may(path, W_OK);
    fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && (changeable || !is_empty(fd, status.st_dev)))
        add_place(places, path, fd, &status);
    else if (fd >= 0)
        close(fd); /* it stays empty */
    else if (changeable || may(path, X_OK))
        refuse(places, EPERM, path);
}

static void take_mount(struct places *places, const struct mount *mount)
{
    const bool queues = strcmp(mount->type, "mqueue") == 0;

    remove_place(places, mount->path);
    if (strcmp(mount->path, "/") == 0) {
        places->has_root = true;
        if (mount->writable)
            refuse(places, EPERM, "/");
        return;
    }
    places->has_queues = places->has_queues || queues;
    /* A queue can be made although its file system is mounted read-only. */
    if ((mount->writable || queues) && !has_no_files(mount->type))
        open_place(places, mount->path);
}

/* Reads all lines of the table. False: it cannot be read, or is too long. */
static bool read_mounts(struct places *places, int fd)
{
    char text[LINE_SIZE];
    size_t filled = 0;
    ssize_t length;
    int mounts = 0;

    while ((length = read(fd, text + filled, sizeof text - filled)) > 0) {
        char *line = text, *end;

        filled += (size_t)length;
        for (; (end = memchr(line, '\n', filled)); line = end + 1) {
            struct mount mount;

            filled -= (size_t)(end + 1 - line);
            if (++mounts > MOUNTS_MAX || !mount_parse(line, (size_t)(end - line), &mount))
                return false;
            take_mount(places, &mount);
        }
        memmove(text, line, filled);
        if (filled == sizeof text)
            return false;
    }
    return length == 0 && filled == 0;
}

void places_open(struct places *places, const char *mountinfo)
{
    int fd;

    *places = (struct places){.count = 0};
    if (!mountinfo) {
        refuse(places, EPERM, "");
        return;
    }
    fd = open(mountinfo, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || !read_mounts(places, fd) || !places->has_root)
        refuse(places, EINVAL, mountinfo);
    close(fd);
}

void places_close(struct places *places)
{
    while (places->count > 0)
        release_place(&places->items[--places->count]);
}

/* ---- what cannot be restored must not change */

struct check {
    const struct pace *pace;
    struct place_failure *failure;
    dev_t device;
    int levels;
};

static bool check_directory(struct check *check, int directory, const char *path);

/* Whether it is the directory of the script of a job, in which isolator puts that file alone. */
static bool is_of_script(int parent, const char *path, const char *name)
{
    const size_t length = strlen(path);
    struct stat status;

    return strncmp(JOB_DIRECTORY, path, length) == 0 && JOB_DIRECTORY[length] == '/' &&
           strcmp(&JOB_DIRECTORY[length + 1], name) == 0 &&
           fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_uid != geteuid() &&
           faccessat(parent, name, W_OK, 0) != 0;
}

/* Checks the entries of a directory that cannot be listed, if a program can reach them. */
static bool check_unlisted(struct check *check, int parent, const char *path, const char *name)
{
    if (faccessat(parent, name, X_OK, 0) != 0 || is_of_script(parent, path, name))
        return true;
    return place_fail(check->failure, EPERM, path, name);
}

static bool check_subdirectory(struct check *check, int parent, const char *path, const char *name)
{
    const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    char below[PATH_MAX];
    bool good;

    if (fd < 0)
        return check_unlisted(check, parent, path, name);
    if (++check->levels > LEVELS_MAX ||
        (size_t)snprintf(below, sizeof below, "%s/%s", path, name) >= sizeof below)
        good = place_fail(check->failure, ENAMETOOLONG, path, name);
    else
        good = check_directory(check, fd, below);
    check->levels--;
    close(fd);
    return good;
}

/* Devices, pipes and sockets keep nothing that no process holds, and links cannot be changed. */
static bool check_entry(struct check *check, int parent, const char *path, const char *name)
{
    struct stat status;

    if (!check->pace->go_on(check->pace->context))
        return place_fail(check->failure, ETIME, path, NULL);
    if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return place_fail(check->failure, errno, path, name);
    if (status.st_dev != check->device)
        return true; /* a place of its own, or read-only */
    if (status.st_uid == geteuid() || ((S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) &&
                                       faccessat(parent, name, W_OK, 0) == 0))
        return place_fail(check->failure, EPERM, path, name);
    return !S_ISDIR(status.st_mode) || check_subdirectory(check, parent, path, name);
}

static bool check_directory(struct check *check, int directory, const char *path)
{
    struct entries entries;
    struct entry entry;
    int found;

    entries_open(&entries, directory);
    while ((found = entries_next(&entries, &entry)) > 0)
        if (!check_entry(check, directory, path, entry.name))
            return false;
    return found == 0 || place_fail(check->failure, errno, path, NULL);
}

static bool check_place(const struct place *place, const struct pace *pace,
                        struct place_failure *failure)
{
    struct check check = {.pace = pace, .failure = failure, .device = place->device};

    if (place->uid == geteuid() || faccessat(place->fd, ".", W_OK, 0) == 0)
        return place_fail(failure, EPERM, place->path, NULL);
    return check_directory(&check, place->fd, place->path);
}

bool place_is(const struct place *place, int directory)
{
    struct stat status;

    return fstat(directory, &status) == 0 && status.st_dev == place->device &&
           status.st_ino == place->inode;
}

bool places_check(const struct places *places, int workdir, const struct pace *pace,
                  struct place_failure *failure)
{
    bool has_workdir = false;

    if (places->refusal.error != 0) {
        *failure = places->refusal;
        return false;
    }
    for (size_t i = 0; i < places->count; i++) {
        const struct place *place = &places->items[i];

        has_workdir = has_workdir || (place->empty && place_is(place, workdir));
        if (!place->empty && !check_place(place, pace, failure))
            return false;
    }
    return has_workdir || place_fail(failure, EPERM, ".", NULL);
}
