#include "mcp/uri.h"

#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/text.h"

/* RFC 3986: needs no escape in a path. */
static bool is_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("-._~/", c));
}

char *uri_of(const char *start, const char *path)
{
    struct strbuf uri = STRBUF_INIT;

    strbuf_addstr(&uri, start);
    for (; *path; path++) {
        if (is_unreserved(*path))
            strbuf_addch(&uri, *path);
        else
            strbuf_addf(&uri, "%%%02X", (unsigned char)*path);
    }
    return strbuf_steal(&uri);
}

char *uri_decode(const char *path)
{
    CLEANUP(strbuf_release) struct strbuf decoded = STRBUF_INIT;

    for (; *path; path++) {
        int high, low;

        if (*path != '%') {
            strbuf_addch(&decoded, *path);
            continue;
        }
        high = text_hex_digit(path[1]);
        low = high < 0 ? -1 : text_hex_digit(path[2]);
        if (low < 0 || high * 16 + low == 0)
            return NULL;
        strbuf_addch(&decoded, (char)(high * 16 + low));
        path += 2;
    }
    return strbuf_steal(&decoded);
}
