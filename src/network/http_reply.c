#include "network/http_reply.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

static const char *name_of_status(int status)
{
    switch (status) {
    case 400:
        return "Bad Request";
    case 403:
        return "Forbidden";
    case 431:
        return "Request Header Fields Too Large";
    case 501:
        return "Not Implemented";
    case 502:
        return "Bad Gateway";
    case 504:
        return "Gateway Timeout";
    case 505:
        return "HTTP Version Not Supported";
    default:
        abort();
    }
}

char *http_reply(int status, const char *why)
{
    return string_format("HTTP/1.1 %d %s: %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n"
                         "Connection: close\r\n\r\nisolator: %s\n",
                         status, name_of_status(status), why, strlen("isolator: \n") + strlen(why),
                         why);
}
