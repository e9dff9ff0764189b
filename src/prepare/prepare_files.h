/*
 * The files of a preparation: packed for the container of its steps, with a digest of what is in
 * them, by which a change is noticed.
 */
#ifndef PREPARE_PREPARE_FILES_H
#define PREPARE_PREPARE_FILES_H

#include "base/archive.h"
#include "base/error.h"
#include "base/notifier.h"
#include "base/strvec.h"

/* The directory in the container that has them, and in which the steps start. */
#define PREPARE_FILES_DIRECTORY "/tmp/files"

struct prepare_files {
    struct archive archive; /* finished, relative to "/tmp"; not open if there are no files */
    struct strvec digest;   /* one string of hexadecimal digits; empty if there are no files */
};

#define PREPARE_FILES_INIT                                                                         \
    {                                                                                              \
        .archive = ARCHIVE_INIT, .digest = STRVEC_INIT                                             \
    }

/*
 * Packs the files and directories with these absolute paths, which prepare_check_files() has
 * accepted, by the rules of run/pack_tree.h. Owners and times are not packed, so that equal content
 * has an equal digest. ERROR_INPUT, also for more than 1 GiB; ERROR_SYSTEM, ERROR_CANCELLED.
 */
int prepare_files_pack(struct prepare_files *files, const struct strvec *paths,
                       struct strvec *warnings, const struct notifier *cancel, struct error *error);

void prepare_files_release(struct prepare_files *files);

#endif
