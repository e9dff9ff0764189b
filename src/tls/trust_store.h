/*
 * The certificates of authorities that this host trusts: one file of PEM, as most systems have it.
 */
#ifndef TLS_TRUST_STORE_H
#define TLS_TRUST_STORE_H

#include <openssl/x509.h>

#include "base/strbuf.h"

/* The largest such file; usual ones have 200 to 500 KB. */
enum { TRUST_FILE_MAX = 16 * 1024 * 1024 };

/*
 * Reads the file that $SSL_CERT_FILE names, or else the first that exists of the usual places, and
 * adds its certificates to `pem`: the lines from BEGIN CERTIFICATE to END CERTIFICATE, and nothing
 * else, since programs in containers get them and the file may have comments and keys. Returns 0.
 * -1: there is no file, it cannot be read, or the first certificate is none; `problem` says why,
 * owned, and what to do.
 */
int trust_store_read(struct strbuf *pem, char **problem);

/* Parses all certificates, which takes 10 to 20 ms; owned. Others than certificates are skipped. */
X509_STORE *trust_store_parse(const struct strbuf *pem);

#endif
