#include "network/http_request.h"

#include <string.h>

#include "network/http_text.h"

enum {
    FIELDS_MAX = 128, /* of a head; common servers take about 100 */
    HTTP_PORT = 80
};

/* The largest body: all readers have such numbers exactly, also one that has only doubles. */
static const unsigned long long CONTENT_MAX = 1ULL << 53;

struct field {
    struct span name, value;
    bool is_named; /* in a Connection field */
};

struct head {
    struct span method, target;
    struct span path; /* of the target, with its query; may be empty */
    bool is_old;      /* HTTP/1.0 */
    struct field fields[FIELDS_MAX];
    size_t field_count;
};

static bool is_target_byte(char c)
{
    return c > ' ' && c < 0x7f;
}

static bool refuse(struct http_request *request, int status, const char *problem)
{
    request->status = status;
    request->problem = problem;
    return false;
}

/* ---- the head in parts */

/* Refuses what can never become a head before its end has come, so that its sender need not wait.
 */
static bool check_start(const char *bytes, size_t length, struct http_request *request)
{
    const char *newline = memchr(bytes, '\n', length);

    if (!http_is_token_byte(bytes[0]))
        return refuse(request, 400, "not a request of HTTP");
    if (newline && newline[-1] != '\r')
        return refuse(request, 400, "a line that does not end with CR LF");
    return true;
}

/* Returns the length of the head; 0: its end has not come. Looks at a fourth of the bytes. */
static size_t find_end(const char *bytes, size_t length)
{
    for (size_t end = 4; end <= length;) {
        if (memcmp(bytes + end - 4, "\r\n\r\n", 4) == 0)
            return end;
        end += bytes[end - 1] == '\r' ? 1 : bytes[end - 1] == '\n' ? 2 : 4;
    }
    return 0;
}

/* The case of a method matters. */
static bool is_method(const struct head *head, const char *method)
{
    return head->method.length == strlen(method) &&
           memcmp(head->method.at, method, head->method.length) == 0;
}

static bool next_line(struct span *rest, struct span *line, struct http_request *request)
{
    if (!span_cut(rest, '\n', line) || line->length == 0 || line->at[line->length - 1] != '\r')
        return refuse(request, 400, "a line that does not end with CR LF");
    line->length--;
    return true;
}

static bool read_request_line(struct span line, struct head *head, struct http_request *request)
{
    const char *version;

    if (!span_cut(&line, ' ', &head->method) || !span_is_token(head->method) ||
        !span_cut(&line, ' ', &head->target) || head->target.length == 0)
        return refuse(request, 400, "not a request line of HTTP");
    version = line.at;
    if (line.length != strlen("HTTP/1.1") || memcmp(version, "HTTP/", 5) != 0 ||
        !http_is_digit(version[5]) || version[6] != '.' || !http_is_digit(version[7]))
        return refuse(request, 400, "not a request line of HTTP");
    if (version[5] != '1' || version[7] > '1')
        return refuse(request, 505, "a version other than HTTP/1.0 and HTTP/1.1");
    if (!span_has_only(head->target, is_target_byte))
        return refuse(request, 400, "a byte in the target that must be percent-encoded");
    head->is_old = version[7] == '0';
    request->is_tunnel = is_method(head, "CONNECT");
    return true;
}

static bool read_field(struct span line, struct field *field, struct http_request *request)
{
    if (line.at[0] == ' ' || line.at[0] == '\t')
        return refuse(request, 400, "a folded field");
    if (!span_cut(&line, ':', &field->name))
        return refuse(request, 400, "a field without a colon");
    if (!span_is_token(field->name))
        return refuse(request, 400, "a field whose name is not a token");
    field->value = span_trim(line);
    if (!span_has_only(field->value, http_is_value_byte))
        return refuse(request, 400, "a control character in a field");
    return true;
}

static bool read_lines(struct span rest, struct head *head, struct http_request *request)
{
    struct span line;

    if (!next_line(&rest, &line, request) || !read_request_line(line, head, request))
        return false;
    for (;;) {
        if (!next_line(&rest, &line, request))
            return false;
        if (line.length == 0)
            return true;
        if (head->field_count == FIELDS_MAX)
            return refuse(request, 431, "too many fields");
        if (!read_field(line, &head->fields[head->field_count++], request))
            return false;
    }
}

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

static bool read_target(struct head *head, struct http_request *request)
{
    struct span rest = head->target;
    size_t length = 0;

    if (request->is_tunnel)
        return read_authority(rest, 0, request->host, &request->port) ||
               refuse(request, 400, "the target of CONNECT is not HOST:PORT");
    if (rest.at[0] == '/' || span_is(rest, "*"))
        return refuse(request, 400, "this is a proxy: the target has to be http://HOST/...");
    if (span_starts_with(rest, "https://"))
        return refuse(request, 400, "https needs a tunnel: use CONNECT");
    if (!span_starts_with(rest, "http://"))
        return refuse(request, 400, "a target that does not start with http://");
    if (memchr(rest.at, '#', rest.length))
        return refuse(request, 400, "a fragment in the target");
    rest = (struct span){rest.at + strlen("http://"), rest.length - strlen("http://")};
    while (length < rest.length && rest.at[length] != '/' && rest.at[length] != '?')
        length++;
    head->path = (struct span){rest.at + length, rest.length - length};
    rest.length = length;
    if (memchr(rest.at, '@', rest.length))
        return refuse(request, 400, "user information in the target");
    return read_authority(rest, HTTP_PORT, request->host, &request->port) ||
           refuse(request, 400, "the target does not name a host and a port");
}

/* How many fields have this name, and the value of the last one. */
static size_t count_fields(const struct head *head, const char *name, struct span *value)
{
    size_t count = 0;

    for (size_t i = 0; i < head->field_count; i++)
        if (span_is(head->fields[i].name, name)) {
            *value = head->fields[i].value;
            count++;
        }
    return count;
}

static bool check_host(const struct head *head, struct http_request *request)
{
    struct span value;
    const size_t count = count_fields(head, "Host", &value);
    char host[HOST_NAME_SIZE];
    unsigned short port;

    if (count > 1)
        return refuse(request, 400, "two Host fields");
    if (count == 0)
        return head->is_old || refuse(request, 400, "no Host field");
    if (!read_authority(value, HTTP_PORT, host, &port) || strcmp(host, request->host) != 0 ||
        port != request->port)
        return refuse(request, 400, "a Host that is not the host of the target");
    return true;
}

static bool read_framing(const struct head *head, struct http_request *request)
{
    struct span length, coding;
    const size_t lengths = count_fields(head, "Content-Length", &length);
    const size_t codings = count_fields(head, "Transfer-Encoding", &coding);

    if (lengths + codings > 0 && request->is_tunnel)
        return refuse(request, 400, "CONNECT with a body");
    if (lengths > 0 && codings > 0)
        return refuse(request, 400, "both Content-Length and Transfer-Encoding");
    if (lengths > 1)
        return refuse(request, 400, "two Content-Length fields");
    if (codings > 1)
        return refuse(request, 400, "two Transfer-Encoding fields");
    if (codings > 0 && head->is_old)
        return refuse(request, 400, "Transfer-Encoding in HTTP/1.0");
    if (codings > 0 && !span_is(coding, "chunked"))
        return refuse(request, 501, "a transfer coding other than chunked");
    if (lengths > 0 && !span_read_number(length, CONTENT_MAX, &request->content))
        return refuse(request, 400, "a Content-Length that is not a number, or is too large");
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
static bool read_connection(struct head *head, struct http_request *request)
{
    struct span list, name;

    for (size_t i = 0; i < head->field_count; i++) {
        list = head->fields[i].value;
        while (span_is(head->fields[i].name, "Connection") && next_name(&list, &name)) {
            if (name.length > 0 && !span_is_token(name))
                return refuse(request, 400, "a Connection that is not a list of names");
            if (span_is(name, "Host") || span_is(name, "Content-Length") ||
                span_is(name, "Transfer-Encoding"))
                return refuse(request, 400, "a Connection that names a field of the request");
            for (size_t k = 0; k < head->field_count; k++)
                head->fields[k].is_named |= span_equal(head->fields[k].name, name);
        }
    }
    return true;
}

/* Whether a field is not for the server, or is written in another way. */
static bool is_left_out(const struct field *field)
{
    static const char *const left_out[] = {"Host",    "Connection",       "Keep-Alive",
                                           "TE",      "Proxy-Connection", "Proxy-Authorization",
                                           "Upgrade", "HTTP2-Settings"};

    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (span_is(field->name, left_out[i]))
            return true;
    return field->is_named;
}

static void add_host(const struct http_request *request, struct strbuf *rewritten)
{
    const bool has_colon = strchr(request->host, ':') != NULL; /* an address of IPv6 */

    strbuf_addf(rewritten, has_colon ? "Host: [%s]" : "Host: %s", request->host);
    if (request->port != HTTP_PORT)
        strbuf_addf(rewritten, ":%d", request->port);
    strbuf_addstr(rewritten, "\r\n");
}

static void add_span(struct strbuf *rewritten, struct span text, const char *after)
{
    strbuf_add(rewritten, text.at, text.length);
    strbuf_addstr(rewritten, after);
}

static void rewrite(const struct head *head, const struct http_request *request,
                    struct strbuf *rewritten)
{
    add_span(rewritten, head->method, " ");
    if (head->path.length == 0 && is_method(head, "OPTIONS"))
        strbuf_addch(rewritten, '*'); /* RFC 9112, 3.2.4 */
    else if (!span_starts_with(head->path, "/"))
        strbuf_addch(rewritten, '/');
    add_span(rewritten, head->path, " HTTP/1.1\r\n");
    add_host(request, rewritten);
    for (size_t i = 0; i < head->field_count; i++)
        if (!is_left_out(&head->fields[i])) {
            add_span(rewritten, head->fields[i].name, ": ");
            add_span(rewritten, head->fields[i].value, "\r\n");
        }
    strbuf_addstr(rewritten, "Connection: close\r\n\r\n");
}

enum http_result http_request_read(const char *bytes, size_t length, struct http_request *request,
                                   struct strbuf *rewritten)
{
    struct head head = {.field_count = 0};

    *request = (struct http_request){.status = 0};
    if (length == 0)
        return HTTP_INCOMPLETE;
    if (length > HTTP_HEAD_MAX)
        length = HTTP_HEAD_MAX;
    if (!check_start(bytes, length, request))
        return HTTP_REFUSED;
    request->head_length = find_end(bytes, length);
    if (request->head_length == 0 && length < HTTP_HEAD_MAX)
        return HTTP_INCOMPLETE;
    if (request->head_length == 0) {
        refuse(request, 431, "a head of more than 32 KB");
        return HTTP_REFUSED;
    }
    if (!read_lines((struct span){bytes, request->head_length}, &head, request) ||
        !read_target(&head, request) || !read_framing(&head, request))
        return HTTP_REFUSED;
    if (request->is_tunnel)
        return HTTP_GOOD;
    if (!check_host(&head, request) || !read_connection(&head, request))
        return HTTP_REFUSED;
    rewrite(&head, request, rewritten);
    return HTTP_GOOD;
}
