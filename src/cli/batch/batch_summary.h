/*
 * The line that ends a batch: how many requests had which result.
 */
#ifndef CLI_BATCH_SUMMARY_H
#define CLI_BATCH_SUMMARY_H

#include "cli/batch/batch_shard.h"
#include "run/result.h"

/* More than there are reasons. */
enum { BATCH_SUMMARY_MAX = 32 };

struct batch_summary {
    struct batch_count {
        const char *name; /* result_reason(), "success" or "started"; NULL: unused */
        long long count;
    } counts[BATCH_SUMMARY_MAX];
    long long retries;
    long long skipped; /* requests that were not run, since they have a result */
    struct batch_shard shard;
};

void batch_summary_add(struct batch_summary *summary, const struct result *result);

/* Counts one with this name, which is kept: a literal. */
void batch_summary_count(struct batch_summary *summary, const char *name);

/*
 * "shard 2/3: 5 requests in 1.2 s: 3 success, 2 timeout; 1 retry; 7 skipped", the most frequent
 * first; without the shard if the input is not divided. Owned by the caller.
 */
char *batch_summary_line(const struct batch_summary *summary, long long ms);

#endif
