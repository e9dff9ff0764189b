/*
 * The head of a request in parts: its lines, before anything is known of what they say. For
 * network/http_request.c alone.
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
 * Reads the lines of a head. Sets all of `head` but its path, which is empty, and of `request`,
 * which is empty otherwise, its length and whether it asks for a tunnel, or why it is refused.
 */
enum http_result http_head_read(const char *bytes, size_t length, struct http_head *head,
                                struct http_request *request);

#endif
