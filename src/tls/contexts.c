#include "tls/contexts.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

#include "base/host_name.h"
#include "tls/must.h"

/* In the form of RFC 7301, 3.1. */
static const unsigned char HTTP_1_1[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

/* Bytes of the certificates that a host sends; usual ones send 2 to 8 KB. */
enum { CHAIN_MAX = 64 * 1024 };

/* `wants_other` of the connection is OpenSSL's application data of the SSL. */
static int choose_protocol(SSL *ssl, const unsigned char **chosen, unsigned char *length,
                           const unsigned char *offered, unsigned offered_length, void *unused)
{
    bool *wants_other = SSL_get_app_data(ssl);
    unsigned char *match;

    (void)unused;
    if (SSL_select_next_proto(&match, length, HTTP_1_1, sizeof HTTP_1_1, offered, offered_length) ==
        OPENSSL_NPN_NEGOTIATED) {
        *chosen = match;
        return SSL_TLSEXT_ERR_OK;
    }
    *wants_other = true;
    return SSL_TLSEXT_ERR_ALERT_FATAL;
}

static SSL_CTX *new_context(const SSL_METHOD *method)
{
    SSL_CTX *context = SSL_CTX_new(method);

    must(context && SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1);
    SSL_CTX_set_options(context,
                        SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    /* Else one call reads on and on while the other side sends messages of TLS without data. */
    SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    return context;
}

void contexts_init(struct contexts *contexts, struct authority *authority, X509_STORE *store)
{
    *contexts = (struct contexts){.program = new_context(TLS_server_method()),
                                  .host = new_context(TLS_client_method()),
                                  .authority = authority};
    must(SSL_CTX_set_num_tickets(contexts->program, 0) == 1);
    SSL_CTX_set_alpn_select_cb(contexts->program, choose_protocol, NULL);
    /* The head and the body of a request say where they end; so most programs just close. */
    SSL_CTX_set_options(contexts->program, SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_cert_store(contexts->host, store);
    SSL_CTX_set_verify(contexts->host, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_max_cert_list(contexts->host, CHAIN_MAX);
    must(SSL_CTX_set_alpn_protos(contexts->host, HTTP_1_1, sizeof HTTP_1_1) == 0);
}

SSL *contexts_new_program(const struct contexts *contexts, int fd, const char *host,
                          bool *wants_other)
{
    struct authority *authority = contexts->authority;
    SSL *ssl = SSL_new(contexts->program);

    must(ssl && SSL_set_fd(ssl, fd) == 1 && SSL_set_app_data(ssl, wants_other) == 1 &&
         SSL_use_certificate(ssl, authority_certificate(authority, host)) == 1 &&
         SSL_use_PrivateKey(ssl, authority_host_key(authority)) == 1);
    SSL_set_accept_state(ssl);
    return ssl;
}

SSL *contexts_new_host(const struct contexts *contexts, int fd, const char *host)
{
    SSL *ssl = SSL_new(contexts->host);
    struct ip_address address;

    must(ssl && SSL_set_fd(ssl, fd) == 1);
    SSL_set_connect_state(ssl);
    if (host_name_is_address(host, &address)) {
        must(X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1);
        return ssl;
    }
    /* The name has to be among those of the certificate; its subject does not count. */
    SSL_set_hostflags(ssl,
                      X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    must(SSL_set1_host(ssl, host) == 1 && SSL_set_tlsext_host_name(ssl, host) == 1);
    return ssl;
}

bool contexts_is_http(const SSL *ssl)
{
    const unsigned char *chosen;
    unsigned length;

    SSL_get0_alpn_selected(ssl, &chosen, &length);
    return length == 0 || (length == HTTP_1_1[0] && memcmp(chosen, HTTP_1_1 + 1, length) == 0);
}
