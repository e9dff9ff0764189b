#include "tls_peers.h"

/* The start, the end, and what isolator must not send. */

CASE(tls_isolator_link__ready)
{
    struct peers peers = start_peers();
    CLEANUP_FREE char *own = read_in(peers.directory, "ca.pem");
    BIO *bio;
    X509 *certificate;
    char name[100];

    assert_memory_equal(peers.certificates.data, own, strlen(own));
    bio = BIO_new_mem_buf(peers.certificates.data + strlen(own), -1);
    certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    assert_non_null(certificate);
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name,
                              sizeof name);
    assert_int_equal(strlen(name), strlen("isolator 01234567"));
    assert_int_equal(X509_check_ca(certificate), 1);
    assert_int_equal(X509_get_pathlen(certificate), 0);
    assert_int_equal(X509_get_key_usage(certificate), KU_KEY_CERT_SIGN | KU_CRL_SIGN);
    assert_null(PEM_read_bio_X509(bio, NULL, NULL, NULL));
    ERR_clear_error();
    X509_free(certificate);
    BIO_free(bio);
    stop_peers(&peers);
}

/* The file that comes lacks the last newline here. */
CASE(tls_isolator_link__sealed)
{
    struct peers peers;
    struct terminator_message message;
    char *directory = temp_create();
    struct test_authority authority = make_authority("test");
    CLEANUP_FREE char *path = path_in(directory, "ca.pem");
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    CLEANUP_FREE char *own = NULL;
    CLEANUP_FD int file = -1;

    write_pem(directory, "ca.pem", authority.certificate);
    own = read_in(directory, "ca.pem");
    assert_int_equal(truncate(path, (off_t)strlen(own) - 1), 0);
    peers.pid = start_program(path, &peers.link, -1);
    free(read_message(peers.link, &message, &file));
    text = read_all(file);
    assert_memory_equal(text.data, own, strlen(own));
    assert_int_equal(text.data[strlen(own)], '-');
    assert_int_equal(write(file, "x", 1), -1);
    assert_int_equal(ftruncate(file, 0), -1);
    close(peers.link);
    assert_int_equal(wait_for_program(peers.pid), 0);
    EVP_PKEY_free(authority.key);
    X509_free(authority.certificate);
    temp_remove(directory);
}

/* What a program in a container gets of a file. */
static void check_certificates(const char *text, const char *expected)
{
    struct peers peers;
    struct terminator_message message;
    char *directory = temp_create();
    CLEANUP_FREE char *path = path_in(directory, "all.pem");
    CLEANUP(strbuf_release) struct strbuf got = STRBUF_INIT;
    CLEANUP_FD int file = -1;

    write_in(directory, "all.pem", text);
    peers.pid = start_program(path, &peers.link, -1);
    free(read_message(peers.link, &message, &file));
    assert_int_equal(message.type, TERMINATOR_READY);
    assert_int_equal(message.number, TERMINATOR_VERSION);
    got = read_all(file);
    *strstr(got.data + strlen(expected), "-----BEGIN") = '\0'; /* isolator's own */
    assert_string_equal(got.data, expected);
    close(peers.link);
    assert_int_equal(wait_for_program(peers.pid), 0);
    temp_remove(directory);
}

/* Such as the file of mitmproxy has, and a file that a server reads. */
CASE(tls_isolator_link__only_certificates)
{
    char *directory = temp_create();
    struct test_authority authority = make_authority("test");
    CLEANUP_FREE char *own = NULL, *with_key = NULL, *with_cr = NULL, *twice = NULL, *broken = NULL;
    CLEANUP_FREE char *other = NULL;

    write_pem(directory, "ca.pem", authority.certificate);
    own = read_in(directory, "ca.pem");
    twice = string_format("%s%s", own, own);
    with_key = string_format("# secret\n-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n"
                             "-----END PRIVATE KEY-----\n%sa comment\n"
                             "-----BEGIN EC PRIVATE KEY-----\nc2VjcmV0\n"
                             "-----END EC PRIVATE KEY-----\n%s-----BEGIN PRIVATE KEY-----\nc2Vj",
                             own, own);
    check_certificates(with_key, twice);
    other = string_format("%s-----BEGIN TRUSTED CERTIFICATE-----\nc2VjcmV0\n"
                          "-----END TRUSTED CERTIFICATE-----\n",
                          own);
    check_certificates(other, own);
    broken = string_format("%s-----BEGIN CERTIFICATE-----\nc2VjcmV0\n"
                           "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n"
                           "-----END CERTIFICATE-----\n-----BEGIN CERTIFICATE-----\nc2Vj\n%s"
                           "-----BEGIN CERTIFICATE-----\nc2Vj",
                           own, own);
    check_certificates(broken, twice);
    with_cr = string_format("%s-----BEGIN CERTIFICATE-----\r\nc2Vj\r\n"
                            "-----END CERTIFICATE----- \r\n",
                            own);
    free(other);
    other = string_format("%s-----BEGIN CERTIFICATE-----\nc2Vj\n-----END CERTIFICATE-----\n", own);
    check_certificates(with_cr, other);
    EVP_PKEY_free(authority.key);
    X509_free(authority.certificate);
    temp_remove(directory);
}

static void check_failed(const char *trusted, const char *expected)
{
    CLEANUP_FD int errors = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct terminator_message message;
    int link, passed;
    const pid_t pid = start_program(trusted, &link, errors);
    CLEANUP_FREE char *why = read_message(link, &message, &passed);

    assert_string_equal(why, expected);
    assert_int_equal(message.type, TERMINATOR_FAILED);
    assert_int_equal(wait_for_program(pid), 1);
    close(link);
}

CASE(tls_isolator_link__no_certificates)
{
    char *directory = temp_create();
    CLEANUP_FREE char *path = path_in(directory, "x");
    CLEANUP_FREE char *missing =
        string_format("cannot read the certificates of this host, '%s': No such file or "
                      "directory; name another file in SSL_CERT_FILE",
                      path);
    CLEANUP_FREE char *empty = string_format(
        "'%s' has no certificates: install ca-certificates, or name another file in SSL_CERT_FILE",
        path);

    check_failed(path, missing);
    write_in(directory, "x", "");
    check_failed(path, empty);
    write_in(directory, "x", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    check_failed(path, empty);
    check_failed("/dev", "cannot read the certificates of this host, '/dev': Is a directory; name "
                         "another file in SSL_CERT_FILE");
    temp_remove(directory);
}

CASE(tls_isolator_link__wrong_start)
{
    CLEANUP(strbuf_release) struct strbuf output = STRBUF_INIT;

    output = shell_output(TEST_PROGRAMS "/../isolator-tls </dev/null 2>&1; echo $?; " TEST_PROGRAMS
                                        "/../isolator-tls x 2>&1; echo $?; " TEST_PROGRAMS
                                        "/../isolator-tls --version");
    assert_string_equal(output.data,
                        "isolator-tls: isolator starts this program; it takes no arguments\n2\n"
                        "isolator-tls: isolator starts this program; it takes no arguments\n2\n"
                        "isolator-tls " ISOLATOR_VERSION "\n");
}

CASE(tls_isolator_link__hardened)
{
    struct peers peers = start_peers();
    CLEANUP_FREE char *directory = string_format("/proc/%d", (int)peers.pid);
    CLEANUP_FREE char *status = NULL;
    struct terminator_message message;
    int program, host, passed;

    open_connection(peers.link, 1, 443, "a", 2, &program, &host);
    close(program);
    free(read_message(peers.link, &message, &passed)); /* so it serves */
    status = read_in(directory, "status");
    if (!strstr(status, "\nNoNewPrivs:\t1\n") || !strstr(status, "\nSeccomp:\t2\n"))
        fail_msg("%s", status);
    close(host);
    stop_peers(&peers);
}

/* Descriptors for five connections. One that is over makes room. */
CASE(tls_isolator_link__too_many)
{
    struct terminator_message message;
    struct peers peers;
    int programs[6], hosts[6], passed;

    descriptors_max = 26;
    peers = start_peers();
    descriptors_max = 0;
    for (int i = 0; i < 6; i++)
        open_connection(peers.link, (uint64_t)i, 443, "a", 2, &programs[i], &hosts[i]);
    check_given_up(&peers, 5, 502, "there are 5 connections with TLS already, which is the limit");
    for (int i = 0; i < 5; i++) {
        close(programs[i]);
        free(read_message(peers.link, &message, &passed));
        assert_int_equal(message.number, i);
        close(hosts[i]);
    }
    open_connection(peers.link, 6, 443, "a", 2, &programs[0], &hosts[0]);
    close(programs[0]);
    free(read_message(peers.link, &message, &passed));
    assert_int_equal(message.status, 400);
    close(hosts[0]);
    close(programs[5]);
    close(hosts[5]);
    stop_peers(&peers);
}

/* The kernel drops descriptors that are too many, for the message or for the process. */
CASE(tls_isolator_link__descriptors_are_dropped)
{
    struct peers peers = start_peers();
    const struct terminator_message message = {.type = TERMINATOR_OPEN, .port = 443, .number = 1};
    CLEANUP(strbuf_release) struct strbuf packet = STRBUF_INIT;
    int sockets[3], others[3], program, host;

    for (size_t i = 0; i < 3; i++)
        others[i] = make_pair(&sockets[i]);
    strbuf_add(&packet, &message, sizeof message);
    strbuf_add(&packet, "a", 2);
    assert_int_equal(send_packet(peers.link, packet.data, packet.length, sockets, 3),
                     packet.length);
    check_given_up(&peers, 1, 502, "the system refuses the sockets of a connection with TLS");
    open_connection(peers.link, 2, 443, "a", 2, &program, &host); /* it goes on */
    close(program);
    check_given_up(&peers, 2, 400,
                   "TLS between the program and isolator, for 'a', has failed: the connection was "
                   "closed");
    close(host);
    for (size_t i = 0; i < 3; i++) {
        close(others[i]);
        close(sockets[i]);
    }
    stop_peers(&peers);
}

enum { UNREAD = 1000 };

/* Connections are served while isolator does not read why others have ended. */
CASE(tls_isolator_link__unread_messages)
{
    struct peers peers = start_peers();
    struct host host_end = {.response = "x", .response_length = 1};
    int fd, host;
    SSL *ssl;
    char bytes[1000];

    for (int i = 0; i < UNREAD; i++) {
        open_connection(peers.link, 1, 443, "a.test", 7, &fd, &host);
        close(fd);
        close(host);
    }
    open_connection(peers.link, 2, 443, "a.test", 7, &fd, &host_end.fd);
    start_host(&host_end, &peers.authority, "DNS:a.test");
    ssl = connect_program(peers.program, fd, "a.test");
    send_text(ssl, "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n");
    check_response(ssl, "x");
    end_program(ssl, fd);
    stop_host(&host_end);
    strbuf_release(&host_end.got);
    while (recv(peers.link, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
        continue;
    stop_peers(&peers);
}

/* ---- what isolator must not send */

/* Sends a packet, with so many sockets, which ends the program with a message. */
static void check_wrong(const void *bytes, size_t length, size_t count, const char *expected)
{
    char *directory = temp_create();
    CLEANUP_FREE char *path = path_in(directory, "ca.pem");
    CLEANUP_FREE char *log_path = path_in(directory, "errors");
    struct test_authority authority = make_authority("test");
    CLEANUP_FD int file = -1;
    CLEANUP_FREE char *errors = NULL;
    struct terminator_message message;
    int sockets[4], others[4], link, log;
    pid_t pid;

    write_pem(directory, "ca.pem", authority.certificate);
    write_in(directory, "errors", "");
    log = open(log_path, O_WRONLY | O_CLOEXEC);
    pid = start_program(path, &link, log);
    free(read_message(link, &message, &file));
    for (size_t i = 0; i < 4; i++)
        others[i] = make_pair(&sockets[i]);
    assert_int_equal(send_packet(link, bytes, length, sockets, count), length);
    assert_int_equal(wait_for_program(pid), 1);
    errors = read_in(directory, "errors");
    assert_string_equal(errors, expected);
    for (size_t i = 0; i < 4; i++) {
        close(others[i]);
        close(sockets[i]);
    }
    close(link);
    close(log);
    EVP_PKEY_free(authority.key);
    X509_free(authority.certificate);
    temp_remove(directory);
}

static void check_wrong_open(const char *text, size_t length, size_t count, const char *expected)
{
    const struct terminator_message message = {.type = TERMINATOR_OPEN, .port = 443};
    CLEANUP(strbuf_release) struct strbuf packet = STRBUF_INIT;

    strbuf_add(&packet, &message, sizeof message);
    strbuf_add(&packet, text, length);
    check_wrong(packet.data, packet.length, count, expected);
}

#define WRONG_TEXT(text, expected) check_wrong_open(text, sizeof(text), 2, expected)

CASE(tls_isolator_link__wrong_messages)
{
    const struct terminator_message ready = {.type = TERMINATOR_READY};
    const struct {
        struct terminator_message start;
        char host[2];
    } no_port = {{.type = TERMINATOR_OPEN, .port = 0}, "a"};
    char large[TERMINATOR_PACKET_MAX] = "a";

    check_wrong("x", 1, 0, "isolator-tls: a message that is too short\n");
    check_wrong(&ready, sizeof ready, 0, "isolator-tls: a message of an unknown type\n");
    check_wrong_open("a", 2, 0, "isolator-tls: a message without two sockets\n");
    check_wrong_open("a", 2, 1, "isolator-tls: a message without two sockets\n");
    check_wrong_open(large, sizeof large, 2, "isolator-tls: a message that is too long\n");
    check_wrong(&no_port, sizeof no_port, 2, "isolator-tls: no host, or port 0\n");
}

CASE(tls_isolator_link__wrong_texts)
{
    CLEANUP(strbuf_release) struct strbuf many = STRBUF_INIT;

    check_wrong_open("a", 1, 2, "isolator-tls: a text without NUL at its end\n");
    check_wrong_open("", 0, 2, "isolator-tls: a text without NUL at its end\n");
    WRONG_TEXT("", "isolator-tls: no host, or port 0\n");
    WRONG_TEXT("A", "isolator-tls: no host, or port 0\n");
    WRONG_TEXT("[::1]", "isolator-tls: no host, or port 0\n");
    WRONG_TEXT("a\nb", "isolator-tls: no host, or port 0\n");
    WRONG_TEXT("a\0X", "isolator-tls: a field that is none of HTTP\n");
    WRONG_TEXT("a\0X Y\0z", "isolator-tls: a field that is none of HTTP\n");
    WRONG_TEXT("a\0\0z", "isolator-tls: a field that is none of HTTP\n");
    WRONG_TEXT("a\0X\0y\r\nZ: w", "isolator-tls: a field that is none of HTTP\n");
    strbuf_add(&many, "a", 2);
    for (int i = 0; i < 17; i++)
        strbuf_add(&many, "X\0y", 4);
    check_wrong_open(many.data, many.length, 2, "isolator-tls: too many fields\n");
}
