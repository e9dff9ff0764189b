#include "supervisor/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"

static void fail(struct unpack *unpack, const char *name)
{
    if (unpack->failed)
        return;
    unpack->failure = errno;
    unpack->failed = string_copy(name);
}

/* Whether the name is a path below the current directory: isolator sends no other. */
static bool is_inside(const char *name)
{
    if (name[0] == '/' || name[0] == '\0')
        return false;
    while (*name) {
        const size_t length = strcspn(name, "/");

        if (length == 2 && strncmp(name, "..", 2) == 0)
            return false;
        name += length + (name[length] == '/');
    }
    return true;
}

/* Makes a directory below another and returns it opened in place of that. No link is followed. */
static int descend(int parent, const char *name)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const bool there = mkdirat(parent, name, 0755) == 0 || errno == EEXIST;
    const int directory = there ? openat(parent, name, flags) : -1;
    const int error = errno;

    close(parent);
    errno = error;
    return directory;
}

/* Opens a directory, and makes it and those above it if they are missing. -1: errno says why. */
static int open_directory(char *path)
{
    int directory = openat(AT_FDCWD, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char *rest = NULL;

    for (char *part = strtok_r(path, "/", &rest); part && directory >= 0;
         part = strtok_r(NULL, "/", &rest))
        if (strcmp(part, ".") != 0)
            directory = descend(directory, part);
    return directory;
}

static void close_parent(struct unpack *unpack)
{
    if (unpack->parent >= 0)
        close(unpack->parent);
    unpack->parent = -1;
    free(unpack->parent_path);
    unpack->parent_path = NULL;
}

/*
 * Opens the directory that the last part of the path is in, unless it is open. Returns that part;
 * NULL: errno says why.
 */
static const char *open_parent(struct unpack *unpack, const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) : 0;
    char *directory;
    int error;

    if (!unpack->parent_path || strlen(unpack->parent_path) != length ||
        strncmp(unpack->parent_path, path, length) != 0) {
        close_parent(unpack);
        directory = string_format("%.*s", (int)length, path);
        unpack->parent = open_directory(directory);
        error = errno;
        free(directory);
        errno = error;
        if (unpack->parent < 0)
            return NULL;
        unpack->parent_path = string_format("%.*s", (int)length, path);
    }
    return slash ? slash + 1 : path;
}

static int make_directory(int parent, const char *name)
{
    struct stat status;

    if (mkdirat(parent, name, 0755) == 0 ||
        (errno == EEXIST && fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISDIR(status.st_mode)))
        return 0;
    return -1;
}

static int make_file(struct unpack *unpack, int parent, const char *name)
{
    unlinkat(parent, name, 0);
    unpack->file = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return unpack->file < 0 ? -1 : 0;
}

static int make_link(int parent, const char *name, const char *target)
{
    unlinkat(parent, name, 0);
    return symlinkat(target, parent, name);
}

static int make_in(struct unpack *unpack, const struct untar_entry *entry, int parent,
                   const char *name)
{
    switch (entry->type) {
    case UNTAR_FILE:
        return make_file(unpack, parent, name);
    case UNTAR_DIRECTORY:
        return make_directory(parent, name);
    case UNTAR_SYMLINK:
        return make_link(parent, name, entry->target);
    case UNTAR_HARD_LINK:
    case UNTAR_OTHER:
        break;
    }
    errno = EINVAL; /* isolator sends nothing else */
    return -1;
}

static int make_entry(struct unpack *unpack, const struct untar_entry *entry, char *name)
{
    const size_t length = strlen(name);
    const char *last;

    if (length > 0 && name[length - 1] == '/')
        name[length - 1] = '\0';
    if (!is_inside(name)) {
        errno = EINVAL;
        return -1;
    }
    last = open_parent(unpack, name);
    return last ? make_in(unpack, entry, unpack->parent, last) : -1;
}

static char *name_of(const struct unpack *unpack, const struct untar_entry *entry)
{
    const char *rest = strchr(entry->name, '/');

    return unpack->root ? string_format("%s%s", unpack->root, rest ? rest : "")
                        : string_copy(entry->name);
}

static void begin_entry(void *context, const struct untar_entry *entry)
{
    struct unpack *unpack = context;

    if (unpack->failed)
        return;
    free(unpack->name);
    unpack->name = name_of(unpack, entry);
    unpack->executable = entry->executable;
    unpack->modified = entry->modified;
    if (make_entry(unpack, entry, unpack->name) != 0)
        fail(unpack, entry->name);
}

static void add_content(void *context, const char *data, size_t length)
{
    struct unpack *unpack = context;

    while (length > 0 && unpack->file >= 0 && !unpack->failed) {
        const ssize_t written = write(unpack->file, data, length);

        if (written < 0 && errno != EINTR)
            fail(unpack, unpack->name);
        if (written > 0) {
            data += written;
            length -= (size_t)written;
        }
    }
}

static void close_file(struct unpack *unpack)
{
    if (unpack->file >= 0)
        close(unpack->file);
    unpack->file = -1;
}

static void end_entry(void *context)
{
    struct unpack *unpack = context;
    const struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {.tv_sec = unpack->modified}};

    if (unpack->file < 0)
        return;
    if (fchmod(unpack->file, unpack->executable ? 0755 : 0644) != 0 ||
        futimens(unpack->file, times) != 0)
        fail(unpack, unpack->name);
    close_file(unpack);
}

void unpack_init(struct unpack *unpack)
{
    static const struct untar_handler handler = {begin_entry, add_content, end_entry};

    *unpack = (struct unpack){.error = ERROR_INIT, .file = -1, .parent = -1};
    untar_init(&unpack->untar, &handler, unpack);
}

void unpack_feed(struct unpack *unpack, const char *data, size_t length)
{
    unpack->used = true;
    if (unpack->error.kind == ERROR_NONE)
        untar_feed(&unpack->untar, data, length, &unpack->error);
}

bool unpack_good(const struct unpack *unpack)
{
    return !unpack->failed && unpack->error.kind == ERROR_NONE &&
           (!unpack->used || untar_done(&unpack->untar));
}

void unpack_release(struct unpack *unpack)
{
    close_file(unpack);
    close_parent(unpack);
    untar_release(&unpack->untar);
    error_release(&unpack->error);
    free(unpack->failed);
    free(unpack->name);
}
