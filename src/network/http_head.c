#include "network/http_head.h"

#include <string.h>

static bool is_target_byte(char c)
{
    return c > ' ' && c < 0x7f;
}

bool http_refuse(struct http_request *request, int status, const char *problem)
{
    request->status = status;
    request->problem = problem;
    return false;
}

bool http_head_has_method(const struct http_head *head, const char *method)
{
    return head->method.length == strlen(method) &&
           memcmp(head->method.at, method, head->method.length) == 0;
}

/* Refuses what can never become a head before its end has come, so that its sender need not wait.
 */
static bool check_start(const char *bytes, size_t length, struct http_request *request)
{
    const char *newline = memchr(bytes, '\n', length);

    if (!http_is_token_byte(bytes[0]))
        return http_refuse(request, 400, "not a request of HTTP");
    if (newline && newline[-1] != '\r')
        return http_refuse(request, 400, "a line that does not end with CR LF");
    return true;
}

/* Returns the length of the head; 0: its end has not come. Skips ahead: most steps are 4 bytes. */
static size_t find_end(const char *bytes, size_t length)
{
    for (size_t end = 4; end <= length;) {
        if (memcmp(bytes + end - 4, "\r\n\r\n", 4) == 0)
            return end;
        end += bytes[end - 1] == '\r' ? 1 : bytes[end - 1] == '\n' ? 2 : 4;
    }
    return 0;
}

static bool next_line(struct span *rest, struct span *line, struct http_request *request)
{
    if (!span_cut(rest, '\n', line) || line->length == 0 || line->at[line->length - 1] != '\r')
        return http_refuse(request, 400, "a line that does not end with CR LF");
    line->length--;
    return true;
}

static bool read_request_line(struct span line, struct http_head *head,
                              struct http_request *request)
{
    const char *version;

    if (!span_cut(&line, ' ', &head->method) || !span_is_token(head->method) ||
        !span_cut(&line, ' ', &head->target) || head->target.length == 0)
        return http_refuse(request, 400, "not a request line of HTTP");
    version = line.at;
    if (line.length != strlen("HTTP/1.1") || memcmp(version, "HTTP/", 5) != 0 ||
        !http_is_digit(version[5]) || version[6] != '.' || !http_is_digit(version[7]))
        return http_refuse(request, 400, "not a request line of HTTP");
    if (version[5] != '1' || version[7] > '1')
        return http_refuse(request, 505, "a version other than HTTP/1.0 and HTTP/1.1");
    if (!span_has_only(head->target, is_target_byte))
        return http_refuse(request, 400, "a byte in the target that must be percent-encoded");
    head->is_old = version[7] == '0';
    request->is_tunnel = http_head_has_method(head, "CONNECT");
    return true;
}

static bool read_field(struct span line, struct head_field *field, struct http_request *request)
{
    if (line.at[0] == ' ' || line.at[0] == '\t')
        return http_refuse(request, 400, "a folded field");
    if (!span_cut(&line, ':', &field->name))
        return http_refuse(request, 400, "a field without a colon");
    if (!span_is_token(field->name))
        return http_refuse(request, 400, "a field whose name is not a token");
    field->value = span_trim(line);
    field->is_named = false;
    if (!span_has_only(field->value, http_is_value_byte))
        return http_refuse(request, 400, "a control character in a field");
    return true;
}

static bool read_lines(struct span rest, struct http_head *head, struct http_request *request)
{
    struct span line;

    if (!next_line(&rest, &line, request) || !read_request_line(line, head, request))
        return false;
    for (;;) {
        if (!next_line(&rest, &line, request))
            return false;
        if (line.length == 0)
            return true;
        if (head->field_count == HTTP_FIELDS_MAX)
            return http_refuse(request, 431, "too many fields");
        if (!read_field(line, &head->fields[head->field_count++], request))
            return false;
    }
}

enum http_result http_head_read(const char *bytes, size_t length, struct http_head *head,
                                struct http_request *request)
{
    *request = (struct http_request){.status = 0};
    head->field_count = 0;
    head->path = (struct span){"", 0};
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
        http_refuse(request, 431, "a head of more than 32 KB");
        return HTTP_REFUSED;
    }
    return read_lines((struct span){bytes, request->head_length}, head, request) ? HTTP_GOOD
                                                                                 : HTTP_REFUSED;
}
