#include "mcp/file_uris.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "mcp/uri.h"
#include "request/inputs_dir.h"

/* A larger number than this is not the offset of any file. */
enum { DIGITS_MAX = 15 };

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static int open_input(const struct file_uris *uris, const char *uri, struct stored_part *part,
                      struct error *error)
{
    CLEANUP_FREE char *path = uri_decode(uri + strlen(INPUTS_URI));

    if (inputs_dir_open(uris->config, path ? path : "", &part->range, error) != 0)
        return -1;
    part->mime_type = inputs_dir_mime_type(path, &part->range);
    return 0;
}

static int open_stored(const struct file_uris *uris, const char *uri, struct stored_part *part,
                       struct error *error)
{
    const char *rest = uri + strlen(RUNS_URI);
    const size_t length = strcspn(rest, "/");
    CLEANUP_FREE char *id = string_format("%.*s", length < STORED_ID_SIZE ? (int)length : 0, rest);
    CLEANUP_FREE char *name = rest[length] == '/' ? uri_decode(rest + length + 1) : NULL;

    return result_store_open(uris->store, id, name ? name : "", part, error);
}

int file_uris_open(const struct file_uris *uris, const char *uri, struct stored_part *part,
                   struct error *error)
{
    return begins_with(uri, INPUTS_URI) ? open_input(uris, uri, part, error)
                                        : open_stored(uris, uri, part, error);
}

static int open_range(void *context, const char *uri, struct file_range *range, struct error *error)
{
    struct stored_part part;

    if (!begins_with(uri, RUNS_URI) && !begins_with(uri, INPUTS_URI))
        return error_set(error, ERROR_INPUT,
                         "must be " RUNS_URI "ID/files/NAME, as a result names it, or " INPUTS_URI
                         "NAME");
    if (strchr(uri, '?'))
        return error_set(error, ERROR_INPUT, "a call gets the whole file; leave out the '?'");
    if (file_uris_open(context, uri, &part, error) != 0)
        return -1;
    *range = part.range;
    return 0;
}

struct file_opener file_uris_opener(struct file_uris *uris)
{
    return (struct file_opener){.open = open_range, .context = uris};
}

/* Reads "NAME=NUMBER" at *at and moves *at past it. */
static bool read_number(const char **at, const char *name, long long *number)
{
    const size_t length = strlen(name);
    const char *digits = *at + length + 1;
    const size_t count =
        begins_with(*at, name) && (*at)[length] == '=' ? strspn(digits, "0123456789") : 0;

    if (count == 0 || count > DIGITS_MAX || *number >= 0)
        return false;
    *number = strtoll(digits, NULL, 10);
    *at = digits + count;
    return true;
}

char *file_uris_split(const char *uri, long long *offset, long long *length, struct error *error)
{
    const char *query = strchr(uri, '?');
    const char *at = query;
    bool good = true;

    *offset = *length = -1;
    while (good && at && (at == query || *at == '&')) {
        at++;
        good = read_number(&at, "offset", offset) || read_number(&at, "length", length);
    }
    if (good && (!at || *at == '\0'))
        return string_format("%.*s", (int)(query ? query - uri : (long)strlen(uri)), uri);
    error_set(
        error, ERROR_INPUT,
        "after the '?' of the URI of a file, only offset=NUMBER and length=NUMBER may follow");
    return NULL;
}
