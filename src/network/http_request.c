#include "network/http_request.h"

#include <string.h>

#include "network/http_head.h"
#include "network/http_text.h"

enum { HTTP_PORT = 80, HTTPS_PORT = 443 };

/* The largest body: all readers have such numbers exactly, also one that has only doubles. */
static const unsigned long long CONTENT_MAX = 1ULL << 53;

/* ---- what it says */

/* Reads HOST or HOST:PORT. If `default_port` is 0, there must be a port. */
static bool read_authority(struct span text, unsigned short default_port, char host[HOST_NAME_SIZE],
                           unsigned short *port)
{
    const char *bracket = span_starts_with(text, "[") ? memchr(text.at, ']', text.length) : NULL;
    const size_t from = bracket ? (size_t)(bracket - text.at) : 0;
    const char *colon = memchr(text.at + from, ':', text.length - from);
    const size_t length = colon ? (size_t)(colon - text.at) : text.length;
    unsigned long long number = default_port;

    if (colon &&
        !span_read_number((struct span){colon + 1, text.length - length - 1}, 65535, &number))
        return false;
    *port = (unsigned short)number;
    return number > 0 && host_name_read(text.at, length, host);
}

static bool read_target(struct http_head *head, struct http_request *request)
{
    struct span rest = head->target;
    size_t length = 0;

    if (request->is_tunnel)
        return read_authority(rest, 0, request->host, &request->port) ||
               http_refuse(request, 400, "the target of CONNECT is not HOST:PORT");
    if (rest.at[0] == '/' || span_is(rest, "*"))
        return http_refuse(request, 400, "this is a proxy: the target has to be http://HOST/...");
    if (span_starts_with(rest, "https://"))
        return http_refuse(request, 400, "https needs a tunnel: use CONNECT");
    if (!span_starts_with(rest, "http://"))
        return http_refuse(request, 400, "a target that does not start with http://");
    if (memchr(rest.at, '#', rest.length))
        return http_refuse(request, 400, "a fragment in the target");
    rest = (struct span){rest.at + strlen("http://"), rest.length - strlen("http://")};
    while (length < rest.length && rest.at[length] != '/' && rest.at[length] != '?')
        length++;
    head->path = (struct span){rest.at + length, rest.length - length};
    rest.length = length;
    if (memchr(rest.at, '@', rest.length))
        return http_refuse(request, 400, "user information in the target");
    return read_authority(rest, HTTP_PORT, request->host, &request->port) ||
           http_refuse(request, 400, "the target does not name a host and a port");
}

/* How many fields have this name, and the value of the last one. */
static size_t count_fields(const struct http_head *head, const char *name, struct span *value)
{
    size_t count = 0;

    for (size_t i = 0; i < head->field_count; i++)
        if (span_is(head->fields[i].name, name)) {
            *value = head->fields[i].value;
            count++;
        }
    return count;
}

static bool check_host(const struct http_head *head, unsigned short default_port,
                       const char *problem, struct http_request *request)
{
    struct span value;
    const size_t count = count_fields(head, "Host", &value);
    char host[HOST_NAME_SIZE];
    unsigned short port;

    if (count > 1)
        return http_refuse(request, 400, "two Host fields");
    if (count == 0)
        return head->is_old || http_refuse(request, 400, "no Host field");
    if (!read_authority(value, default_port, host, &port) || strcmp(host, request->host) != 0 ||
        port != request->port)
        return http_refuse(request, 400, problem);
    return true;
}

static bool is_same_byte(char one, char other)
{
    return ((one == '_' || one == '-') && (other == '_' || other == '-')) ||
           span_equal((struct span){&one, 1}, (struct span){&other, 1});
}

/* Whether servers may take one name for the other: some do not tell "_" and "-" apart. */
static bool is_same_name(struct span name, const char *other)
{
    if (name.length != strlen(other))
        return false;
    for (size_t i = 0; i < name.length; i++)
        if (!is_same_byte(name.at[i], other[i]))
            return false;
    return true;
}

/* Refuses names that some servers take for those that say how long the body is. */
static bool check_names(const struct http_head *head, struct http_request *request)
{
    static const char *const names[] = {"Content-Length", "Transfer-Encoding"};

    for (size_t i = 0; i < head->field_count; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (is_same_name(head->fields[i].name, names[k]) &&
                !span_is(head->fields[i].name, names[k]))
                return http_refuse(request, 400,
                                   "a field that some servers take for Content-Length or "
                                   "Transfer-Encoding");
    return true;
}

static bool read_framing(const struct http_head *head, struct http_request *request)
{
    struct span length, coding;
    const size_t lengths = count_fields(head, "Content-Length", &length);
    const size_t codings = count_fields(head, "Transfer-Encoding", &coding);

    if (!check_names(head, request))
        return false;
    if (lengths + codings > 0 && request->is_tunnel)
        return http_refuse(request, 400, "CONNECT with a body");
    if (lengths > 0 && codings > 0)
        return http_refuse(request, 400, "both Content-Length and Transfer-Encoding");
    if (lengths > 1)
        return http_refuse(request, 400, "two Content-Length fields");
    if (codings > 1)
        return http_refuse(request, 400, "two Transfer-Encoding fields");
    if (codings > 0 && head->is_old)
        return http_refuse(request, 400, "Transfer-Encoding in HTTP/1.0");
    if (codings > 0 && !span_is(coding, "chunked"))
        return http_refuse(request, 501, "a transfer coding other than chunked");
    if (lengths > 0 && !span_read_number(length, CONTENT_MAX, &request->content))
        return http_refuse(request, 400, "a Content-Length that is not a number, or is too large");
    request->body = codings > 0   ? HTTP_BODY_CHUNKED
                    : lengths > 0 ? HTTP_BODY_LENGTH
                                  : HTTP_BODY_NONE;
    return true;
}

/* ---- the head for the server */

/* Finds the next name in the value of a Connection field, which may be empty. */
static bool next_name(struct span *list, struct span *name)
{
    if (!list->at)
        return false;
    if (!span_cut(list, ',', name)) {
        *name = *list;
        list->at = NULL;
    }
    *name = span_trim(*name);
    return true;
}

/*
 * Marks the fields that Connection names. Refuses one that would take away what says where the
 * request goes and where it ends.
 */
static bool read_connection(struct http_head *head, struct http_request *request)
{
    struct span list, name;

    for (size_t i = 0; i < head->field_count; i++) {
        list = head->fields[i].value;
        while (span_is(head->fields[i].name, "Connection") && next_name(&list, &name)) {
            if (name.length > 0 && !span_is_token(name))
                return http_refuse(request, 400, "a Connection that is not a list of names");
            if (span_is(name, "Host") || span_is(name, "Content-Length") ||
                span_is(name, "Transfer-Encoding"))
                return http_refuse(request, 400, "a Connection that names a field of the request");
            for (size_t k = 0; k < head->field_count; k++)
                head->fields[k].is_named |= span_equal(head->fields[k].name, name);
        }
    }
    return true;
}

/* Whether a field is not for the server, or is written in another way. Connection: close names the
 * last one. */
static bool is_left_out(const struct head_field *field)
{
    static const char *const left_out[] = {"Host",    "Connection",       "Keep-Alive",
                                           "TE",      "Proxy-Connection", "Proxy-Authorization",
                                           "Upgrade", "HTTP2-Settings",   "close"};

    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (span_is(field->name, left_out[i]))
            return true;
    return field->is_named;
}

/* Whether isolator sets this field itself. */
static bool is_replaced(const struct http_tunnel *tunnel, struct span name)
{
    for (size_t i = 0; i < tunnel->field_count; i++)
        if (is_same_name(name, tunnel->fields[i].name))
            return true;
    return false;
}

static void add_host(const struct http_request *request, unsigned short default_port,
                     struct strbuf *rewritten)
{
    const bool has_colon = strchr(request->host, ':') != NULL; /* an address of IPv6 */

    strbuf_addf(rewritten, has_colon ? "Host: [%s]" : "Host: %s", request->host);
    if (request->port != default_port)
        strbuf_addf(rewritten, ":%d", request->port);
    strbuf_addstr(rewritten, "\r\n");
}

static void add_span(struct strbuf *rewritten, struct span text, const char *after)
{
    strbuf_add(rewritten, text.at, text.length);
    strbuf_addstr(rewritten, after);
}

static void rewrite(const struct http_head *head, const struct http_request *request,
                    unsigned short default_port, const struct http_tunnel *tunnel,
                    struct strbuf *rewritten)
{
    add_span(rewritten, head->method, " ");
    if (head->path.length == 0 && http_head_has_method(head, "OPTIONS"))
        strbuf_addch(rewritten, '*'); /* RFC 9112, 3.2.4 */
    else if (!span_starts_with(head->path, "/"))
        strbuf_addch(rewritten, '/');
    add_span(rewritten, head->path, " HTTP/1.1\r\n");
    add_host(request, default_port, rewritten);
    for (size_t i = 0; i < tunnel->field_count; i++)
        strbuf_addf(rewritten, "%s: %s\r\n", tunnel->fields[i].name, tunnel->fields[i].value);
    for (size_t i = 0; i < head->field_count; i++)
        if (!is_left_out(&head->fields[i]) && !is_replaced(tunnel, head->fields[i].name)) {
            add_span(rewritten, head->fields[i].name, ": ");
            add_span(rewritten, head->fields[i].value, "\r\n");
        }
    strbuf_addstr(rewritten, "Connection: close\r\n\r\n");
}

enum http_result http_request_read(const char *bytes, size_t length, struct http_request *request,
                                   struct strbuf *rewritten)
{
    static const struct http_tunnel none = {.field_count = 0};
    struct http_head head;
    struct span upgrade;
    const enum http_result result = http_head_read(bytes, length, &head, request);

    if (result != HTTP_GOOD)
        return result;
    if (!read_target(&head, request) || !read_framing(&head, request))
        return HTTP_REFUSED;
    if (request->is_tunnel)
        return HTTP_GOOD;
    if (count_fields(&head, "Upgrade", &upgrade) > 0 && span_is(upgrade, "websocket")) {
        http_refuse(request, 501,
                    "a websocket needs a tunnel: CONNECT, then TLS unless the host is \"raw\"");
        return HTTP_REFUSED;
    }
    if (!check_host(&head, HTTP_PORT, "a Host that is not the host of the target", request) ||
        !read_connection(&head, request))
        return HTTP_REFUSED;
    rewrite(&head, request, HTTP_PORT, &none, rewritten);
    return HTTP_GOOD;
}

/* ---- in a tunnel */

/* Refuses what would show the program the fields of isolator, or would go on without HTTP. */
static bool check_method(const struct http_head *head, struct http_request *request)
{
    struct span value;

    if (request->is_tunnel)
        return http_refuse(request, 501, "CONNECT in a tunnel");
    if (span_is(head->method, "TRACE") || span_is(head->method, "TRACK"))
        return http_refuse(request, 501, "TRACE, whose response has all fields of the request");
    if (count_fields(head, "Upgrade", &value) > 0)
        return http_refuse(request, 501, "Upgrade, which asks for another protocol than HTTP/1.1");
    return true;
}

static bool read_target_in_tunnel(struct http_head *head, struct http_request *request)
{
    if (span_is(head->target, "*") && http_head_has_method(head, "OPTIONS"))
        return true;
    if (!span_starts_with(head->target, "/"))
        return http_refuse(request, 400, "a target that does not start with '/'");
    if (memchr(head->target.at, '#', head->target.length))
        return http_refuse(request, 400, "a fragment in the target");
    head->path = head->target;
    return true;
}

enum http_result http_request_read_in_tunnel(const char *bytes, size_t length,
                                             const struct http_tunnel *tunnel,
                                             struct http_request *request, struct strbuf *rewritten)
{
    struct http_head head;
    const enum http_result result = http_head_read(bytes, length, &head, request);

    if (result != HTTP_GOOD)
        return result;
    memcpy(request->host, tunnel->host, strlen(tunnel->host) + 1);
    request->port = tunnel->port;
    request->no_trailer = true;
    if (!check_method(&head, request) || !read_target_in_tunnel(&head, request) ||
        !read_framing(&head, request) ||
        !check_host(&head, HTTPS_PORT, "a Host that is not the host of the tunnel", request) ||
        !read_connection(&head, request))
        return HTTP_REFUSED;
    rewrite(&head, request, HTTPS_PORT, tunnel, rewritten);
    return HTTP_GOOD;
}
