/*
 * isolator-tls: stands between programs in containers and hosts of https, so that isolator can add
 * a field with a secret that the program never sees. isolator starts it, with its end of
 * network/terminator_wire.h as standard input. Its main.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "tls/authority.h"
#include "tls/contexts.h"
#include "tls/harden.h"
#include "tls/isolator_link.h"
#include "tls/server.h"
#include "tls/trust_store.h"

enum { EXIT_PROBLEM = 1, EXIT_MISUSE = 2 };

/* Ends the process at once: nothing here needs to be cleaned up, and keys are in no file. */
static _Noreturn void quit(int status, const char *problem)
{
    if (problem)
        fprintf(stderr, "isolator-tls: %s\n", problem);
    fflush(NULL);
    _exit(status);
}

static _Noreturn void fail(const char *why)
{
    link_send_failed(STDIN_FILENO, why);
    quit(EXIT_PROBLEM, why);
}

/* Returns a file with these bytes that cannot be changed any more; -1: the system refuses. */
static int sealed_file(const struct strbuf *bytes)
{
    CLEANUP_FD int fd = memfd_create("certificates", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0 || io_write_all(fd, bytes->data, bytes->length) != 0 ||
        lseek(fd, 0, SEEK_SET) != 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0)
        return -1;
    return steal_fd(&fd);
}

static void send_certificates(const struct strbuf *trusted, const struct authority *authority)
{
    CLEANUP(strbuf_release) struct strbuf all = STRBUF_INIT;
    CLEANUP_FD int file = -1;

    strbuf_add(&all, trusted->data, trusted->length);
    authority_add_pem(authority, &all);
    file = sealed_file(&all);
    if (file < 0)
        fail("the system refuses a file in memory");
    if (link_send_ready(STDIN_FILENO, file) != 0)
        quit(EXIT_SUCCESS, NULL); /* isolator has ended */
}

/* Reads the certificates of this host, and tells isolator before it parses them. */
static void prepare(struct contexts *contexts)
{
    CLEANUP(strbuf_release) struct strbuf trusted = STRBUF_INIT;
    CLEANUP_FREE char *problem = NULL;
    struct authority *authority;

    if (trust_store_read(&trusted, &problem) != 0)
        fail(problem);
    authority = authority_new();
    send_certificates(&trusted, authority);
    contexts_init(contexts, authority, trust_store_parse(&trusted));
}

int main(int argc, char **argv)
{
    struct contexts contexts;
    const char *problem;

    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("isolator-tls " ISOLATOR_VERSION);
        return EXIT_SUCCESS;
    }
    if (argc != 1 || !link_is_valid(STDIN_FILENO))
        quit(EXIT_MISUSE, "isolator starts this program; it takes no arguments");
    problem = harden_process();
    if (problem)
        fail(problem);
    OPENSSL_init_ssl(OPENSSL_INIT_LOAD_SSL_STRINGS | OPENSSL_INIT_LOAD_CRYPTO_STRINGS, NULL);
    prepare(&contexts);
    problem = harden_system_calls();
    if (!problem)
        problem = tls_server_run(&contexts, STDIN_FILENO);
    quit(problem ? EXIT_PROBLEM : EXIT_SUCCESS, problem);
}
