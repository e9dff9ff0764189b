/*
 * The authority of this process: a certificate whose key never leaves it, and certificates for
 * hosts that it signs. All keys are EC P-256.
 */
#ifndef TLS_AUTHORITY_H
#define TLS_AUTHORITY_H

#include <openssl/x509.h>

#include "base/strbuf.h"

/*
 * All certificates are good from a day ago, for clocks that are late, to AUTHORITY_DAYS after that:
 * some clients refuse more than 398 days for a host. A process that runs for longer has to be
 * started again.
 */
enum { AUTHORITY_DAYS = 397 };

/* The certificates of so many hosts are kept, those that were used last. */
enum { AUTHORITY_HOSTS = 64 };

struct authority;

/* Never NULL; it lives as long as the process. */
struct authority *authority_new(void) __attribute__((returns_nonnull));

/* Adds its certificate, in PEM. */
void authority_add_pem(const struct authority *authority, struct strbuf *pem);

/* The certificate for a host, a name of host_name_read(): borrowed until the next call. */
X509 *authority_certificate(struct authority *authority, const char *host)
    __attribute__((returns_nonnull));

/* The key of the certificates of all hosts; borrowed. */
EVP_PKEY *authority_host_key(const struct authority *authority);

#endif
