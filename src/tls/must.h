/*
 * For calls of OpenSSL that fail only if there is no memory.
 */
#ifndef TLS_MUST_H
#define TLS_MUST_H

#include <openssl/err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Aborts, with OpenSSL's errors on stderr: there is no memory, or OpenSSL is broken. */
static inline void must(bool done)
{
    if (done)
        return;
    ERR_print_errors_fp(stderr);
    abort();
}

#endif
