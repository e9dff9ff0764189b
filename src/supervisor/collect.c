#include "supervisor/collect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 512, CHUNK = 32768 };

/* The largest size that a header can hold. */
#define SIZE_MAX_OCTAL UINT64_C(077777777777)

/* A ustar header: pax(1p), "ustar Interchange Format". Numbers are octal digits. */
struct header {
    char name[100], mode[8], uid[8], gid[8], size[12], modified[12], checksum[8], type, target[100];
    char magic[8], user[32], group[32], major[8], minor[8], prefix[155], padding[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a header is a block");

/* Where the entry is that is looked at. */
struct walk {
    struct collect *collect;
    size_t length; /* of its path */
    int depth;
};

/* What the header of an entry says. */
struct item {
    char type;
    mode_t mode;
    uint64_t size;
    time_t modified;
    const char *target; /* of a link; NULL: none */
};

static void put_octal(char *field, size_t size, uint64_t value)
{
    for (size_t i = size - 1; i-- > 0; value >>= 3)
        field[i] = (char)('0' + (value & 7));
    field[size - 1] = '\0';
}

/* Ends the collection. */
static bool stop(struct walk *walk, int error)
{
    walk->collect->error = error;
    return false;
}

static bool write_bytes(struct collect *collect, const void *data, size_t length)
{
    collect->left -= length < collect->left ? length : collect->left;
    return collect->write(collect->context, data, length);
}

/* Fills the last block of `size` bytes. */
static bool write_padding(struct collect *collect, uint64_t size)
{
    static char zeros[BLOCK]; /* not const, so that they are not in the file */
    const size_t rest = (size_t)(size % BLOCK);

    return rest == 0 || write_bytes(collect, zeros, BLOCK - rest);
}

static uint64_t tar_time(time_t time)
{
    return time < 0 ? 0 : (uint64_t)time > SIZE_MAX_OCTAL ? SIZE_MAX_OCTAL : (uint64_t)time;
}

static bool write_header(struct collect *collect, const char *name, const struct item *item)
{
    struct header header = {.type = item->type, .magic = "ustar  "}; /* GNU's form: no prefix */
    unsigned sum = 0;

    memcpy(header.name, name, strnlen(name, sizeof header.name));
    if (item->target)
        memcpy(header.target, item->target, strnlen(item->target, sizeof header.target));
    put_octal(header.mode, sizeof header.mode, item->mode & 0777);
    put_octal(header.uid, sizeof header.uid, 0);
    put_octal(header.gid, sizeof header.gid, 0);
    put_octal(header.size, sizeof header.size, item->size);
    put_octal(header.modified, sizeof header.modified, tar_time(item->modified));
    memset(header.checksum, ' ', sizeof header.checksum);
    for (size_t i = 0; i < sizeof header; i++)
        sum += ((const unsigned char *)&header)[i];
    put_octal(header.checksum, 7, sum);
    return write_bytes(collect, &header, sizeof header);
}

/* Writes a text that is too long for the header of the entry that follows. */
static bool write_long(struct collect *collect, char type, const char *text)
{
    const uint64_t size = strlen(text) + 1;

    return size <= sizeof((struct header *)NULL)->name ||
           (write_header(collect, "././@LongLink", &(struct item){.type = type, .size = size}) &&
            write_bytes(collect, text, (size_t)size) && write_padding(collect, size));
}

/* Writes the header of an entry, and in front of it what is too long for that. */
static bool write_entry(struct walk *walk, const struct item *item)
{
    struct collect *collect = walk->collect;

    return write_long(collect, 'L', collect->path) &&
           (!item->target || write_long(collect, 'K', item->target)) &&
           write_header(collect, collect->path, item);
}

/* Writes an entry of which there is no more than a name: as a FIFO, unless it is a link. */
static bool write_name(struct walk *walk, char type)
{
    return write_entry(walk, &(struct item){.type = type});
}

/* Opens an entry that its owner may have made unreadable; all of them belong to this user. */
static int open_entry(int parent, const char *name, int flags)
{
    const int all = flags | O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int fd = openat(parent, name, all);

    if (fd < 0 && errno == EACCES && fchmodat(parent, name, 0700, 0) == 0)
        fd = openat(parent, name, all);
    return fd;
}

static char chunk[CHUNK];

/* Fills the chunk from the start of the file; how much that was. -1: it cannot be read. */
static ssize_t read_start(int fd)
{
    size_t filled = 0;
    ssize_t length = 1;

    while (length > 0 && filled < sizeof chunk) {
        length = read(fd, chunk + filled, sizeof chunk - filled);
        filled += length > 0 ? (size_t)length : 0;
    }
    return length < 0 ? -1 : (ssize_t)filled;
}

/*
 * Writes `size` bytes of the file, of which the first `start` are in the chunk; zeros in place of
 * those that cannot be read.
 */
static bool write_content(struct walk *walk, int fd, uint64_t size, size_t start)
{
    struct collect *collect = walk->collect;

    for (uint64_t left = size; left > 0; start = 0) {
        const size_t wanted = left < sizeof chunk ? (size_t)left : sizeof chunk;
        ssize_t length = start > 0 ? (ssize_t)start : read(fd, chunk, wanted);

        if (length <= 0 && (collect->exact || collect->measures))
            return stop(walk, length < 0 ? errno : EIO);
        if (length <= 0) {
            memset(chunk, 0, wanted);
            length = (ssize_t)wanted;
        }
        if (!write_bytes(collect, chunk, (size_t)length))
            return false;
        left -= (uint64_t)length;
    }
    return write_padding(collect, size);
}

/* `before` is the state of the file before it was made readable. */
static bool collect_file(struct walk *walk, int parent, const char *name, const struct stat *before)
{
    struct collect *collect = walk->collect;
    struct item item = {.type = '0', .mode = before->st_mode};
    const int fd = open_entry(parent, name, 0);
    struct stat status;
    ssize_t start;
    bool good;

    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        good = collect->exact ? stop(walk, errno) : write_name(walk, '6');
        close(fd);
        return good;
    }
    item.size = (uint64_t)status.st_size;
    item.modified = collect->exact ? status.st_mtime : 0;
    start = collect->measures ? read_start(fd) : 0;
    if (collect->measures && start < CHUNK)
        item.size = start < 0 ? 0 : (uint64_t)start;
    if (start < 0 || (uint64_t)start > item.size)
        good = write_name(walk, '6');
    else if (item.size > collect->file_max || item.size > SIZE_MAX_OCTAL ||
        item.size + (collect->exact ? 0 : UINT64_C(4) * BLOCK + PATH_MAX) > collect->left)
        good = collect->too_large(collect->context, collect->path);
    else
        good = write_entry(walk, &item) && write_content(walk, fd, item.size, (size_t)start);
    close(fd);
    return good;
}

static bool collect_link(struct walk *walk, int parent, const char *name)
{
    char target[PATH_MAX];
    ssize_t length;

    if (!walk->collect->exact)
        return write_name(walk, '2');
    length = readlinkat(parent, name, target, sizeof target - 1);
    if (length < 0)
        return stop(walk, errno);
    target[length] = '\0';
    return write_entry(walk, &(struct item){.type = '2', .mode = 0777, .target = target});
}

static bool collect_entry(struct walk *walk, int parent, const char *name);

static bool collect_names(struct walk *walk, int fd)
{
    DIR *directory = fdopendir(fd);
    struct dirent *entry;
    bool good = true;

    if (!directory) {
        close(fd);
        return stop(walk, ENOMEM);
    }
    while (good && (entry = readdir(directory))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        good = ++walk->collect->entries > COLLECT_ENTRIES_MAX
                   ? stop(walk, E2BIG)
                   : collect_entry(walk, dirfd(directory), entry->d_name);
    }
    closedir(directory);
    return good;
}

static bool collect_subdirectory(struct walk *walk, int parent, const char *name)
{
    const bool exact = walk->collect->exact;
    int fd;
    bool good;

    if (walk->depth >= COLLECT_DEPTH_MAX)
        return stop(walk, ENAMETOOLONG);
    fd = open_entry(parent, name, O_DIRECTORY);
    if (fd < 0)
        return exact ? stop(walk, errno) : write_name(walk, '6');
    if (exact && !write_entry(walk, &(struct item){.type = '5', .mode = 0755})) {
        close(fd);
        return false;
    }
    walk->depth++;
    good = collect_names(walk, fd);
    walk->depth--;
    return good;
}

static bool collect_as(struct walk *walk, int parent, const char *name, const struct stat *status)
{
    if (S_ISREG(status->st_mode))
        return collect_file(walk, parent, name, status);
    if (S_ISDIR(status->st_mode))
        return collect_subdirectory(walk, parent, name);
    if (S_ISLNK(status->st_mode))
        return collect_link(walk, parent, name);
    return walk->collect->exact || write_name(walk, '6');
}

static bool collect_entry(struct walk *walk, int parent, const char *name)
{
    char *path = walk->collect->path;
    const size_t before = walk->length;
    const size_t added = strlen(name) + 1;
    struct stat status;

    if (before + added >= PATH_MAX)
        return stop(walk, ENAMETOOLONG);
    path[before] = '/';
    memcpy(path + before + 1, name, added);
    walk->length = before + added;
    if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return stop(walk, errno);
    if (!collect_as(walk, parent, name, &status))
        return false; /* the path stays */
    walk->length = before;
    path[before] = '\0';
    return true;
}

bool collect_contents(struct collect *collect, int directory)
{
    struct walk walk = {.collect = collect, .length = 1};
    int fd;

    collect->error = 0;
    memcpy(collect->path, ".", 2);
    fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? stop(&walk, errno) : collect_names(&walk, fd);
}

bool collect_named(struct collect *collect, int directory, const char *name)
{
    struct walk walk = {.collect = collect, .length = 1};

    collect->error = 0;
    memcpy(collect->path, ".", 2);
    return collect_entry(&walk, directory, name);
}

bool collect_end(struct collect *collect)
{
    static char end[2 * BLOCK]; /* likewise */

    return write_bytes(collect, end, sizeof end);
}

bool collect_directory(struct collect *collect, int directory)
{
    fchmod(directory, 0700); /* a program may have locked itself out */
    return collect_contents(collect, directory) && collect_end(collect);
}
