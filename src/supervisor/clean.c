#define _GNU_SOURCE
#include "supervisor/clean.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "supervisor/entries.h"

/*
 * How this works. A directory is listed from its beginning and its entries removed, until one of
 * them is a directory that is not empty. Then that one is entered, emptied and left by "..", and
 * the directory above is listed from its beginning again, where only what is left comes. So a
 * program can make a tree as deep as it likes: no level costs memory or a descriptor.
 */

enum { DIRECTORY_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* Where the work is. */
struct walk {
    const struct place *place;
    const struct pace *pace;
    struct place_failure *failure;
    int fd;       /* the directory that is emptied; owned */
    long level;   /* below the root */
    bool removed; /* something was, since the listing began */
};

enum step { STEP_FAILED, STEP_DONE, STEP_DOWN };

static enum step fail(struct walk *walk, int error, const char *name)
{
    place_fail(walk->failure, error, walk->place->path, walk->level == 0 ? name : NULL);
    return STEP_FAILED;
}

/* Goes on in another directory. */
static void enter(struct walk *walk, int fd, long level)
{
    close(walk->fd);
    walk->fd = fd;
    walk->level = level;
}

/* Opens a directory of this user, whatever its permissions are, so that it can be emptied. */
static int open_own(int parent, const char *name)
{
    struct stat status;
    int fd = openat(parent, name, DIRECTORY_FLAGS);

    if (fd < 0 && errno == EACCES && fchmodat(parent, name, 0700, 0) == 0)
        fd = openat(parent, name, DIRECTORY_FLAGS);
    if (fd >= 0 && fstat(fd, &status) == 0 && (status.st_mode & 0700) != 0700)
        fchmod(fd, 0700);
    return fd;
}

/* Whether a mount keeps this entry of the root, which has been there before. */
static bool is_mount_point(const struct walk *walk, const char *name)
{
    struct stat status;

    return walk->level == 0 && fstatat(walk->fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           status.st_dev != walk->place->device;
}

static enum step remove_entry(struct walk *walk, const struct entry *entry)
{
    bool removed = entry->type != DT_DIR && unlinkat(walk->fd, entry->name, 0) == 0;
    int fd, error;

    if (!removed && (entry->type == DT_DIR || errno == EISDIR))
        removed = unlinkat(walk->fd, entry->name, AT_REMOVEDIR) == 0;
    if (removed) {
        walk->removed = true;
        return STEP_DONE;
    }
    error = errno;
    if (is_mount_point(walk, entry->name))
        return STEP_DONE;
    if (error != ENOTEMPTY && error != EEXIST)
        return fail(walk, error, entry->name);
    fd = open_own(walk->fd, entry->name);
    if (fd < 0)
        return fail(walk, errno, entry->name);
    enter(walk, fd, walk->level + 1);
    return STEP_DOWN;
}

/* Removes the entries of the directory, until there is one to go down to. */
static enum step empty_directory(struct walk *walk)
{
    enum step step = STEP_DONE;
    struct entries entries;
    struct entry entry;
    int found;

    entries_open(&entries, walk->fd);
    while (step == STEP_DONE && (found = entries_next(&entries, &entry)) > 0) {
        if (!walk->pace->go_on(walk->pace->context))
            return fail(walk, ETIME, NULL);
        step = remove_entry(walk, &entry);
    }
    if (step == STEP_DONE && found < 0)
        return fail(walk, errno, NULL);
    return step;
}

static bool go_up(struct walk *walk)
{
    const int fd = openat(walk->fd, "..", DIRECTORY_FLAGS);

    if (fd < 0)
        return fail(walk, errno, NULL) != STEP_FAILED;
    enter(walk, fd, walk->level - 1);
    return true;
}

/* Ends once the root, listed from its beginning, has nothing that was removed. */
static bool empty_tree(struct walk *walk)
{
    for (;;) {
        if (walk->level == 0)
            walk->removed = false;
        switch (empty_directory(walk)) {
        case STEP_FAILED:
            return false;
        case STEP_DONE:
            if (walk->level > 0 ? !go_up(walk) : !walk->removed)
                return walk->level == 0;
            break;
        case STEP_DOWN:
            break;
        }
    }
}

/* ---- the root */

/* Attributes that a program can set; those of other kinds need privileges. */
static bool is_own_attribute(const char *name)
{
    return strncmp(name, "user.", 5) == 0 || strncmp(name, "system.posix_acl_", 17) == 0;
}

static bool is_own(const struct place *place)
{
    return place->uid == geteuid();
}

/* What this user cannot do, no program can. */
static bool is_refused(int error)
{
    return error == EPERM || error == EACCES || error == EROFS;
}

/*
 * An access control list for new files would stay in force. Who can write to a directory of another
 * user can give it attributes too; some of those may be the other user's.
 */
static bool remove_attributes(const struct place *place)
{
    static char names[65536]; /* XATTR_LIST_MAX of Linux */
    const int fd = place->fd;
    ssize_t length = flistxattr(fd, NULL, 0);

    if (length == 0 || (length < 0 && errno == ENOTSUP))
        return true;
    length = flistxattr(fd, names, sizeof names);
    if (length < 0)
        return false;
    for (const char *name = names; name < names + length; name += strlen(name) + 1)
        if (is_own_attribute(name) && fremovexattr(fd, name) != 0 &&
            (is_own(place) || !is_refused(errno)))
            return false;
    return true;
}

static bool restore_flags(const struct place *place)
{
    return place_flags(place->fd) == place->flags ||
           ioctl(place->fd, PLACE_SET_FLAGS, &place->flags) == 0;
}

/* The times of another user's directory cannot be restored, but not be chosen either. */
static void forget_times(const struct place *place)
{
    if (futimens(place->fd, NULL) != 0)
        errno = 0; /* this user cannot write to it */
}

static bool restore_root(const struct place *place)
{
    struct stat status;

    if (!remove_attributes(place))
        return false;
    if (!is_own(place)) {
        forget_times(place);
        return true;
    }
    return restore_flags(place) && fstat(place->fd, &status) == 0 &&
           (status.st_gid == place->gid || fchown(place->fd, (uid_t)-1, place->gid) == 0) &&
           ((status.st_mode & 07777) == place->mode || fchmod(place->fd, place->mode) == 0) &&
           futimens(place->fd, place->times) == 0;
}

bool clean_place(const struct place *place, const struct pace *pace, struct place_failure *failure)
{
    struct walk walk = {.place = place, .pace = pace, .failure = failure, .fd = -1};
    bool emptied;

    if (is_own(place) && fchmod(place->fd, place->mode | 0700) != 0)
        return place_fail(failure, errno, place->path, NULL);
    walk.fd = openat(place->fd, ".", DIRECTORY_FLAGS);
    if (walk.fd < 0)
        return place_fail(failure, errno, place->path, NULL);
    emptied = empty_tree(&walk);
    close(walk.fd);
    return emptied && (restore_root(place) || place_fail(failure, errno, place->path, NULL));
}

/* ---- System V */

static int remove_shm(int id)
{
    return shmctl(id, IPC_RMID, NULL);
}

static int remove_sem(int id)
{
    return semctl(id, 0, IPC_RMID);
}

static int remove_msg(int id)
{
    return msgctl(id, IPC_RMID, NULL);
}

/* The objects of one kind. */
struct kind {
    const char *name;
    int (*remove)(int id);
};

/* The second number of a line: "KEY ID ...". False: it is the title of the table. */
static bool read_id(const char *line, int *id)
{
    char *key_end, *end;

    strtol(line, &key_end, 10);
    *id = (int)strtol(key_end, &end, 10);
    return key_end != line && end != key_end;
}

/* Removes the objects of the list from its beginning. How many they were; -1: errno says why. */
static long remove_listed(const struct kind *kind, int fd, const struct pace *pace)
{
    char text[4096 + 1];
    size_t filled = 0;
    ssize_t length;
    long removed = 0;

    lseek(fd, 0, SEEK_SET);
    while ((length = read(fd, text + filled, sizeof text - 1 - filled)) > 0) {
        char *line = text, *end;
        int id;

        filled += (size_t)length;
        text[filled] = '\0';
        for (; (end = strchr(line, '\n')); line = end + 1) {
            *end = '\0';
            if (!read_id(line, &id))
                continue;
            errno = ETIME;
            if (!pace->go_on(pace->context) || kind->remove(id) != 0)
                return -1;
            removed++;
        }
        filled -= (size_t)(line - text);
        memmove(text, line, filled);
    }
    return length < 0 ? -1 : removed;
}

/* What is listed once more after a removal is held by something other than a program. */
static bool remove_kind(const struct kind *kind, int fd, const struct pace *pace)
{
    for (int i = 0; i < 3; i++) {
        const long removed = remove_listed(kind, fd, pace);

        if (removed <= 0)
            return removed == 0;
    }
    errno = EBUSY;
    return false;
}

bool clean_sysv(const char *directory, const struct pace *pace, struct place_failure *failure)
{
    static const struct kind kinds[] = {
        {"shm", remove_shm}, {"sem", remove_sem}, {"msg", remove_msg}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char path[PATH_MAX];
        bool good;
        int fd;

        snprintf(path, sizeof path, "%s/%s", directory, kinds[i].name);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0 && errno == ENOENT)
            continue;
        good = fd >= 0 && remove_kind(&kinds[i], fd, pace);
        if (!good)
            place_fail(failure, errno, path, NULL);
        close(fd);
        if (!good)
            return false;
    }
    return true;
}

bool clean_has_sockets(const char *list)
{
    char text[512]; /* more than the title */
    const int fd = open(list, O_RDONLY | O_CLOEXEC);
    const ssize_t length = read(fd, text, sizeof text);
    const char *end = length > 0 ? memchr(text, '\n', (size_t)length) : NULL;

    close(fd);
    return end && end + 1 < text + length;
}
