#include "base/archive.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/linux.h"
#include "base/memory.h"
#include "base/tar_writer.h"
#include "base/text.h"

enum { CHUNK = 65536 };

/* Takes over the file. */
static int open_in(struct archive *archive, int file, uid_t uid, gid_t gid,
                   struct manifest *manifest, struct error *error)
{
    if (file < 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot create an unnamed file");
    archive->file = file;
    archive->uid = uid;
    archive->gid = gid;
    archive->manifest = manifest;
    return 0;
}

int archive_open(struct archive *archive, uid_t uid, gid_t gid, struct manifest *manifest,
                 struct error *error)
{
    return open_in(archive, linux_unnamed_file(), uid, gid, manifest, error);
}

int archive_open_on_disk(struct archive *archive, uid_t uid, gid_t gid, struct manifest *manifest,
                         struct error *error)
{
    return open_in(archive, linux_unnamed_disk_file(), uid, gid, manifest, error);
}

static int write_failed(struct error *error)
{
    return error_set_errno(error, ERROR_SYSTEM, "cannot write the archive");
}

static int add_header(struct archive *archive, const char *name, mode_t mode, off_t size,
                      time_t modified, const char *target, struct error *error)
{
    const struct tar_writer_entry entry = {
        .name = name,
        .target = target,
        .mode = mode,
        .uid = archive->uid,
        .gid = archive->gid,
        .size = size,
        .modified = modified < 0         ? 0
                    : modified > INT_MAX ? INT_MAX
                                         : modified,
    };

    return tar_writer_add_header(archive->file, &entry) == 0 ? 0 : write_failed(error);
}

int archive_add_directory(struct archive *archive, const char *name, time_t modified,
                          struct error *error)
{
    return add_header(archive, name, S_IFDIR | 0755, 0, modified, "", error);
}

int archive_add_unlisted_directory(struct archive *archive, const char *name, struct error *error)
{
    return add_header(archive, name, S_IFDIR | 0711, 0, 0, "", error);
}

int archive_add_fifo(struct archive *archive, const char *name, struct error *error)
{
    return add_header(archive, name, S_IFIFO | 0666, 0, 0, "", error);
}

int archive_add_symlink(struct archive *archive, const char *name, const char *target,
                        struct error *error)
{
    return add_header(archive, name, S_IFLNK | 0777, 0, 0, target, error);
}

static int write_content(struct archive *archive, const char *data, size_t length,
                         struct error *error)
{
    return io_write_all(archive->file, data, length) == 0 ? 0 : write_failed(error);
}

static int begin_file(struct archive *archive, const char *name, mode_t mode, off_t size,
                      time_t modified, struct error *error)
{
    if (archive->manifest)
        sha256_init(&archive->digest);
    return add_header(archive, name, S_IFREG | mode, size, modified, "", error);
}

static int add_content(struct archive *archive, const char *data, size_t length,
                       struct error *error)
{
    if (archive->manifest)
        sha256_update(&archive->digest, data, length);
    return write_content(archive, data, length, error);
}

/* Pads the content with zeros to a whole number of blocks of 512 bytes. */
static int end_file(struct archive *archive, const char *name, off_t size, struct error *error)
{
    static const char zeros[TAR_WRITER_BLOCK];
    const size_t rest = (size_t)(size % TAR_WRITER_BLOCK);
    char digest[SHA256_HEX_SIZE];

    if (archive->manifest) {
        sha256_hex(&archive->digest, digest);
        manifest_add(archive->manifest, name, size, digest);
    }
    return rest == 0 ? 0 : write_content(archive, zeros, TAR_WRITER_BLOCK - rest, error);
}

static int check_size(const char *name, off_t size, struct error *error)
{
    CLEANUP_FREE char *escaped = text_escape(name);

    if (size <= ARCHIVE_FILE_MAX)
        return 0;
    return error_set(error, ERROR_INPUT, "'%s' is larger than %lld bytes, the maximum for one file",
                     escaped, ARCHIVE_FILE_MAX);
}

int archive_add_bytes(struct archive *archive, const char *name, const char *data, size_t length,
                      struct error *error)
{
    if (check_size(name, (off_t)length, error) != 0 ||
        begin_file(archive, name, 0644, (off_t)length, time(NULL), error) != 0 ||
        add_content(archive, data, length, error) != 0)
        return -1;
    return end_file(archive, name, (off_t)length, error);
}

int archive_add_range(struct archive *archive, const char *name, const struct file_range *range,
                      struct error *error)
{
    CLEANUP_FREE char *chunk = memory_allocate(CHUNK);
    const long long size = range->length;

    if (check_size(name, (off_t)size, error) != 0 ||
        begin_file(archive, name, 0644, (off_t)size, time(NULL), error) != 0)
        return -1;
    for (long long done = 0; done < size;) {
        const size_t length = size - done < CHUNK ? (size_t)(size - done) : CHUNK;

        if (shared_file_read(range->file, range->offset + done, chunk, length) != 0) {
            const int reason = errno;
            CLEANUP_FREE char *escaped = text_escape(name);

            errno = reason;
            return reason == ENODATA
                       ? error_set(error, ERROR_INPUT, "'%s' shrank while it was read", escaped)
                       : error_set_errno(error, ERROR_INPUT, "cannot read '%s'", escaped);
        }
        if (add_content(archive, chunk, length, error) != 0)
            return -1;
        done += (long long)length;
    }
    return end_file(archive, name, (off_t)size, error);
}

int archive_add_file(struct archive *archive, const char *name, int fd, off_t size, bool executable,
                     time_t modified, struct error *error)
{
    CLEANUP_FREE char *chunk = memory_allocate(CHUNK);
    CLEANUP_FREE char *escaped = text_escape(name);
    off_t done = 0;

    if (check_size(name, size, error) != 0 ||
        begin_file(archive, name, executable ? 0755 : 0644, size, modified, error) != 0)
        return -1;
    for (;;) {
        const ssize_t length = read(fd, chunk, CHUNK);

        if (length < 0 && errno == EINTR)
            continue;
        if (length < 0)
            return error_set_errno(error, ERROR_INPUT, "cannot read '%s'", escaped);
        if (length == 0)
            break;
        done += length;
        if (done > size)
            return error_set(error, ERROR_INPUT, "'%s' grew while it was read", escaped);
        if (add_content(archive, chunk, (size_t)length, error) != 0)
            return -1;
    }
    if (done < size)
        return error_set(error, ERROR_INPUT, "'%s' shrank while it was read", escaped);
    return end_file(archive, name, size, error);
}

int archive_finish(struct archive *archive, struct error *error)
{
    if (archive->manifest)
        manifest_sort(archive->manifest);
    return tar_writer_add_end(archive->file) == 0 ? 0 : write_failed(error);
}

int archive_finish_with(struct archive *archive, const struct archive *last, struct error *error)
{
    CLEANUP_FREE char *chunk = memory_allocate(CHUNK);
    off_t done = 0;
    ssize_t length;

    while ((length = pread(last->file, chunk, CHUNK, done)) > 0) {
        if (write_content(archive, chunk, (size_t)length, error) != 0)
            return -1;
        done += length;
    }
    if (length < 0)
        return write_failed(error);
    if (archive->manifest)
        manifest_sort(archive->manifest);
    return 0;
}

int archive_file(const struct archive *archive)
{
    return archive->file;
}

off_t archive_size(const struct archive *archive)
{
    struct stat status;

    return fstat(archive->file, &status) == 0 ? status.st_size : -1;
}

void archive_release(struct archive *archive)
{
    if (archive->file >= 0)
        close(archive->file);
    *archive = (struct archive)ARCHIVE_INIT;
}
