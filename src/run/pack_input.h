/*
 * Packs the input of a run, a directory or one file with its additional files, as a tar archive in
 * memory.
 *
 * The directory is untrusted; run/pack_tree.h says what is packed and what is refused. More data
 * than the workdir can hold is an ERROR_INPUT.
 */
#ifndef RUN_PACK_INPUT_H
#define RUN_PACK_INPUT_H

#include "base/archive.h"
#include "base/error.h"
#include "base/notifier.h"
#include "base/strvec.h"
#include "request/plan.h"

/*
 * Fills the archive, which is open and empty, with the input of the plan and finishes it. The
 * driver of a call comes last, so it replaces a file of that name. Fails if the entrypoint is not
 * among the files. ERROR_CANCELLED when `cancel`, which may be NULL, is raised.
 */
int pack_input(const struct plan *plan, struct archive *archive, struct strvec *warnings,
               const struct notifier *cancel, struct error *error);

/*
 * Opens the archive and fills it with these files, which a test has in addition to those of the
 * plan, and finishes it. The driver of a call comes last here, too. If they are large, the archive
 * is on the disk.
 */
int pack_input_files(const struct input_files *files, const struct plan *plan,
                     struct archive *archive, const struct notifier *cancel, struct error *error);

#endif
