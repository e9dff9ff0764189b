#include "network/http_response.h"

#include <string.h>

static const char FIELD[] = "Connection: close\r\n";

/* Takes a byte of the first line. Returns whether the field comes after it. */
static bool take_first_line(struct http_response *response, char byte)
{
    static const char version[] = "HTTP/1.";

    if (response->at < strlen(version) && byte != version[response->at])
        response->is_passed = true;
    if (response->at == strlen("HTTP/1.1 "))
        response->first_digit = byte;
    response->at++;
    if (byte != '\n' || response->is_passed)
        return false;
    response->at = 0;
    response->is_in_head = response->first_digit == '1';
    response->is_passed = !response->is_in_head;
    return response->is_passed;
}

/* Takes a byte of the fields of an interim response, after which another one comes. */
static void take_field(struct http_response *response, char byte)
{
    if (byte == '\n') {
        response->is_in_head = response->at > 0;
        response->at = 0;
    } else if (byte != '\r') {
        response->at++;
    }
}

void http_response_pass(struct http_response *response, const char *bytes, size_t length,
                        struct strbuf *passed)
{
    size_t i = 0;

    while (i < length && !response->is_passed) {
        if (response->is_in_head)
            take_field(response, bytes[i++]);
        else if (take_first_line(response, bytes[i++])) {
            strbuf_add(passed, bytes, i);
            strbuf_add(passed, FIELD, HTTP_RESPONSE_ADDED);
            strbuf_add(passed, bytes + i, length - i);
            return;
        }
    }
    strbuf_add(passed, bytes, length);
}
