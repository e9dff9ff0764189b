/*
 * Shared by the tests of isolator-tls: the real program, started by a test that plays isolator, a
 * program (a client of TLS) and a host (a server, in a thread). All sockets have a timeout, so that
 * a failure does not hang.
 */
#ifndef TLS_PEERS_H
#define TLS_PEERS_H

#include "test.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "network/terminator_wire.h"

enum { WAIT_SECONDS = 20 };

/* A response of a host, and as it reaches the program (network/http_response.h). */
#define SAID   "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
#define PASSED "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi"

/* ---- certificates of the test's own authority */

struct test_authority {
    EVP_PKEY *key;
    X509 *certificate;
};

static inline X509 *make_certificate(const struct test_authority *issuer, EVP_PKEY *key,
                                     const char *name, const char *alternative, long end)
{
    X509 *certificate = X509_new();
    X509 *by = issuer ? issuer->certificate : certificate;
    const char *basic = alternative ? "critical,CA:FALSE" : "critical,CA:TRUE";
    X509V3_CTX context;
    X509_EXTENSION *extension;

    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), rand());
    X509_set_pubkey(certificate, key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                               (const unsigned char *)name, -1, -1, 0);
    X509_set_issuer_name(certificate, X509_get_subject_name(by));
    X509_gmtime_adj(X509_getm_notBefore(certificate), -7200);
    X509_gmtime_adj(X509_getm_notAfter(certificate), end);
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, by, certificate, NULL, NULL, 0);
    extension = X509V3_EXT_conf_nid(NULL, &context, NID_basic_constraints, basic);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    if (alternative) {
        extension = X509V3_EXT_conf_nid(NULL, &context, NID_subject_alt_name, alternative);
        assert_non_null(extension);
        X509_add_ext(certificate, extension, -1);
        X509_EXTENSION_free(extension);
    }
    assert_true(X509_sign(certificate, issuer ? issuer->key : key, EVP_sha256()) > 0);
    return certificate;
}

static inline struct test_authority make_authority(const char *name)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");

    return (struct test_authority){key, make_certificate(NULL, key, name, NULL, 86400)};
}

static inline void write_pem(const char *directory, const char *name, X509 *certificate)
{
    CLEANUP_FREE char *path = path_in(directory, name);
    FILE *file = fopen(path, "w");

    assert_true(PEM_write_X509(file, certificate) == 1);
    assert_int_equal(fclose(file), 0);
}

/* ---- isolator */

/* How many descriptors the program may have; 0: as many as the test. */
static rlim_t descriptors_max;

struct peers {
    pid_t pid;
    int link;
    char *directory;
    struct test_authority authority; /* which signs the certificates of hosts */
    struct strbuf certificates;      /* of READY */
    SSL_CTX *program;                /* which trusts them */
};

/* Starts the program. Returns its pid; its socket is `link`, its stderr `errors` unless -1. */
static inline pid_t start_program(const char *trusted, int *link, int errors)
{
    int ends[2];
    pid_t pid;
    struct timeval wait = {.tv_sec = WAIT_SECONDS};

    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    pid = fork();
    if (pid == 0) {
        const struct rlimit limit = {descriptors_max, descriptors_max};

        if (descriptors_max > 0)
            setrlimit(RLIMIT_NOFILE, &limit);
        dup2(ends[1], STDIN_FILENO);
        if (errors >= 0)
            dup2(errors, STDERR_FILENO);
        setenv("SSL_CERT_FILE", trusted, 1);
        execl(TEST_PROGRAMS "/../isolator-tls", "isolator-tls", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
    *link = ends[0];
    return pid;
}

/* Its exit status. A program that does not end is killed, and fails the test. */
static inline int wait_for_program(pid_t pid)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    int status;

    for (int i = 0; i < WAIT_SECONDS * 100; i++) {
        if (waitpid(pid, &status, WNOHANG) == pid)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        nanosleep(&moment, NULL);
    }
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    fail_msg("isolator-tls has not ended");
    return -1;
}

/*
 * Reads a message. Its text is owned, without the host of GIVEN_UP. The descriptor that comes with
 * it goes to `passed`.
 */
static inline char *read_message(int link, struct terminator_message *message, int *passed)
{
    static char text[TERMINATOR_PACKET_MAX];
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr aligned;
    } control;
    struct iovec parts[] = {{message, sizeof *message}, {text, sizeof text - 1}};
    struct msghdr header = {.msg_iov = parts,
                            .msg_iovlen = 2,
                            .msg_control = &control,
                            .msg_controllen = sizeof control};
    const ssize_t length = recvmsg(link, &header, MSG_CMSG_CLOEXEC);

    if (length < (ssize_t)sizeof *message)
        fail_msg("no message: %zd bytes", length);
    text[(size_t)length - sizeof *message] = '\0';
    *passed = -1;
    if (header.msg_controllen > 0)
        memcpy(passed, CMSG_DATA(CMSG_FIRSTHDR(&header)), sizeof *passed);
    if (message->type != TERMINATOR_GIVEN_UP)
        return string_copy(text);
    if (strlen(text) == 0 || strlen(text) + 1 + sizeof *message > (size_t)length)
        fail_msg("no host");
    return string_copy(text + strlen(text) + 1);
}

static inline void check_given_up(struct peers *peers, uint64_t number, int status,
                                  const char *text)
{
    struct terminator_message message;
    int passed;
    CLEANUP_FREE char *got = read_message(peers->link, &message, &passed);

    assert_string_equal(got, text);
    assert_int_equal(message.type, TERMINATOR_GIVEN_UP);
    assert_true(message.port > 0);
    assert_int_equal(message.status, status);
    assert_int_equal(message.number, number);
    assert_int_equal(passed, -1);
}

/* A client that trusts these certificates, as strictly as Python 3.13. */
static inline SSL_CTX *make_client(const struct strbuf *certificates)
{
    SSL_CTX *client = SSL_CTX_new(TLS_client_method());
    BIO *bio = BIO_new_mem_buf(certificates->data, (int)certificates->length);
    X509 *certificate;

    while ((certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL))) {
        X509_STORE_add_cert(SSL_CTX_get_cert_store(client), certificate);
        X509_free(certificate);
    }
    BIO_free(bio);
    ERR_clear_error();
    SSL_CTX_set_verify(client, SSL_VERIFY_PEER, NULL);
    X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(client), X509_V_FLAG_X509_STRICT);
    return client;
}

static inline struct peers start_peers(void)
{
    struct peers peers = {.directory = temp_create(), .authority = make_authority("test")};
    CLEANUP_FREE char *path = path_in(peers.directory, "ca.pem");
    struct terminator_message message;
    CLEANUP_FD int file = -1;

    signal(SIGPIPE, SIG_IGN);
    write_pem(peers.directory, "ca.pem", peers.authority.certificate);
    peers.pid = start_program(path, &peers.link, -1);
    free(read_message(peers.link, &message, &file));
    assert_int_equal(message.type, TERMINATOR_READY);
    assert_int_equal(lseek(file, 0, SEEK_CUR), 0);
    peers.certificates = read_all(file);
    peers.program = make_client(&peers.certificates);
    return peers;
}

/* Nothing more may have been said; and the end of the socket ends the program. */
static inline void stop_peers(struct peers *peers)
{
    char byte;

    assert_int_equal(recv(peers->link, &byte, 1, MSG_DONTWAIT), -1);
    close(peers->link);
    assert_int_equal(wait_for_program(peers->pid), 0);
    SSL_CTX_free(peers->program);
    EVP_PKEY_free(peers->authority.key);
    X509_free(peers->authority.certificate);
    strbuf_release(&peers->certificates);
    temp_remove(peers->directory);
}

static inline ssize_t send_packet(int link, const void *bytes, size_t length, const int *fds,
                                  size_t count)
{
    union {
        char bytes[CMSG_SPACE(4 * sizeof(int))];
        struct cmsghdr header;
    } control = {.bytes = {0}};
    struct iovec part = {(void *)bytes, length};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};

    if (count > 0) {
        header.msg_control = &control;
        header.msg_controllen = CMSG_SPACE(count * sizeof(int));
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(&control.header), fds, count * sizeof(int));
    }
    return sendmsg(link, &header, MSG_NOSIGNAL);
}

static inline int make_pair(int *other)
{
    struct timeval wait = {.tv_sec = WAIT_SECONDS};
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
    *other = ends[1];
    return ends[0];
}

/* `text` is the host, and names and values, with a NUL after each but the last. */
static inline void open_connection(int link, uint64_t number, int port, const char *text,
                                   size_t length, int *program, int *host)
{
    const struct terminator_message message = {
        .type = TERMINATOR_OPEN, .port = (uint16_t)port, .number = number};
    CLEANUP(strbuf_release) struct strbuf packet = STRBUF_INIT;
    int fds[2];

    *program = make_pair(&fds[0]);
    *host = make_pair(&fds[1]);
    strbuf_add(&packet, &message, sizeof message);
    strbuf_add(&packet, text, length);
    assert_int_equal(send_packet(link, packet.data, packet.length, fds, 2), packet.length);
    close(fds[0]);
    close(fds[1]);
}

/* ---- the host */

/* HOST_FLOODS: sends KeyUpdates until the other side closes the connection. HOST_IS_DEAF: reads
 * nothing, and waits for the end of the connection. */
enum host_end { HOST_NOTIFIES, HOST_CUTS, HOST_WAITS, HOST_FLOODS, HOST_IS_DEAF };

struct host {
    int fd;
    SSL_CTX *context;
    const char *response;
    size_t response_length, body; /* bytes of the request after its head */
    bool answers_first;           /* without waiting for the body */
    enum host_end end;
    bool accepted;     /* the handshake is done */
    struct strbuf got; /* the request */
    bool got_end;      /* the other side has ended first */
    pthread_t thread;
};

static inline bool has_request(const struct host *host)
{
    const char *end = strstr(strbuf_string(&host->got), "\r\n\r\n");
    const size_t body = host->answers_first ? 0 : host->body;

    return end && host->got.length >= (size_t)(end + 4 - host->got.data) + body;
}

/* Waits for the other side to end. False: it has not, within the timeout of the socket. */
static inline bool is_ended(SSL *ssl)
{
    char byte;
    const int length = SSL_read(ssl, &byte, 1);

    return length <= 0 && SSL_get_error(ssl, length) != SSL_ERROR_WANT_READ;
}

/* Sends messages of TLS without data. Gives up after as many as would take a minute. */
static inline void flood(SSL *ssl)
{
    for (int i = 0; i < 10000000; i++)
        if (SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED) != 1 || SSL_do_handshake(ssl) != 1)
            return;
}

/* Waits until the other side has closed its end of the socket, without reading. */
static inline bool is_hung_up(int fd)
{
    struct pollfd polled = {.fd = fd};

    return poll(&polled, 1, WAIT_SECONDS * 1000) == 1 && (polled.revents & POLLHUP);
}

static inline void *play_host(void *argument)
{
    struct host *host = argument;
    SSL *ssl = SSL_new(host->context);
    char bytes[16384];
    int length;

    SSL_set_fd(ssl, host->fd);
    host->accepted = SSL_accept(ssl) == 1;
    while (host->accepted && host->end != HOST_IS_DEAF && !has_request(host)) {
        length = SSL_read(ssl, bytes, sizeof bytes);
        host->got_end = length <= 0;
        if (length <= 0)
            break;
        strbuf_add(&host->got, bytes, (size_t)length);
    }
    if (host->accepted && !host->got_end && host->response_length > 0)
        SSL_write(ssl, host->response, (int)host->response_length);
    if (host->end == HOST_FLOODS)
        flood(ssl);
    if (host->end == HOST_IS_DEAF)
        host->got_end = is_hung_up(host->fd);
    else if (host->end == HOST_WAITS)
        host->got_end = is_ended(ssl);
    else if (host->accepted && host->end == HOST_NOTIFIES)
        SSL_shutdown(ssl);
    SSL_free(ssl);
    close(host->fd);
    return NULL;
}

/* A certificate for this name, "DNS:a" or "IP:127.0.0.1", that is good for `seconds`. */
static inline SSL_CTX *make_server(const struct test_authority *authority, const char *name,
                                   long seconds)
{
    SSL_CTX *server = SSL_CTX_new(TLS_server_method());
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = make_certificate(authority, key, "host", name, seconds);

    assert_int_equal(SSL_CTX_use_certificate(server, certificate), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey(server, key), 1);
    X509_free(certificate);
    EVP_PKEY_free(key);
    return server;
}

static inline void start_host(struct host *host, const struct test_authority *authority,
                              const char *name)
{
    if (!host->context)
        host->context = make_server(authority, name, 3600);
    assert_int_equal(pthread_create(&host->thread, NULL, play_host, host), 0);
}

static inline void stop_host(struct host *host)
{
    assert_int_equal(pthread_join(host->thread, NULL), 0);
    SSL_CTX_free(host->context);
}

/* ---- the program */

static inline SSL *connect_program(SSL_CTX *client, int fd, const char *host)
{
    SSL *ssl = SSL_new(client);

    SSL_set_fd(ssl, fd);
    SSL_set_tlsext_host_name(ssl, host);
    SSL_set1_host(ssl, host);
    if (SSL_connect(ssl) != 1)
        fail_msg("%s", ERR_error_string(ERR_peek_error(), NULL));
    return ssl;
}

static inline void send_text(SSL *ssl, const char *text)
{
    assert_int_equal(SSL_write(ssl, text, (int)strlen(text)), strlen(text));
}

/* Reads to the end. True: it was said in TLS. The caller releases the text. */
static inline bool read_response(SSL *ssl, struct strbuf *text)
{
    char bytes[16384];
    int length;

    *text = (struct strbuf)STRBUF_INIT;
    strbuf_addstr(text, "");
    while ((length = SSL_read(ssl, bytes, sizeof bytes)) > 0)
        strbuf_add(text, bytes, (size_t)length);
    return SSL_get_error(ssl, length) == SSL_ERROR_ZERO_RETURN;
}

static inline void check_response(SSL *ssl, const char *expected)
{
    CLEANUP(strbuf_release) struct strbuf text;
    const bool is_whole = read_response(ssl, &text);

    assert_string_equal(strbuf_string(&text), expected);
    assert_true(is_whole);
}

static inline void end_program(SSL *ssl, int fd)
{
    SSL_free(ssl);
    close(fd);
}

/* ---- a program and its host */

/* The test fills in how the host answers. */
struct exchange {
    struct peers peers;
    struct host host;
    int fd;
    SSL *ssl; /* of the program, which is connected */
};

/* `text` is that of open_connection(); the host is a.test. */
static inline void begin_exchange(struct exchange *exchange, uint64_t number, int port,
                                  const char *text, size_t length)
{
    exchange->peers = start_peers();
    open_connection(exchange->peers.link, number, port, text, length, &exchange->fd,
                    &exchange->host.fd);
    start_host(&exchange->host, &exchange->peers.authority, "DNS:a.test");
    exchange->ssl = connect_program(exchange->peers.program, exchange->fd, "a.test");
}

/* After stop_host(), and after what the host has got was checked. */
static inline void end_exchange(struct exchange *exchange)
{
    strbuf_release(&exchange->host.got);
    end_program(exchange->ssl, exchange->fd);
    stop_peers(&exchange->peers);
}

#endif
