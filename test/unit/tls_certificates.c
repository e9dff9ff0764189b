#include "tls_peers.h"

/* Who trusts whom, and what both sides speak. */

#define FIELDS "a.test\0Authorization\0Bearer secret"
#define ASKED  "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"

/* The host does not get the request; the program is told over TLS. */
static void check_host_refused(struct peers *peers, SSL_CTX *server, const char *why)
{
    CLEANUP(strbuf_release) struct strbuf response;
    CLEANUP_FREE char *start = string_format("HTTP/1.1 502 Bad Gateway: %s\r\n", why);
    struct host host = {.context = server, .response = SAID, .response_length = strlen(SAID)};
    int fd;
    SSL *ssl;

    open_connection(peers->link, 3, 443, FIELDS, sizeof FIELDS, &fd, &host.fd);
    start_host(&host, &peers->authority, NULL);
    ssl = connect_program(peers->program, fd, "a.test");
    send_text(ssl, ASKED);
    assert_true(read_response(ssl, &response));
    if (strncmp(response.data, start, strlen(start)) != 0)
        fail_msg("%s", response.data);
    check_given_up(peers, 3, 502, why);
    stop_host(&host);
    assert_string_equal(strbuf_string(&host.got), "");
    strbuf_release(&host.got);
    end_program(ssl, fd);
}

CASE(tls_certificates__of_hosts)
{
    struct peers peers = start_peers();
    struct test_authority other = make_authority("other");

    check_host_refused(&peers, make_server(&peers.authority, "DNS:b.test", 3600),
                       "the certificate of 'a.test' is not valid: hostname mismatch");
    check_host_refused(&peers, make_server(&peers.authority, "DNS:*.a.test,IP:127.0.0.1", 3600),
                       "the certificate of 'a.test' is not valid: hostname mismatch");
    check_host_refused(
        &peers, make_server(&other, "DNS:a.test", 3600),
        "the certificate of 'a.test' is not valid: unable to get local issuer certificate");
    check_host_refused(&peers, make_server(&peers.authority, "DNS:a.test", -60),
                       "the certificate of 'a.test' is not valid: certificate has expired");
    EVP_PKEY_free(other.key);
    X509_free(other.certificate);
    stop_peers(&peers);
}

/* 80 KB of certificates; OpenSSL's own limit is 100 KB. */
CASE(tls_certificates__too_many)
{
    struct peers peers = start_peers();
    SSL_CTX *server = make_server(&peers.authority, "DNS:a.test", 3600);
    int size = i2d_X509(peers.authority.certificate, NULL);

    for (int bytes = 0; bytes < 80000; bytes += size)
        SSL_CTX_add1_chain_cert(server, peers.authority.certificate);
    check_host_refused(&peers, server,
                       "cannot speak TLS with 'a.test' port 443: excessive message size");
    stop_peers(&peers);
}

static void check_address(struct peers *peers, const char *name, const char *host_field,
                          const char *alternative, const char *other)
{
    CLEANUP_FREE char *request = string_format("GET / HTTP/1.1\r\nHost: %s\r\n\r\n", host_field);
    CLEANUP_FREE char *why =
        string_format("the certificate of '%s' is not valid: IP address mismatch", name);
    CLEANUP_FREE char *expected =
        string_format("GET / HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", host_field);
    struct host host = {.response = SAID, .response_length = strlen(SAID)};
    CLEANUP(strbuf_release) struct strbuf response;
    int fd;
    SSL *ssl;

    for (int i = 0; i < 2; i++) {
        host.context = NULL;
        open_connection(peers->link, 5, 443, name, strlen(name) + 1, &fd, &host.fd);
        start_host(&host, &peers->authority, i == 0 ? alternative : other);
        ssl = SSL_new(peers->program);
        SSL_set_fd(ssl, fd);
        X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name);
        assert_int_equal(SSL_connect(ssl), 1);
        send_text(ssl, request);
        if (i == 0) {
            check_response(ssl, PASSED);
        } else {
            assert_true(read_response(ssl, &response));
            check_given_up(peers, 5, 502, why);
        }
        stop_host(&host);
        assert_string_equal(strbuf_string(&host.got), i == 0 ? expected : "");
        strbuf_release(&host.got);
        end_program(ssl, fd);
    }
}

CASE(tls_certificates__of_addresses)
{
    struct peers peers = start_peers();

    check_address(&peers, "192.0.2.1", "192.0.2.1", "IP:192.0.2.1", "DNS:192.0.2.1");
    check_address(&peers, "2001:db8::1", "[2001:db8::1]", "IP:2001:db8::1", "IP:2001:db8::2");
    stop_peers(&peers);
}

/* More hosts than certificates are kept. */
CASE(tls_certificates__of_many_hosts)
{
    struct peers peers = start_peers();
    struct terminator_message message;
    int fd, host, passed;

    for (int i = 0; i < 150; i++) {
        CLEANUP_FREE char *name = string_format("h%d.test", i % 70);
        SSL *ssl;

        open_connection(peers.link, 6, 443, name, strlen(name) + 1, &fd, &host);
        ssl = connect_program(peers.program, fd, name);
        end_program(ssl, fd);
        close(host);
        free(read_message(peers.link, &message, &passed));
        assert_int_equal(message.type, TERMINATOR_GIVEN_UP);
    }
    stop_peers(&peers);
}

CASE(tls_certificates__not_trusted)
{
    struct peers peers = start_peers();
    const struct strbuf none = {.data = "", .length = 0};
    SSL_CTX *client = make_client(&none);
    struct host host = {.end = HOST_WAITS};
    SSL *ssl = SSL_new(client);
    int fd;

    open_connection(peers.link, 4, 443, FIELDS, sizeof FIELDS, &fd, &host.fd);
    start_host(&host, &peers.authority, "DNS:a.test");
    SSL_set_fd(ssl, fd);
    assert_int_equal(SSL_connect(ssl), -1);
    check_given_up(&peers, 4, 502,
                   "the program does not accept the certificate of isolator for 'a.test': tlsv1 "
                   "alert unknown ca; it has to use the certificates in SSL_CERT_FILE");
    end_program(ssl, fd);
    stop_host(&host);
    assert_string_equal(strbuf_string(&host.got), "");
    SSL_CTX_free(client);
    stop_peers(&peers);
}

CASE(tls_certificates__old_tls)
{
    struct peers peers = start_peers();
    struct host host = {.end = HOST_WAITS};
    SSL *ssl = SSL_new(peers.program);
    int fd;

    open_connection(peers.link, 4, 443, FIELDS, sizeof FIELDS, &fd, &host.fd);
    start_host(&host, &peers.authority, "DNS:a.test");
    SSL_set_security_level(ssl, 0);
    SSL_set_min_proto_version(ssl, TLS1_VERSION);
    SSL_set_max_proto_version(ssl, TLS1_1_VERSION);
    SSL_set_fd(ssl, fd);
    assert_int_equal(SSL_connect(ssl), -1);
    check_given_up(&peers, 4, 400,
                   "TLS between the program and isolator, for 'a.test', has failed: unsupported "
                   "protocol");
    end_program(ssl, fd);
    stop_host(&host);
    stop_peers(&peers);
}

static void check_protocols(struct peers *peers, const char *offered, bool is_good, int version)
{
    struct host host = {.response = SAID, .response_length = strlen(SAID)};
    SSL *ssl = SSL_new(peers->program);
    const unsigned char *chosen;
    unsigned length;
    int fd;

    open_connection(peers->link, 4, 443, FIELDS, sizeof FIELDS, &fd, &host.fd);
    start_host(&host, &peers->authority, "DNS:a.test");
    SSL_set_fd(ssl, fd);
    SSL_set_max_proto_version(ssl, version);
    SSL_set_alpn_protos(ssl, (const unsigned char *)offered, (unsigned)strlen(offered));
    assert_int_equal(SSL_connect(ssl), is_good ? 1 : -1);
    if (is_good) {
        SSL_get0_alpn_selected(ssl, &chosen, &length);
        assert_int_equal(length, 8);
        assert_memory_equal(chosen, "http/1.1", 8);
        send_text(ssl, ASKED);
        check_response(ssl, PASSED);
    } else {
        assert_int_equal(ERR_GET_REASON(ERR_peek_error()),
                         SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL);
        check_given_up(peers, 4, 403, "the program wants another protocol than HTTP/1.1");
    }
    end_program(ssl, fd);
    stop_host(&host);
    strbuf_release(&host.got);
}

CASE(tls_certificates__protocols_of_the_program)
{
    struct peers peers = start_peers();

    check_protocols(&peers, "\x02h2\x08http/1.1", true, TLS1_3_VERSION);
    check_protocols(&peers, "\x08http/1.1", true, TLS1_2_VERSION);
    check_protocols(&peers, "\x02h2", false, TLS1_3_VERSION);
    check_protocols(&peers, "\x02h2\x08http/1.0", false, TLS1_2_VERSION);
    stop_peers(&peers);
}

static int choose_h2(SSL *ssl, const unsigned char **chosen, unsigned char *length,
                     const unsigned char *offered, unsigned offered_length, void *context)
{
    struct strbuf *seen = context;

    (void)ssl;
    strbuf_add(seen, offered, offered_length);
    *chosen = (const unsigned char *)"h2";
    *length = 2;
    return SSL_TLSEXT_ERR_OK;
}

CASE(tls_certificates__protocol_of_the_host)
{
    struct peers peers = start_peers();
    SSL_CTX *server = make_server(&peers.authority, "DNS:a.test", 3600);
    CLEANUP(strbuf_release) struct strbuf offered = STRBUF_INIT;
    /* Before 3.0.15, OpenSSL leaves this to isolator-tls. */
    const char *why = OpenSSL_version_num() < 0x300000f0L
                          ? "'a.test' port 443 speaks another protocol than HTTP/1.1"
                          : "cannot speak TLS with 'a.test' port 443: bad extension";

    SSL_CTX_set_alpn_select_cb(server, choose_h2, &offered);
    check_host_refused(&peers, server, why);
    assert_string_equal(strbuf_string(&offered), "\x08http/1.1");
    stop_peers(&peers);
}
