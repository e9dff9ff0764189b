/*
 * Writes the entry of this server into a host's configuration file. The file is read as it is now,
 * edited in memory (mcp/host_edit.h), and replaced as a whole, unless another program has changed
 * it meanwhile. Prints nothing.
 */
#ifndef MCP_HOST_INSTALL_H
#define MCP_HOST_INSTALL_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/strbuf.h"
#include "mcp/host_config.h"

/* The largest file that is read: some hosts keep their history in it. */
enum { HOST_FILE_MAX = 16 << 20 };

struct host_install {
    char *path;           /* of the file, with symbolic links followed */
    char *backup;         /* where the former file goes; NULL: there is none */
    struct stat status;   /* of the file, if there is one */
    struct strbuf before; /* what it contains */
    struct strbuf after;  /* what it should contain; empty: it is up to date */
};
#define HOST_INSTALL_INIT                                                                          \
    {                                                                                              \
        .path = NULL                                                                               \
    }

/*
 * Reads and edits the user's file of the host; fills an empty `install` and writes nothing. -1 with
 * ERROR_CONFIG if the host has no file, or what is there is no regular file of at most
 * HOST_FILE_MAX bytes, cannot be read or has to be edited by a person.
 */
int host_install_prepare(struct host_install *install, const struct host *host,
                         const struct host_config *made, struct error *error);

/*
 * Writes the file if it is not up to date, and before that the former one as "FILE.isolator-backup"
 * next to it, in the place of an earlier one. A new file, and directories above it, can be read by
 * their owner alone; an old one keeps its permissions and owner. -1 with ERROR_SYSTEM, or with
 * ERROR_CONFIG if the file is no longer the one that was read; it is as it was then.
 */
int host_install_write(const struct host_install *install, struct error *error);

/* What host_install_write() would change (base/difference.h); "" if nothing; owned. */
char *host_install_difference(const struct host_install *install);

void host_install_release(struct host_install *install);

#endif
