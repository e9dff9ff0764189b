/*
 * The settings of TLS: towards programs, with certificates of isolator's own authority, and towards
 * hosts, whose certificates are verified.
 */
#ifndef TLS_CONTEXTS_H
#define TLS_CONTEXTS_H

#include <openssl/ssl.h>
#include <stdbool.h>

#include "tls/authority.h"

struct contexts {
    SSL_CTX *program, *host;
    struct authority *authority;
};

/* Takes the store, which the host's certificates are verified with. */
void contexts_init(struct contexts *contexts, struct authority *authority, X509_STORE *store);

/*
 * TLS with a program that asks for this host, over a socket; owned. A program that offers ALPN
 * without http/1.1 gets the alert no_application_protocol, and `wants_other` is set; it has to live
 * as long.
 */
SSL *contexts_new_program(const struct contexts *contexts, int fd, const char *host,
                          bool *wants_other) __attribute__((returns_nonnull));

/* TLS with the host, which must have a certificate for this name or address; owned. */
SSL *contexts_new_host(const struct contexts *contexts, int fd, const char *host)
    __attribute__((returns_nonnull));

/* Whether the host has chosen HTTP/1.1, or none, which means the same. */
bool contexts_is_http(const SSL *ssl);

#endif
