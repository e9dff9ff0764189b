/*
 * The files that go into a sandbox: a directory walked, or one file and those beside it, as a tar
 * archive in memory.
 *
 * The directory is taken for hostile. The walk opens each entry by name relative to its open
 * parent and never follows a link, so that nothing outside can be reached even while somebody
 * renames things below it. Symbolic links travel as such, except those whose target leaves the
 * directory, which are left out and named in the warnings. FIFOs, sockets and devices, files that
 * change while they are read and more data than the workdir holds are an ERROR_INPUT that names the
 * file. Names may hold any byte.
 */
#ifndef RUN_PACK_INPUT_H
#define RUN_PACK_INPUT_H

#include "base/archive.h"
#include "base/error.h"
#include "base/notifier.h"
#include "base/strvec.h"
#include "config/plan.h"

/*
 * Fills the archive, which is open and empty, with the files of the plan's request and finishes it.
 * `reserved` bytes of the workdir are taken already. Checks that the entrypoint is there.
 */
int pack_input(const struct plan *plan, long long reserved, struct archive *archive,
               struct strvec *warnings, struct error *error);

/*
 * Copies what a descriptor gives (a pipe, say) into an unnamed file in memory and returns that, owned
 * by the caller; -1 with ERROR_INPUT where it is more than `most` bytes, with ERROR_CANCELLED where
 * the handle is raised meanwhile. `name` is for messages.
 */
int pack_input_spool(int fd, long long most, const char *name, const struct notifier *cancel,
                     struct error *error);

#endif
