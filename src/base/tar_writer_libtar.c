#include "base/tar_writer.h"

#include <fcntl.h>
#include <libtar.h>

#include "base/io.h"

/*
 * Each header has a handle of its own, since libtar 1.2.20 keeps things of one entry for the next:
 * the long target, the bytes after a name that was longer, and the mode, which th_set_path() reads.
 * tar_close() does not free the long name. th_set_user() asks the host's user database. Sizes and
 * times are ints.
 */

/* Of a block that is written in part, libtar does not tell why. */
static ssize_t write_block(int file, const void *data, size_t length)
{
    return io_write_all(file, data, length) == 0 ? (ssize_t)length : -1;
}

static int leave_open(int file)
{
    (void)file;
    return 0;
}

static tartype_t calls = {.closefunc = leave_open, .writefunc = write_block}; /* never changed */

/* Returns a handle, or NULL with errno. */
static TAR *open_on(int file)
{
    TAR *tar;

    return tar_fdopen(&tar, file, "archive", &calls, O_WRONLY, 0, TAR_GNU) == 0 ? tar : NULL;
}

int tar_writer_add_header(int file, const struct tar_writer_entry *entry)
{
    TAR *tar = open_on(file);
    int result;

    if (!tar)
        return -1;
    th_set_type(tar, entry->mode);
    th_set_mode(tar, entry->mode); /* before the path */
    th_set_path(tar, entry->name);
    th_set_link(tar, entry->target);
    int_to_oct_nonull((int)entry->uid, tar->th_buf.uid, sizeof tar->th_buf.uid);
    int_to_oct_nonull((int)entry->gid, tar->th_buf.gid, sizeof tar->th_buf.gid);
    th_set_mtime(tar, (int)entry->modified);
    th_set_size(tar, (int)entry->size);
    result = th_write(tar);
    free_longlink_longname(tar->th_buf);
    tar_close(tar);
    return result;
}

int tar_writer_add_end(int file)
{
    TAR *tar = open_on(file);
    int result;

    if (!tar)
        return -1;
    result = tar_append_eof(tar);
    tar_close(tar);
    return result;
}
