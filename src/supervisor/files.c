#include "supervisor/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/collect.h"
#include "supervisor/descriptors.h"
#include "supervisor/unpack.h"

enum { CHUNK = 65536 };

static int fail(const char *what, const char *path)
{
    const char *why = strerror(errno);

    fprintf(stderr, "%s '%s': %s\n", what, path, why);
    return 1;
}

/* ---- list */

static char letter_of(mode_t mode)
{
    return S_ISREG(mode) ? 'f' : S_ISDIR(mode) ? 'd' : S_ISLNK(mode) ? 'l' : 'o';
}

static bool print_entry(int directory, const char *name, int flags)
{
    struct stat status;

    if (fstatat(directory, name, &status, flags) != 0)
        return false;
    printf("%c %o %llu %lld %s%c", letter_of(status.st_mode), (unsigned)status.st_mode & 07777,
           (unsigned long long)status.st_size,
           (long long)(status.st_mtime > 0 ? status.st_mtime : 0), name, '\0');
    return true;
}

/* False: errno says why. What is gone meanwhile is left out. */
static bool print_names(DIR *directory)
{
    const struct dirent *entry;
    long entries = 0;

    while (errno = 0, (entry = readdir(directory))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (++entries > COLLECT_ENTRIES_MAX) {
            errno = E2BIG;
            return false;
        }
        print_entry(dirfd(directory), entry->d_name, AT_SYMLINK_NOFOLLOW);
    }
    return errno == 0;
}

static int list(const char *path)
{
    DIR *directory = opendir(path);

    if (directory ? !print_names(directory)
                  : errno != ENOTDIR || !print_entry(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW))
        return fail("cannot list", path);
    return fflush(stdout) == 0 ? 0 : fail("cannot write the list of", path);
}

/* ---- archive */

static bool write_archive(void *context, const void *data, size_t length)
{
    (void)context;
    return descriptor_write_all(STDOUT_FILENO, data, length);
}

/* The header of an archive has no room for a larger size. */
static bool refuse_large(void *context, const char *path)
{
    (void)context;
    errno = EFBIG;
    fail("cannot read", path);
    return false;
}

static void cut_slashes(char *path)
{
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/')
        path[--length] = '\0';
}

/* Opens the directory that the last part of the path is in, and sets that. */
static int open_parent(char *path, const char **last)
{
    char *slash = strrchr(path, '/');
    int parent;

    *last = slash ? slash + 1 : path;
    if (!slash)
        return open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *slash = '\0';
    parent = open(slash == path ? "/" : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *slash = '/';
    return parent;
}

/* What is in a directory if the path has no last name, else the file or directory under that. */
static bool collect(struct collect *collect, char *path)
{
    const char *last;
    bool good;
    int parent;

    cut_slashes(path);
    parent = open_parent(path, &last);
    if (parent < 0) {
        collect->error = errno;
        return false;
    }
    if (strcmp(last, "..") == 0 || *last == '\0') {
        collect->error = EINVAL;
        good = false;
    } else {
        good = strcmp(last, ".") == 0 ? collect_contents(collect, parent)
                                      : collect_named(collect, parent, last);
    }
    close(parent);
    return good;
}

static int archive(char **paths)
{
    static struct collect all;

    all = (struct collect){.write = write_archive,
                           .too_large = refuse_large,
                           .measures = true,
                           .file_max = UINT64_MAX,
                           .left = UINT64_MAX};
    for (; *paths; paths++)
        if (!collect(&all, *paths)) {
            errno = all.error;
            return errno != 0 ? fail("cannot read", *paths) : 1;
        }
    return collect_end(&all) ? 0 : 1;
}

/* ---- unpack */

/* Makes the directory and those above it, through links too, as a program could. */
static bool make_directories(char *path)
{
    for (char *slash = path; (slash = strchr(slash + 1, '/')); *slash = '/') {
        *slash = '\0';
        mkdir(path, 0755);
    }
    return mkdir(path, 0755) == 0 || errno == EEXIST;
}

/*
 * Goes where the files are unpacked. Returns the name of the one that there is, or NULL if each
 * keeps its name.
 */
static const char *go_to(char *path, bool *good)
{
    const size_t length = strlen(path);
    char *slash;

    *good = chdir(path) == 0;
    if (*good || (errno != ENOENT && errno != ENOTDIR))
        return NULL;
    slash = strrchr(path, '/');
    if (slash && slash == path + length - 1) {
        cut_slashes(path);
        *good = make_directories(path) && chdir(path) == 0;
        return NULL;
    }
    *good = true;
    if (slash && slash > path) {
        *slash = '\0';
        *good = make_directories(path) && chdir(path) == 0;
        *slash = '/';
    } else if (slash) {
        *good = chdir("/") == 0;
    }
    return slash ? slash + 1 : path;
}

static int unpack(char *path)
{
    static char chunk[CHUNK];
    struct unpack unpack;
    ssize_t length;
    bool good;

    unpack_init(&unpack);
    unpack.root = go_to(path, &good);
    if (!good)
        return fail("cannot make", path);
    while ((length = read(STDIN_FILENO, chunk, sizeof chunk)) != 0) {
        if (length > 0)
            unpack_feed(&unpack, chunk, (size_t)length);
        else if (errno != EINTR)
            return fail("cannot read the files for", path);
    }
    if (unpack_good(&unpack))
        return 0;
    errno = unpack.failure != 0 ? unpack.failure : EBADMSG;
    return fail("cannot write", unpack.failed ? unpack.failed : path);
}

int files_main(char **arguments)
{
    if (!arguments[0])
        return 1;
    if (strcmp(arguments[0], "nothing") == 0)
        return 0;
    if (!arguments[1])
        return 1;
    if (strcmp(arguments[0], "list") == 0)
        return list(arguments[1]);
    if (strcmp(arguments[0], "archive") == 0)
        return archive(arguments + 1);
    if (strcmp(arguments[0], "unpack") == 0)
        return unpack(arguments[1]);
    return 1;
}
