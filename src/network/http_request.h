/*
 * The requests that a program sends to its proxy: CONNECT for a tunnel, and requests of plain HTTP
 * in absolute form (RFC 9110, 9.3.6; RFC 9112, 3.2.2 and 3.2.3). And those in origin form that it
 * sends in a tunnel whose TLS isolator-tls terminates (src/tls). What comes is hostile: anything
 * that two readers could understand differently is refused. Knows no sockets and no rules.
 */
#ifndef NETWORK_HTTP_REQUEST_H
#define NETWORK_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/host_name.h"
#include "base/strbuf.h"

/* The longest head, with the empty line at its end. */
enum { HTTP_HEAD_MAX = 32768 };

enum http_result {
    HTTP_INCOMPLETE, /* more bytes are needed */
    HTTP_GOOD,
    HTTP_REFUSED /* `status` and `problem` say why */
};

/* How the body is framed. */
enum http_body { HTTP_BODY_NONE, HTTP_BODY_LENGTH, HTTP_BODY_CHUNKED };

struct http_request {
    bool is_tunnel;            /* CONNECT */
    char host[HOST_NAME_SIZE]; /* a name of host_name_read() */
    unsigned short port;       /* 80 for plain HTTP without a port; that of the tunnel inside one */
    size_t head_length;        /* bytes that it takes of what has come */
    enum http_body body;       /* not of CONNECT */
    bool no_trailer;           /* its chunks must not be followed by fields */
    unsigned long long content; /* bytes of HTTP_BODY_LENGTH */
    int status;                 /* of HTTP_REFUSED: 400, 431, 501, 505 */
    const char *problem;        /* of HTTP_REFUSED: a static text, "two Host fields" */
};

/*
 * Reads the head of a request. Of plain HTTP, adds to `rewritten` the head for the server: in
 * origin form, with "Connection: close", and without the fields that are for the proxy or this
 * connection (Connection and those it names, Keep-Alive, Proxy-Connection, Proxy-Authorization, TE,
 * Upgrade, HTTP2-Settings). So a connection carries one request; what follows its body is dropped.
 * A server may ignore Upgrade, so "h2c" is left out; without "websocket" the response would be
 * none that the program can use, so that is refused.
 *
 * Refused, among others: lines that do not end with CR LF, folded fields, blanks around a name, a
 * name that is not a token, control characters, more than one Host, a Host that is not the host of
 * the target, Content-Length more than once or with Transfer-Encoding, either of them with "_" for
 * "-", which some servers take for it, another transfer coding than "chunked", a target with user
 * information or a fragment, and of plain HTTP another scheme than http. A request that is meant
 * for a server (origin form) gets a problem that says that this is a proxy.
 */
enum http_result http_request_read(const char *bytes, size_t length, struct http_request *request,
                                   struct strbuf *rewritten);

/* A field that isolator sets in place of the program; all borrowed. */
struct http_field {
    const char *name, *value;
};

/* The host of a tunnel, and the fields that its requests get. */
struct http_tunnel {
    const char *host; /* a name of host_name_read() */
    unsigned short port;
    const struct http_field *fields;
    size_t field_count;
};

/*
 * Reads the head of a request in a tunnel to a host of https, as http_request_read() reads one of
 * plain HTTP, but in origin form, and with a Host that is the host and port of the tunnel (without
 * a port it is 443). CONNECT, TRACE and a field Upgrade are refused too. Fields of the program
 * whose name is that of one of `tunnel->fields` are left out, "_" and "-" taken as the same, which
 * some servers do; the fields of `tunnel` come instead. In a trailer (RFC 9112, 7.1.2) they would
 * reach the host nevertheless, so there must be none.
 */
enum http_result http_request_read_in_tunnel(const char *bytes, size_t length,
                                             const struct http_tunnel *tunnel,
                                             struct http_request *request,
                                             struct strbuf *rewritten);

/* How much of a body has passed. */
struct http_body_reader {
    enum http_body kind;
    unsigned long long left; /* of the body, or of a chunk */
    int state;               /* of chunks, see http_body.c */
    bool no_trailer;
    bool ended;
};

void http_body_begin(struct http_body_reader *reader, const struct http_request *request);

/*
 * Returns how many of these bytes are part of the body, from the first one on; all of it if it does
 * not end here. -1: they are not chunks, or have a trailer that must not be there. Sets `ended` at
 * its end, also if it has no bytes.
 */
long http_body_take(struct http_body_reader *reader, const char *bytes, size_t length);

#endif
