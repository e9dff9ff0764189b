/*
 * Fuzz target: what a program sends to its proxy, and what its relay says. The first byte chooses
 * the parser. These properties are checked:
 *
 * - A request of HTTP, its body, one of SOCKS and a ClientHello have the same result whether they
 * come at once or in pieces. Once there is a result, more bytes do not change it.
 * - A head for a server has lines that end with CR LF, without other control characters, exactly
 * one Host and one Connection, and at most one field that says how long the body is. Given to the
 * parser again, as a request in absolute form, it gives itself.
 * - The same is true of a request in a tunnel. It has the field of isolator once, with its value,
 * and no other one that a server may take for it; read again in a tunnel that adds no field, its
 * head is the same.
 * - A host has a name that, read again, is the same.
 * - A refusal has a status and a problem, and leaves no head.
 * - A proxy that may reach no host takes the messages of a relay that a simple reading takes, and
 * nothing after another one. What it says are messages for slots that are open, no more DATA than
 * was granted, and nothing after CLOSE; the same if the bytes come at once.
 */
#include "fuzz.h"

#include <strings.h>

#include "base/host_name.h"
#include "network/client_hello.h"
#include "network/http_request.h"
#include "network/proxy.h"
#include "network/socks_request.h"

/* The lengths at which what comes is read: each at first, then fewer, and the last one. */
static size_t next_length(size_t have, size_t size)
{
    const size_t next = have + 1 + have / 64;

    return have < size && next > size ? size : next;
}

/* ---- names */

static void check_name(const char *name)
{
    struct ip_address address;
    char again[HOST_NAME_SIZE];
    CLEANUP_FREE char *text = string_format(strchr(name, ':') ? "[%s]" : "%s", name);

    fuzz_require(strlen(name) > 0 && strlen(name) < HOST_NAME_SIZE, "'%s'", name);
    fuzz_require(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.:") == strlen(name), "'%s'",
                 name);
    fuzz_require(host_name_read(text, strlen(text), again), "'%s' is refused", text);
    fuzz_require(strcmp(name, again) == 0, "'%s' is '%s'", name, again);
    fuzz_require(host_name_matches(name, name), "'%s' is not itself", name);
    if (host_name_is_address(name, &address)) {
        char canonical[IP_ADDRESS_SIZE];

        ip_address_text(&address, canonical);
        fuzz_require(strcmp(name, canonical) == 0, "'%s' is '%s'", name, canonical);
    }
}

static void check_host_name(const char *text, size_t size)
{
    char name[HOST_NAME_SIZE];

    if (host_name_read(text, size, name))
        check_name(name);
}

/* ---- ClientHello */

static void check_hello(const char *bytes, size_t size)
{
    const unsigned char *data = (const unsigned char *)bytes;
    char name[HOST_NAME_SIZE] = "", part[HOST_NAME_SIZE] = "";
    const enum client_hello result = client_hello_read(data, size, name);
    enum client_hello before = CLIENT_HELLO_INCOMPLETE;

    if (result == CLIENT_HELLO_NAMED)
        check_name(name);
    for (size_t have = 0; have <= size; have = next_length(have, size)) {
        const enum client_hello now = client_hello_read(data, have, part);

        fuzz_require(before == CLIENT_HELLO_INCOMPLETE || now == before,
                     "%d after %zu bytes, then %d", before, have, now);
        fuzz_require(now != CLIENT_HELLO_NAMED || strcmp(part, name) == 0, "'%s', then '%s'", part,
                     name);
        before = now;
    }
    fuzz_require(before == result, "%d in pieces, %d at once", before, result);
}

/* ---- SOCKS */

static void check_socks(const char *bytes, size_t size)
{
    struct socks_request request = {.length = 0}, part;
    const enum socks_result result = socks_read_request(bytes, size, &request);
    enum socks_result before = SOCKS_INCOMPLETE;
    size_t taken = 0;

    fuzz_require(socks_read_greeting(bytes, size, &taken) == SOCKS_INCOMPLETE || taken <= size,
                 "a greeting of %zu bytes", taken);
    if (result == SOCKS_GOOD)
        check_name(request.host);
    fuzz_require(result != SOCKS_GOOD || (request.length <= size && request.port != 0),
                 "%zu bytes, port %u", request.length, request.port);
    fuzz_require(result != SOCKS_REFUSED || (request.status >= 400 && request.problem),
                 "a refusal with %d", request.status);
    for (size_t have = 0; have <= size; have = next_length(have, size)) {
        const enum socks_result now = socks_read_request(bytes, have, &part);

        fuzz_require(before == SOCKS_INCOMPLETE || now == before, "%d after %zu bytes, then %d",
                     before, have, now);
        fuzz_require(now != SOCKS_GOOD || strcmp(part.host, request.host) == 0, "'%s', then '%s'",
                     part.host, request.host);
        before = now;
    }
    fuzz_require(before == result, "%d in pieces, %d at once", before, result);
}

/* ---- requests */

/* How many lines of the head start with this text. */
static int count_lines(const struct strbuf *head, const char *start)
{
    int count = 0;

    for (const char *line = strbuf_string(head); *line; line = strstr(line, "\r\n") + 2)
        count += strncasecmp(line, start, strlen(start)) == 0;
    return count;
}

static void check_head(const struct http_request *request, const struct strbuf *head)
{
    const size_t length = head->length;
    int framings;

    fuzz_require(length > 4 && strlen(head->data) == length, "%zu bytes", length);
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)head->data[i];

        if (c == '\r')
            fuzz_require(head->data[i + 1] == '\n', "a CR at %zu", i);
        else if (c == '\n')
            fuzz_require(i > 0 && head->data[i - 1] == '\r', "a LF at %zu", i);
        else
            fuzz_require((c >= ' ' && c != 0x7f) || c == '\t', "byte %d at %zu", c, i);
    }
    fuzz_require(strstr(head->data, "\r\n\r\n") == head->data + length - 4, "%s", head->data);
    fuzz_require(count_lines(head, "host:") == 1, "%s", head->data);
    fuzz_require(count_lines(head, "connection:") == 1, "%s", head->data);
    fuzz_require(count_lines(head, "connection: close\r\n") == 1, "%s", head->data);
    fuzz_require(count_lines(head, "proxy-authorization:") == 0, "%s", head->data);
    fuzz_require(count_lines(head, " ") == 0 && count_lines(head, "\t") == 0, "%s", head->data);
    fuzz_require(count_lines(head, "content_length:") == 0 &&
                     count_lines(head, "transfer_encoding:") == 0 &&
                     count_lines(head, "transfer-encoding:") <= 1,
                 "%s", head->data);
    framings = count_lines(head, "content-length:") + count_lines(head, "transfer-encoding:");
    fuzz_require(framings == (request->body != HTTP_BODY_NONE), "%d: %s", framings, head->data);
}

/* Makes the head one for a proxy again, which has to become the same head. */
static void check_again(const struct http_request *request, const struct strbuf *head)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    CLEANUP(strbuf_release) struct strbuf again = STRBUF_INIT;
    const char *path = strchr(head->data, ' ') + 1;
    struct http_request other;

    strbuf_add(&text, head->data, (size_t)(path - head->data));
    strbuf_addf(&text, strchr(request->host, ':') ? "http://[%s]:%d" : "http://%s:%d",
                request->host, request->port);
    strbuf_addstr(&text, path + (path[0] == '*'));
    if (text.length > HTTP_HEAD_MAX)
        return;
    /* A field for each that was there may be one too many, with Host and Connection. */
    if (http_request_read(text.data, text.length, &other, &again) == HTTP_REFUSED) {
        fuzz_require(other.status == 431, "%d %s", other.status, other.problem);
        return;
    }
    fuzz_require(strcmp(strbuf_string(&again), head->data) == 0, "%s\n%s", head->data, again.data);
    fuzz_require(other.body == request->body && other.content == request->content, "%s",
                 head->data);
}

static bool is_same(const struct http_request *one, const struct http_request *other)
{
    return one->is_tunnel == other->is_tunnel && strcmp(one->host, other->host) == 0 &&
           one->port == other->port && one->head_length == other->head_length &&
           one->body == other->body && one->content == other->content &&
           one->status == other->status;
}

/* Reads each beginning of what comes. */
static void check_growing(const char *bytes, size_t size, enum http_result result,
                          const struct http_request *request, const struct strbuf *head)
{
    enum http_result before = HTTP_INCOMPLETE;

    for (size_t have = 0; have <= size; have = next_length(have, size)) {
        CLEANUP(strbuf_release) struct strbuf again = STRBUF_INIT;
        struct http_request other;
        const enum http_result now = http_request_read(bytes, have, &other, &again);

        fuzz_require(before == HTTP_INCOMPLETE || now == before, "%d after %zu bytes, then %d",
                     before, have, now);
        if (now != HTTP_INCOMPLETE)
            fuzz_require(is_same(&other, request), "%d %d", other.status, request->status);
        if (now != HTTP_INCOMPLETE)
            fuzz_require(strcmp(strbuf_string(&again), strbuf_string(head)) == 0, "%s", again.data);
        before = now;
    }
    fuzz_require(before == result, "%d in pieces, %d at once", before, result);
}

/* Returns how long the body is, read in pieces; -1: it is wrong. */
static long take_body(const struct http_request *request, const char *bytes, size_t size,
                      size_t step, bool *ended)
{
    struct http_body_reader reader;
    long all = 0;

    http_body_begin(&reader, request);
    for (size_t at = 0; at < size; at += step) {
        const size_t length = size - at < step ? size - at : step;
        const long taken = http_body_take(&reader, bytes + at, length);

        if (taken < 0)
            return -1;
        fuzz_require((size_t)taken == length || (reader.ended && (size_t)taken < length),
                     "%ld of %zu bytes", taken, length);
        all += taken;
    }
    *ended = reader.ended;
    return all;
}

static void check_body(const struct http_request *request, const char *bytes, size_t size)
{
    bool ended = false, again = false;
    const long length = take_body(request, bytes, size, size + 1, &ended);

    for (size_t step = 1; step < 4; step++) {
        const long pieces = take_body(request, bytes, size, step, &again);

        fuzz_require(pieces == length && (length < 0 || again == ended), "%ld, %ld", length,
                     pieces);
    }
    if (length < 0 || request->body == HTTP_BODY_CHUNKED) {
        fuzz_require(request->body == HTTP_BODY_CHUNKED, "a body of kind %d", request->body);
        fuzz_require(!ended || memcmp(bytes + length - 2, "\r\n", 2) == 0, "%ld bytes", length);
        return;
    }
    fuzz_require(ended == (size >= request->content), "%zu bytes", size);
    fuzz_require((size_t)length == (ended ? request->content : size), "%ld bytes", length);
}

static void check_request(const char *bytes, size_t size)
{
    CLEANUP(strbuf_release) struct strbuf head = STRBUF_INIT;
    struct http_request request;
    const enum http_result result = http_request_read(bytes, size, &request, &head);

    check_growing(bytes, size, result, &request, &head);
    if (result == HTTP_REFUSED)
        fuzz_require((request.status == 400 || request.status == 431 || request.status == 501 ||
                      request.status == 505) &&
                         fuzz_is_line(request.problem),
                     "%d", request.status);
    if (result != HTTP_GOOD) {
        fuzz_require(head.length == 0, "%s", head.data);
        return;
    }
    check_name(request.host);
    fuzz_require(request.port > 0 && request.head_length <= size, "%zu", request.head_length);
    fuzz_require(memcmp(bytes + request.head_length - 4, "\r\n\r\n", 4) == 0, "%zu",
                 request.head_length);
    if (request.is_tunnel) {
        fuzz_require(head.length == 0 && request.body == HTTP_BODY_NONE, "%s", head.data);
    } else {
        check_head(&request, &head);
        check_again(&request, &head);
    }
    check_body(&request, bytes + request.head_length, size - request.head_length);
}

/* ---- requests in a tunnel */

/* Reads each beginning of what comes. */
static void check_growing_in_tunnel(const char *bytes, size_t size,
                                    const struct http_tunnel *tunnel, enum http_result result,
                                    const struct strbuf *head)
{
    enum http_result before = HTTP_INCOMPLETE;

    for (size_t have = 0; have <= size; have = next_length(have, size)) {
        CLEANUP(strbuf_release) struct strbuf again = STRBUF_INIT;
        struct http_request other;
        const enum http_result now =
            http_request_read_in_tunnel(bytes, have, tunnel, &other, &again);

        fuzz_require(before == HTTP_INCOMPLETE || now == before, "%d after %zu bytes, then %d",
                     before, have, now);
        fuzz_require(now == HTTP_INCOMPLETE ||
                         strcmp(strbuf_string(&again), strbuf_string(head)) == 0,
                     "%s", strbuf_string(&again));
        before = now;
    }
    fuzz_require(before == result, "%d in pieces, %d at once", before, result);
}

/* How many fields have a name that some server takes for "X-Key". */
static int count_keys(const struct strbuf *head)
{
    return count_lines(head, "x-key:") + count_lines(head, "x_key:");
}

static void check_again_in_tunnel(const struct http_tunnel *tunnel, const struct strbuf *head)
{
    const struct http_tunnel none = {.host = tunnel->host, .port = tunnel->port};
    CLEANUP(strbuf_release) struct strbuf again = STRBUF_INIT;
    struct http_request other;

    if (head->length > HTTP_HEAD_MAX)
        return;
    if (http_request_read_in_tunnel(head->data, head->length, &none, &other, &again) != HTTP_GOOD) {
        fuzz_require(other.status == 431, "%d %s", other.status, other.problem);
        return;
    }
    fuzz_require(strcmp(strbuf_string(&again), head->data) == 0, "%s\n%s", head->data, again.data);
}

static void check_in_tunnel(const char *bytes, size_t size)
{
    static const struct http_field key = {"X-Key", "the secret"};
    static const struct http_tunnel tunnel = {.host = "a", .port = 443, .fields = &key, 1};
    CLEANUP(strbuf_release) struct strbuf head = STRBUF_INIT;
    struct http_request request;
    const enum http_result result =
        http_request_read_in_tunnel(bytes, size, &tunnel, &request, &head);

    check_growing_in_tunnel(bytes, size, &tunnel, result, &head);
    if (result == HTTP_REFUSED)
        fuzz_require(request.status >= 400 && fuzz_is_line(request.problem), "%d", request.status);
    if (result != HTTP_GOOD) {
        fuzz_require(head.length == 0, "%s", head.data);
        return;
    }
    fuzz_require(!request.is_tunnel && strcmp(request.host, "a") == 0 && request.port == 443, "%s",
                 request.host);
    check_head(&request, &head);
    fuzz_require(count_lines(&head, "host: a\r\n") == 1, "%s", head.data);
    fuzz_require(count_keys(&head) == 1 && count_lines(&head, "x-key: the secret\r\n") == 1, "%s",
                 head.data);
    check_again_in_tunnel(&tunnel, &head);
    check_body(&request, bytes + request.head_length, size - request.head_length);
}

/* ---- messages of a relay */

enum { SLOTS = 4 };

/* A slot in the simple reading. */
struct slot {
    bool is_open, program_ended, has_closed; /* by the proxy */
    size_t granted, credit;                  /* bytes that the relay may send, and the proxy */
};

struct reading {
    struct slot slots[SLOTS];
    bool has_begun; /* the relay has said whether it listens, which it says once */
    bool broken;
    bool is_partial; /* a message has begun */
};

/* Whether the relay may say this, and what follows from it. */
static bool read_message(struct reading *reading, const struct mux_message *message,
                         const char *payload)
{
    struct slot none = {.is_open = false};
    struct slot *slot = message->slot < SLOTS ? &reading->slots[message->slot] : &none;
    const bool had_begun = reading->has_begun;
    uint32_t number;

    switch ((int)message->type) {
    case MUX_LISTENS:
    case MUX_FAILED:
        reading->has_begun = true;
        return !had_begun && message->slot == 0 &&
               message->length == (message->type == MUX_FAILED ? 4 : 0);
    case MUX_OPEN:
        if (message->length > 0 || message->slot >= SLOTS || slot->is_open)
            return false;
        *slot = (struct slot){.is_open = true, .granted = MUX_WINDOW, .credit = MUX_WINDOW};
        return true;
    case MUX_DATA:
        if (!slot->is_open || slot->program_ended || message->length == 0 ||
            message->length > slot->granted)
            return false;
        slot->granted -= message->length;
        return true;
    case MUX_CREDIT:
        if (!slot->is_open || message->length != 4)
            return false;
        number = mux_read_number((const unsigned char *)payload);
        if (number == 0 || slot->credit + number > MUX_WINDOW)
            return false;
        slot->credit += number;
        return true;
    case MUX_END:
        if (!slot->is_open || slot->program_ended || message->length > 0)
            return false;
        slot->program_ended = true;
        return true;
    case MUX_CLOSE:
        if (!slot->is_open || message->length > 0)
            return false;
        slot->is_open = false;
        return true;
    default:
        return false;
    }
}

/* Whether it is a refusal of HTTP, or what isolator says to a program that speaks SOCKS. */
static bool is_reply(const char *payload, size_t length)
{
    if (payload[0] == SOCKS_VERSION)
        return length == 2 || (length == SOCKS_REPLY_SIZE && payload[1] != SOCKS_GRANTED);
    return strncmp(payload, "HTTP/1.1 4", 10) == 0 || strncmp(payload, "HTTP/1.1 50", 11) == 0;
}

static void check_message(struct reading *reading, const struct mux_message *message,
                          const char *payload)
{
    struct slot *slot = &reading->slots[message->slot];

    fuzz_require(message->slot < SLOTS && !slot->has_closed, "slot %u", message->slot);
    switch ((int)message->type) {
    case MUX_DATA:
        fuzz_require(slot->is_open && message->length <= slot->credit, "%zu bytes",
                     message->length);
        fuzz_require(is_reply(payload, message->length), "%.11s", payload);
        slot->credit -= message->length;
        break;
    case MUX_CREDIT:
        fuzz_require(slot->is_open && message->length == 4, "%zu bytes", message->length);
        slot->granted += mux_read_number((const unsigned char *)payload);
        fuzz_require(slot->granted <= MUX_WINDOW, "%zu bytes", slot->granted);
        break;
    default: /* no host has ended anything */
        fuzz_require(message->type == MUX_CLOSE && message->length == 0, "type %d",
                     (int)message->type);
        slot->has_closed = true;
    }
}

/* Checks what the proxy says, and adds it to `all`. */
static void check_given(struct mux_link *link, struct reading *reading, struct strbuf *all)
{
    struct mux_message message;
    size_t length, at = all->length;
    char bytes[100];

    while ((length = mux_link_give(link, bytes, sizeof bytes)) > 0)
        strbuf_add(all, bytes, length);
    fuzz_require(!reading->broken || at == all->length, "%zu bytes", all->length - at);
    for (; at < all->length; at += MUX_HEADER + message.length) {
        fuzz_require(all->length - at >= MUX_HEADER &&
                         mux_read((const unsigned char *)all->data + at, &message) &&
                         message.length <= all->length - at - MUX_HEADER,
                     "no message at byte %zu", at);
        check_message(reading, &message, all->data + at + MUX_HEADER);
    }
    for (size_t i = 0; i < SLOTS && !reading->broken; i++)
        fuzz_require(reading->slots[i].is_open || reading->slots[i].has_closed ||
                         reading->slots[i].credit == 0,
                     "no CLOSE of slot %zu", i);
}

/* Gives the messages one by one, each in two pieces. */
static struct reading check_messages(struct mux_link *link, const char *bytes, size_t size,
                                     struct strbuf *all)
{
    struct reading reading = {.broken = false};
    size_t at = 0, length;

    for (; size - at >= MUX_HEADER && !reading.broken; at += length) {
        struct mux_message message;

        reading.broken = !mux_read((const unsigned char *)bytes + at, &message);
        length = MUX_HEADER + (reading.broken ? 0 : message.length);
        if (length > size - at)
            break;
        mux_link_take(link, bytes + at, 5);
        check_given(link, &reading, all);
        reading.broken =
            reading.broken || !read_message(&reading, &message, bytes + at + MUX_HEADER);
        mux_link_take(link, bytes + at + 5, length - 5);
        check_given(link, &reading, all);
    }
    reading.is_partial = !reading.broken && at < size;
    mux_link_take(link, bytes + at, size - at);
    check_given(link, &reading, all);
    return reading;
}

/* A proxy takes a connection that asks for nothing if it still takes anything. */
static void check_taking(struct mux_link *link, struct reading *reading)
{
    CLEANUP(strbuf_release) struct strbuf said = STRBUF_INIT;
    unsigned slot = 0;

    while (slot < SLOTS && reading->slots[slot].is_open)
        slot++;
    if (slot == SLOTS || reading->is_partial)
        return;
    reading->slots[slot] =
        (struct slot){.is_open = true, .granted = MUX_WINDOW, .credit = MUX_WINDOW};
    mux_link_take(link, (const char[]){(char)slot, 0, MUX_OPEN, 0, 0, 0, 0, 0}, MUX_HEADER);
    mux_link_take(link, (const char[]){(char)slot, 0, MUX_END, 0, 0, 0, 0, 0}, MUX_HEADER);
    check_given(link, reading, &said);
    fuzz_require(said.length == (reading->broken ? 0 : MUX_HEADER), "%zu bytes", said.length);
}

static void check_log(const struct network_log *log)
{
    fuzz_require(log->count <= NETWORK_LOG_MAX && log->bytes == 0, "%zu entries", log->count);
    for (size_t i = 0; i < log->count; i++) {
        const struct network_entry *entry = &log->entries[i];

        fuzz_require(entry->outcome != NETWORK_CONNECTED && entry->connections > 0, "'%s'",
                     entry->host);
        fuzz_require(fuzz_is_line(entry->host) && fuzz_is_line(entry->reason), "'%s' '%s'",
                     entry->host, entry->reason);
    }
}

static void check_relay(const char *bytes, size_t size)
{
    const struct network_rules rules = {.max_bytes = 1000, .max_connections = SLOTS};
    const struct docker docker = {.trace = NULL};
    struct network_log log = NETWORK_LOG_INIT;
    struct error error = ERROR_INIT;
    CLEANUP(strbuf_release) struct strbuf all = STRBUF_INIT, at_once = STRBUF_INIT;
    struct mux_link *link = mux_link_new(&error);
    struct proxy *proxy = proxy_new(&rules, NULL, &log, &docker, link, &error);
    struct reading reading;
    char given[4096];
    size_t length;

    reading = check_messages(link, bytes, size, &all);
    check_taking(link, &reading);
    check_log(&log);
    proxy_free(proxy);
    mux_link_free(link);
    link = mux_link_new(&error);
    proxy = proxy_new(&rules, NULL, &log, &docker, link, &error);
    mux_link_take(link, bytes, size);
    mux_link_serve(link);
    while ((length = mux_link_give(link, given, sizeof given)) > 0)
        strbuf_add(&at_once, given, length);
    if (reading.broken)
        fuzz_require(at_once.length == 0, "%zu bytes", at_once.length);
    else /* so few bytes that it cannot have been too much for the proxy */
        fuzz_require(size > 65536 ||
                         (all.length == at_once.length &&
                          memcmp(strbuf_string(&all), strbuf_string(&at_once), all.length) == 0),
                     "%zu bytes, not %zu", at_once.length, all.length);
    proxy_free(proxy);
    mux_link_free(link);
    network_log_release(&log);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct http_request chunked = {.body = HTTP_BODY_CHUNKED};
    const char *bytes = (const char *)data + 1;

    if (size == 0)
        return 0;
    size--;
    switch (data[0]) {
    case 'r':
        check_request(bytes, size);
        break;
    case 'i':
        check_in_tunnel(bytes, size);
        break;
    case 'b':
        check_body(&chunked, bytes, size);
        break;
    case 't':
        check_hello(bytes, size);
        break;
    case 's':
        check_socks(bytes, size);
        break;
    case 'p':
        check_relay(bytes, size);
        break;
    case 'n':
        check_host_name(bytes, size);
        break;
    default:
        return -1; /* not an input to keep */
    }
    return 0;
}
