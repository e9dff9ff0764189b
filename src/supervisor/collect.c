#include "supervisor/collect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
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

/* The path of the entry that is looked at. */
struct walk {
    struct collect *collect;
    char path[PATH_MAX];
    size_t length;
    int depth;
};

static void put_octal(char *field, size_t size, uint64_t value)
{
    for (size_t i = size - 1; i-- > 0; value >>= 3)
        field[i] = (char)('0' + (value & 7));
    field[size - 1] = '\0';
}

static bool write_bytes(struct collect *collect, const void *data, size_t length)
{
    collect->left -= length < collect->left ? length : collect->left;
    return collect->write(collect->context, data, length);
}

/* Fills the last block of `size` bytes. */
static bool write_padding(struct collect *collect, uint64_t size)
{
    static const char zeros[BLOCK];
    const size_t rest = (size_t)(size % BLOCK);

    return rest == 0 || write_bytes(collect, zeros, BLOCK - rest);
}

static bool write_header(struct collect *collect, const char *name, char type, mode_t mode,
                         uint64_t size)
{
    struct header header = {.type = type, .magic = "ustar  "}; /* GNU's form: it has no prefix */
    unsigned sum = 0;

    memcpy(header.name, name, strnlen(name, sizeof header.name));
    put_octal(header.mode, sizeof header.mode, mode & 0777);
    put_octal(header.uid, sizeof header.uid, 0);
    put_octal(header.gid, sizeof header.gid, 0);
    put_octal(header.size, sizeof header.size, size);
    put_octal(header.modified, sizeof header.modified, 0);
    memset(header.checksum, ' ', sizeof header.checksum);
    for (size_t i = 0; i < sizeof header; i++)
        sum += ((const unsigned char *)&header)[i];
    put_octal(header.checksum, 7, sum);
    return write_bytes(collect, &header, sizeof header);
}

/* Writes the header of an entry, and in front of it the name if that is too long for it. */
static bool write_entry(struct walk *walk, char type, mode_t mode, uint64_t size)
{
    struct collect *collect = walk->collect;

    if (walk->length >= sizeof((struct header *)NULL)->name) {
        const uint64_t length = walk->length + 1;

        if (!write_header(collect, "././@LongLink", 'L', 0, length) ||
            !write_bytes(collect, walk->path, (size_t)length) || !write_padding(collect, length))
            return false;
    }
    return write_header(collect, walk->path, type, mode, size);
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

/* Writes `size` bytes of the file; zeros in place of those that cannot be read. */
static bool write_content(struct collect *collect, int fd, uint64_t size)
{
    static char chunk[CHUNK];

    for (uint64_t left = size; left > 0;) {
        const size_t wanted = left < sizeof chunk ? (size_t)left : sizeof chunk;
        ssize_t length = read(fd, chunk, wanted);

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

/* `mode` is that of the file before it was made readable. */
static bool collect_file(struct walk *walk, int parent, const char *name, mode_t mode)
{
    struct collect *collect = walk->collect;
    const int fd = open_entry(parent, name, 0);
    struct stat status;
    uint64_t size;
    bool good;

    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(fd);
        return write_entry(walk, '6', 0, 0); /* as a FIFO: no file that could be read */
    }
    size = (uint64_t)status.st_size;
    if (size > collect->file_max || size > SIZE_MAX_OCTAL ||
        size + UINT64_C(4) * BLOCK + PATH_MAX > collect->left)
        good = collect->too_large(collect->context, walk->path);
    else
        good = write_entry(walk, '0', mode, size) && write_content(collect, fd, size);
    close(fd);
    return good;
}

static bool collect_entry(struct walk *walk, int parent, const char *name);

static bool collect_names(struct walk *walk, int fd)
{
    DIR *directory = fdopendir(fd);
    struct dirent *entry;
    bool good = true;

    if (!directory) {
        close(fd);
        return false;
    }
    while (good && (entry = readdir(directory))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        good = ++walk->collect->entries <= COLLECT_ENTRIES_MAX &&
               collect_entry(walk, dirfd(directory), entry->d_name);
    }
    closedir(directory);
    return good;
}

static bool collect_subdirectory(struct walk *walk, int parent, const char *name)
{
    int fd;
    bool good;

    if (walk->depth >= COLLECT_DEPTH_MAX)
        return false;
    fd = open_entry(parent, name, O_DIRECTORY);
    if (fd < 0)
        return write_entry(walk, '6', 0, 0);
    walk->depth++;
    good = collect_names(walk, fd);
    walk->depth--;
    return good;
}

static bool collect_entry(struct walk *walk, int parent, const char *name)
{
    const size_t before = walk->length;
    const size_t added = strlen(name) + 1;
    struct stat status;
    bool good;

    if (before + added >= sizeof walk->path ||
        fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    walk->path[before] = '/';
    memcpy(walk->path + before + 1, name, added);
    walk->length = before + added;
    if (S_ISREG(status.st_mode))
        good = collect_file(walk, parent, name, status.st_mode);
    else if (S_ISDIR(status.st_mode))
        good = collect_subdirectory(walk, parent, name);
    else
        good = write_entry(walk, S_ISLNK(status.st_mode) ? '2' : '6', 0, 0);
    walk->length = before;
    walk->path[before] = '\0';
    return good;
}

bool collect_directory(struct collect *collect, int directory)
{
    static const char end[2 * BLOCK];
    struct walk walk = {.collect = collect, .path = ".", .length = 1};
    int fd;

    fchmod(directory, 0700); /* a program may have locked itself out */
    fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd >= 0 && collect_names(&walk, fd) && write_bytes(collect, end, sizeof end);
}
