/*
 * Splits the head of a request into its lines and fields; http_request.c judges them.
 */
#ifndef NETWORK_HTTP_HEAD_H
#define NETWORK_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>

#include "network/http_request.h"
#include "network/http_text.h"

/* The fields of a head; common servers take about 100. */
enum { HTTP_FIELDS_MAX = 128 };

struct head_field {
    struct span name, value;
    bool is_named; /* in a Connection field */
};

/* All of it is borrowed from the bytes of the head. */
struct http_head {
    struct span method, target;
    struct span path; /* of the target, with its query; may be empty */
    bool is_old;      /* HTTP/1.0 */
    struct head_field fields[HTTP_FIELDS_MAX];
    size_t field_count;
};

/* Says why a request is refused. Returns false. */
bool http_refuse(struct http_request *request, int status, const char *problem);

/* Whether the request has this method, whose case matters. */
bool http_head_has_method(const struct http_head *head, const char *method);

/*
 * Reads the lines of a head. HTTP_GOOD: sets `head`, with an empty path, and of `request`
 * head_length and is_tunnel. HTTP_REFUSED: sets status and problem.
 */
enum http_result http_head_read(const char *bytes, size_t length, struct http_head *head,
                                struct http_request *request);

#endif
