/*
 * The places of a container in which a program can leave files: the roots of its writable mounts.
 * Knows which there are, how they were before the first program, and whether they can be brought
 * back to that; supervisor/clean.h does it.
 *
 * A place that was empty can be emptied, whatever is in it. A place that was not empty cannot be
 * restored, so the user of this process must not be able to change anything in it. A program cannot
 * make it changeable either: it cannot give itself permissions on files and directories of another
 * user.
 */
#ifndef SUPERVISOR_PLACES_H
#define SUPERVISOR_PLACES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <time.h>

/* The child that becomes the program closes the descriptors below 128 (supervisor/program.c). */
enum { PLACES_MAX = 24 };

struct place {
    char *path; /* owned */
    int fd;     /* its root, opened; owned */
    dev_t device;
    ino_t inode;
    bool empty; /* there was nothing in it but mount points */
    /* How the root was. */
    mode_t mode;
    uid_t uid;
    gid_t gid;
    struct timespec times[2]; /* of access and of modification */
    long flags;               /* chattr(1); 0 if the file system has none */
};

/* What could not be done: errno, and where. */
struct place_failure {
    int error; /* 0: nothing */
    char path[PATH_MAX];
};

struct places {
    struct place items[PLACES_MAX];
    size_t count;
    bool has_root, has_queues;    /* "/" and the POSIX message queues are in the table of mounts */
    struct place_failure refusal; /* why nothing can be emptied */
};

/* Called before each small step of work that may take long; false ends it, with ETIME. */
struct pace {
    bool (*go_on)(void *context);
    void *context;
};

/*
 * Finds the places by a mountinfo file, and looks at their roots. What goes wrong is remembered for
 * places_check(). NULL in place of the file: nothing may be emptied, since this is not a container.
 */
void places_open(struct places *places, const char *mountinfo);

void places_close(struct places *places);

/*
 * Checks that everything that a program can change is in a place that was empty, and that
 * `workdir`, a descriptor, is one of them. False: `failure` says why; EPERM: what the path names
 * cannot be restored.
 */
bool places_check(const struct places *places, int workdir, const struct pace *pace,
                  struct place_failure *failure);

/* FS_IOC_GETFLAGS and FS_IOC_SETFLAGS of linux/fs.h, which a C library need not come with. */
#define PLACE_GET_FLAGS _IOR('f', 1, long)
#define PLACE_SET_FLAGS _IOW('f', 2, long)

/* The flags of an open file, as chattr(1) sets them; 0 if its file system has none. */
long place_flags(int fd);

/* Whether the directory is the root of the place. */
bool place_is(const struct place *place, int directory);

/* Keeps what failed: the error, and a path of which `name` (NULL: none) is the last part. False. */
bool place_fail(struct place_failure *failure, int error, const char *path, const char *name);

#endif
