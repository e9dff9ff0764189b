#define _GNU_SOURCE
#include "tls/side.h"

#include <errno.h>
#include <openssl/err.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/* Before each call: OpenSSL takes old errors for those of the call. */
static void begin_call(void)
{
    ERR_clear_error();
    errno = 0;
}

static enum side_result result_of(struct side *side, int returned)
{
    switch (SSL_get_error(side->ssl, returned)) {
    case SSL_ERROR_NONE:
        return SIDE_DONE;
    case SSL_ERROR_WANT_READ:
        side->wanted |= EPOLLIN;
        return SIDE_BLOCKED;
    case SSL_ERROR_WANT_WRITE:
        side->wanted |= EPOLLOUT;
        return SIDE_BLOCKED;
    case SSL_ERROR_ZERO_RETURN:
        return SIDE_ENDED;
    default:
        side->is_broken = true;
        return SIDE_BROKEN;
    }
}

enum side_result side_shake_hands(struct side *side)
{
    enum side_result result;

    begin_call();
    result = result_of(side, SSL_do_handshake(side->ssl));
    side->is_ready = result == SIDE_DONE;
    side->data_at = BIO_number_read(SSL_get_rbio(side->ssl));
    return result;
}

enum side_result side_read(struct side *side, void *bytes, size_t size, size_t *length)
{
    enum side_result result;
    uint64_t taken;

    begin_call();
    result = result_of(side, SSL_read_ex(side->ssl, bytes, size, length));
    taken = BIO_number_read(SSL_get_rbio(side->ssl));
    if (result == SIDE_DONE)
        side->data_at = taken;
    if (result != SIDE_BLOCKED || taken - side->data_at <= SIDE_SILENT_MAX)
        return result;
    side->is_broken = true;
    return SIDE_FLOODED;
}

enum side_result side_write(struct side *side, const void *bytes, size_t size, size_t *length)
{
    begin_call();
    return result_of(side, SSL_write_ex(side->ssl, bytes, size, length));
}

/* 0 says that the other end has not ended yet, which nothing here waits for. */
enum side_result side_end(struct side *side)
{
    int returned;

    begin_call();
    returned = SSL_shutdown(side->ssl);
    return returned == 0 ? SIDE_DONE : result_of(side, returned);
}

const char *side_problem(int *reason)
{
    const int saved = errno;
    const unsigned long error = ERR_peek_error();
    const char *text = error != 0 ? ERR_reason_error_string(error) : NULL;

    *reason = error != 0 ? ERR_GET_REASON(error) : 0;
    if (error != 0 && *reason != SSL_R_UNEXPECTED_EOF_WHILE_READING)
        return text ? text : "unknown error of TLS";
    *reason = 0;
    return saved != 0 ? strerror(saved) : "the connection was closed";
}

void side_release(struct side *side)
{
    SSL_free(side->ssl);
    side->ssl = NULL;
    if (side->fd >= 0)
        close(side->fd); /* which takes it out of epoll */
    side->fd = -1;
    side->wanted = side->watched = 0;
}
