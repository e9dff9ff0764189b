/*
 * JSON that can do nothing to a terminal, wherever it ends up. jansson escapes what is below U+0020; but
 * terminals obey DEL and the C1 control characters, U+0080 to U+009F, as well: they are escaped too.
 */
#ifndef CLI_SAFE_JSON_H
#define CLI_SAFE_JSON_H

#include <jansson.h>

/*
 * Gives the text to `write` (a json_dump_callback_t: 0, or -1 to end it) in pieces. `flags` as for json_dumps().
 * -1 where that failed.
 */
int safe_json_dump(const json_t *object, size_t flags, json_dump_callback_t write, void *context);

#endif
