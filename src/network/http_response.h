/*
 * Responses of hosts to requests that said "Connection: close": they say so too, also if the host
 * does not. A client that does not know it would use the connection for its next request, which
 * nothing answers (RFC 9112, 9.6).
 */
#ifndef NETWORK_HTTP_RESPONSE_H
#define NETWORK_HTTP_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

/* Bytes that are added to a response. */
enum { HTTP_RESPONSE_ADDED = 19 };

/* What has passed of a response. Begins as zeros. */
struct http_response {
    bool is_passed;   /* nothing is added any more */
    bool is_in_head;  /* after the first line of an interim response (RFC 9110, 15.2) */
    size_t at;        /* in the line */
    char first_digit; /* of the status */
};

/*
 * Adds bytes of the host to `passed`; the field comes after the line with the status, unless that
 * is interim. What is not HTTP/1 stays as it is.
 */
void http_response_pass(struct http_response *response, const char *bytes, size_t length,
                        struct strbuf *passed);

#endif
