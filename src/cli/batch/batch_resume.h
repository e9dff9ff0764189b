/*
 * `isolator batch --resume`: which requests have a result from an earlier batch, so that they need
 * not run again.
 *
 * The requests are read twice, first for their ids. So what is not a file is copied to the disk
 * first.
 */
#ifndef CLI_BATCH_RESUME_H
#define CLI_BATCH_RESUME_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "cli/batch/batch_ids.h"
#include "cli/batch/batch_shard.h"

struct batch_resume {
    struct batch_ids done; /* ids with a result that stands */
    long long skipped;     /* requests that have such an id */
    long long bytes;       /* of their lines */
};

#define BATCH_RESUME_INIT                                                                          \
    {                                                                                              \
        .done = BATCH_IDS_INIT                                                                     \
    }

/*
 * Reads the results of earlier batches from a descriptor; `name` is for messages. A result stands
 * unless its reason is "engine", "cancelled", "image-missing" or "judge-error". If the last line is
 * cut off, a warning says so. A job that was started stands too. ERROR_INPUT names another line
 * that is not a result, ERROR_USAGE if stdout is the same file and does not append to it, and
 * ERROR_CANCELLED if signals_cancel() is raised.
 *
 * If stdout is the same file and its last line has no newline, that line is completed, or removed
 * if it is cut off, so that the next result begins a line.
 */
int batch_resume_read_results(struct batch_resume *resume, int fd, const char *name,
                              struct error *error);

/*
 * Reads the requests of *in, counts those of the shard that are skipped, and checks that no two of
 * any shard have the same id, since the results may be those of several shards. Replaces
 * *in by a descriptor that the caller owns if they could not be read twice from it. ERROR_INPUT,
 * ERROR_CANCELLED, or ERROR_SYSTEM if they cannot be copied.
 */
int batch_resume_check_requests(struct batch_resume *resume, const struct batch_shard *shard,
                                int *in, struct error *error);

/*
 * Whether the request with this id, which may be NULL, and these arguments is skipped. One of a
 * session never is: the requests after it need what it leaves.
 */
bool batch_resume_skips(const struct batch_resume *resume, const json_t *id,
                        const json_t *arguments);

void batch_resume_release(struct batch_resume *resume);

#endif
