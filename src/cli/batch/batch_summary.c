#include "cli/batch/batch_summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

void batch_summary_add(struct batch_summary *summary, const struct result *result)
{
    summary->retries += result->retries;
    batch_summary_count(summary, result_success(result) ? "success" : result_reason(result));
}

void batch_summary_count(struct batch_summary *summary, const char *name)
{
    for (size_t i = 0; i < BATCH_SUMMARY_MAX; i++) {
        struct batch_count *count = &summary->counts[i];

        if (!count->name)
            count->name = name;
        if (strcmp(count->name, name) == 0) {
            count->count++;
            return;
        }
    }
}

/* The larger count first, and equal ones by name; unused ones at the end. */
static int compare(const void *one, const void *other)
{
    const struct batch_count *left = one, *right = other;

    if (left->count != right->count)
        return left->count < right->count ? 1 : -1;
    return left->name && right->name ? strcmp(left->name, right->name) : 0;
}

static const char *plural(long long count, const char *one, const char *more)
{
    return count == 1 ? one : more;
}

char *batch_summary_line(const struct batch_summary *summary, long long ms)
{
    struct batch_count counts[BATCH_SUMMARY_MAX];
    struct strbuf line = STRBUF_INIT;
    long long total = 0;

    memcpy(counts, summary->counts, sizeof counts);
    qsort(counts, BATCH_SUMMARY_MAX, sizeof *counts, compare);
    for (size_t i = 0; i < BATCH_SUMMARY_MAX; i++)
        total += counts[i].count;
    if (summary->shard.count > 0)
        strbuf_addf(&line, "shard %d/%d: ", summary->shard.number, summary->shard.count);
    strbuf_addf(&line, "%lld %s in %.1f s", total, plural(total, "request", "requests"),
                (double)ms / 1000);
    for (size_t i = 0; i < BATCH_SUMMARY_MAX && counts[i].name; i++)
        strbuf_addf(&line, "%s %lld %s", i == 0 ? ":" : ",", counts[i].count, counts[i].name);
    if (summary->retries > 0)
        strbuf_addf(&line, "; %lld %s", summary->retries,
                    plural(summary->retries, "retry", "retries"));
    if (summary->skipped > 0)
        strbuf_addf(&line, "; %lld skipped", summary->skipped);
    return strbuf_steal(&line);
}
