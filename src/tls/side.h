/*
 * One side of a connection: TLS over a socket that does not block. Knows what epoll has to wait
 * for, and no HTTP.
 */
#ifndef TLS_SIDE_H
#define TLS_SIDE_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Bytes that may come without data of HTTP between them: messages of TLS such as KeyUpdate, each of
 * which costs time. A record, of which data may be all, has at most 17 KB.
 */
enum { SIDE_SILENT_MAX = 64 * 1024 };

struct side {
    int fd;           /* owned; -1: closed */
    SSL *ssl;         /* owned */
    bool is_ready;    /* the handshake is done */
    bool is_broken;   /* TLS has failed: nothing more is read or written */
    uint32_t wanted;  /* events of epoll that it needs to go on */
    uint32_t watched; /* and those that epoll waits for */
    uint64_t data_at; /* bytes that the socket had given when data came last */
};

enum side_result {
    SIDE_DONE,
    SIDE_BLOCKED, /* `wanted` says until when */
    SIDE_ENDED,   /* the other end has said that it sends no more (close_notify) */
    SIDE_FLOODED, /* more than SIDE_SILENT_MAX bytes came without data */
    SIDE_BROKEN   /* anything else; side_problem() says what */
};

enum side_result side_shake_hands(struct side *side);

/*
 * Reads at most `size` bytes; `length` is set if it is done. Handles at most one message of TLS: it
 * is blocked after that, though the socket may have more bytes, as a level-triggered epoll says.
 */
enum side_result side_read(struct side *side, void *bytes, size_t size, size_t *length);

/* Writes bytes; `length` is how many, if it is done. If it is blocked, try the same ones again. */
enum side_result side_write(struct side *side, const void *bytes, size_t size, size_t *length);

/* Says that nothing more is sent. */
enum side_result side_end(struct side *side);

/*
 * Why the last call has failed: ASCII without controls, borrowed until the next call. `reason` is
 * that of OpenSSL, 0 if it is not TLS that has failed.
 */
const char *side_problem(int *reason);

/* Frees TLS and closes the socket. */
void side_release(struct side *side);

#endif
