#include "tls/trust_store.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"

/* Opens a regular file. -1, errno; nothing else is waited for. */
static int open_file(const char *path)
{
    CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) != 0)
        return -1;
    if (!S_ISREG(status.st_mode)) {
        errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
        return -1;
    }
    return steal_fd(&fd);
}

/* Opens the file of the environment or the first one that exists. Its path is borrowed. */
static int open_store(const char **path)
{
    const char *const usual[] = {X509_get_default_cert_file(), "/etc/ssl/certs/ca-certificates.crt",
                                 "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
                                 "/etc/ssl/cert.pem"};
    const char *named = getenv("SSL_CERT_FILE");
    int fd;

    *path = named;
    if (named && *named)
        return open_file(named);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        *path = usual[i];
        fd = open_file(usual[i]);
        if (fd >= 0 || (errno != ENOENT && errno != ENOTDIR))
            return fd;
    }
    *path = NULL;
    return -1;
}

static int read_bytes(int fd, struct strbuf *file)
{
    char bytes[65536];
    ssize_t length;

    while ((length = read(fd, bytes, sizeof bytes)) > 0) {
        strbuf_add(file, bytes, (size_t)length);
        if (file->length > TRUST_FILE_MAX) {
            errno = EFBIG;
            return -1;
        }
    }
    return length == 0 ? 0 : -1;
}

/* ---- the certificates in it */

static const char BEGIN_LINE[] = "-----BEGIN CERTIFICATE-----";
static const char END_LINE[] = "-----END CERTIFICATE-----";

static const char BASE64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Finds the next line, without blanks at its end. Returns where the one after it starts. */
static size_t next_line(const struct strbuf *file, size_t at, const char **line, size_t *length)
{
    const char *newline = memchr(file->data + at, '\n', file->length - at);
    const size_t end = newline ? (size_t)(newline - file->data) : file->length;

    *line = file->data + at;
    *length = end - at;
    while (*length > 0 && is_blank((*line)[*length - 1]))
        --*length;
    return newline ? end + 1 : end;
}

static bool is_line(const char *line, size_t length, const char *expected)
{
    return length == strlen(expected) && memcmp(line, expected, length) == 0;
}

static bool is_base64(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (line[i] == '\0' || !strchr(BASE64, line[i]))
            return false;
    return true;
}

/* Copies the certificates. Whatever else is in the file, a comment or a key, stays out. */
static void add_certificates(const struct strbuf *file, struct strbuf *pem)
{
    CLEANUP(strbuf_release) struct strbuf block = STRBUF_INIT; /* empty: outside a certificate */
    const char *line;
    size_t length;

    for (size_t at = 0; at < file->length;) {
        bool is_begin, is_end;

        at = next_line(file, at, &line, &length);
        is_begin = is_line(line, length, BEGIN_LINE);
        is_end = is_line(line, length, END_LINE);
        if (is_begin || (!is_end && !is_base64(line, length)))
            strbuf_drop(&block, block.length);
        if (!is_begin && block.length == 0)
            continue;
        strbuf_add(&block, line, length);
        strbuf_addch(&block, '\n');
        if (is_end) {
            strbuf_add(pem, block.data, block.length);
            strbuf_drop(&block, block.length);
        }
    }
}

static BIO *open_pem(const struct strbuf *pem)
{
    BIO *bio = BIO_new_mem_buf(strbuf_string(pem), (int)pem->length);

    if (!bio)
        abort(); /* there is no memory */
    return bio;
}

static bool has_certificate(const struct strbuf *pem)
{
    BIO *bio = open_pem(pem);
    X509 *certificate = PEM_read_bio_X509_AUX(bio, NULL, NULL, NULL);
    const bool found = certificate != NULL;

    X509_free(certificate);
    BIO_free(bio);
    ERR_clear_error();
    return found;
}

/* The file may have keys: it is wiped. */
static int read_file(int fd, struct strbuf *file, struct strbuf *pem)
{
    if (read_bytes(fd, file) != 0)
        return -1;
    add_certificates(file, pem);
    if (file->data)
        OPENSSL_cleanse(file->data, file->capacity);
    return 0;
}

int trust_store_read(struct strbuf *pem, char **problem)
{
    const char *path;
    CLEANUP_FD int fd = open_store(&path);
    CLEANUP(strbuf_release) struct strbuf file = STRBUF_INIT;
    CLEANUP_FREE char *shown = path ? text_escape_short(path, 500) : NULL;

    if (fd < 0 && !path)
        *problem = string_copy("this host has no certificates: install ca-certificates, or name a "
                               "file in SSL_CERT_FILE");
    else if (fd < 0 || read_file(fd, &file, pem) != 0)
        *problem = string_format("cannot read the certificates of this host, '%s': %s; name "
                                 "another file in SSL_CERT_FILE",
                                 shown, strerror(errno));
    else if (!has_certificate(pem))
        *problem = string_format("'%s' has no certificates: install ca-certificates, or name "
                                 "another file in SSL_CERT_FILE",
                                 shown);
    else
        return 0;
    return -1;
}

/* The store has a reference of its own. One that comes twice is no mistake. */
X509_STORE *trust_store_parse(const struct strbuf *pem)
{
    X509_STORE *store = X509_STORE_new();
    BIO *bio = open_pem(pem);
    X509 *certificate;

    if (!store)
        abort();
    for (;;) {
        certificate = PEM_read_bio_X509_AUX(bio, NULL, NULL, NULL);
        if (!certificate && ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE)
            break;
        if (certificate)
            X509_STORE_add_cert(store, certificate);
        X509_free(certificate);
        ERR_clear_error();
    }
    ERR_clear_error();
    BIO_free(bio);
    return store;
}
