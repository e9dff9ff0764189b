#include "cli/batch/batch_shard.h"

/* Reads digits up to `end`. Returns what follows `end`; NULL: no number, or one too large. */
static const char *read_number(const char *text, char end, int *number)
{
    const char *at = text;

    for (*number = 0; *at >= '0' && *at <= '9'; at++) {
        *number = *number * 10 + (*at - '0');
        if (*number > BATCH_SHARDS_MAX)
            return NULL;
    }
    return at > text && *at == end ? at + 1 : NULL;
}

int batch_shard_take(void *place, const char *value, struct error *error)
{
    struct batch_shard *shard = place;
    int number = 0, count = 0;
    const char *rest = read_number(value, '/', &number);
    const bool readable = rest && read_number(rest, '\0', &count);

    if (readable && number >= 1 && number <= count) {
        *shard = (struct batch_shard){number, count};
        return 0;
    }
    error_set(error, ERROR_USAGE, "'%s' is not I/N, with I from 1 to N, and N at most %d", value,
              BATCH_SHARDS_MAX);
    return readable && number == 0 && count > 0
               ? error_hint(error, "if the index begins at 0, add 1 to it")
               : -1;
}

bool batch_shard_has(const struct batch_shard *shard, long long line)
{
    return shard->count == 0 || (line - 1) % shard->count + 1 == shard->number;
}

bool batch_shard_is_part(const struct batch_shard *shard)
{
    return shard->count > 1;
}
