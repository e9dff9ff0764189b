/*
 * `isolator batch --shard I/N`: which lines of the input a batch runs, if a file of requests is
 * divided over several machines. Lines count from 1, and blank ones count too, so that all machines
 * divide the file alike.
 */
#ifndef CLI_BATCH_SHARD_H
#define CLI_BATCH_SHARD_H

#include <stdbool.h>

#include "base/error.h"

/* More than the tasks of a job array. It makes a mistake visible, and keeps numbers in an int. */
enum { BATCH_SHARDS_MAX = 1000000 };

struct batch_shard {
    int number; /* from 1 to `count` */
    int count;  /* of all shards; 0: the input is not divided */
};

/*
 * An option_apply (config/options.h) for "I/N", whose place is a struct batch_shard, which does not
 * change on failure. Both are decimal digits, which zeros may precede.
 */
int batch_shard_take(void *place, const char *value, struct error *error);

/* Whether the line belongs to the shard. Line n belongs to shard (n - 1) mod N + 1. */
bool batch_shard_has(const struct batch_shard *shard, long long line);

/* Whether there are lines that belong to other shards. */
bool batch_shard_is_part(const struct batch_shard *shard);

#endif
