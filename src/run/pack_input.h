/*
 * Packs the input of a run, a directory or one file with its additional files, as a tar archive in
 * memory.
 *
 * The directory is untrusted. The walk opens each entry by its name relative to the open parent and
 * never follows a link, so it cannot leave the directory, even if entries are renamed meanwhile.
 * Symbolic links are sent as links; those whose target is outside the directory are omitted and
 * named in warnings. FIFOs, sockets, devices, files that change while they are read, and more data
 * than the workdir can hold are an ERROR_INPUT that names the file. Depth, length of paths and
 * number of entries are bounded. Names may contain any byte.
 */
#ifndef RUN_PACK_INPUT_H
#define RUN_PACK_INPUT_H

#include "base/archive.h"
#include "base/error.h"
#include "base/notifier.h"
#include "base/strvec.h"
#include "config/plan.h"

/*
 * Fills the archive, which is open and empty, with the input of the plan and finishes it. Fails if
 * the entrypoint is not among the files. ERROR_CANCELLED when `cancel`, which may be NULL, is
 * raised.
 */
int pack_input(const struct plan *plan, struct archive *archive, struct strvec *warnings,
               const struct notifier *cancel, struct error *error);

#endif
