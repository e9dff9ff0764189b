#include "tls/authority.h"

#include <arpa/inet.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <sys/socket.h>

#include "base/host_name.h"
#include "base/linux.h"
#include "base/memory.h"
#include "tls/must.h"

enum { SERIAL_BITS = 127 };

struct host_certificate {
    char host[HOST_NAME_SIZE];
    X509 *certificate;       /* owned; NULL: none */
    unsigned long long used; /* the number of its last use */
};

struct authority {
    EVP_PKEY *key, *host_key; /* owned */
    X509 *certificate;        /* owned */
    struct host_certificate hosts[AUTHORITY_HOSTS];
    unsigned long long uses;
};

static EVP_PKEY *new_key(void)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");

    must(key != NULL);
    return key;
}

static void set_serial(X509 *certificate)
{
    BIGNUM *serial = BN_new();

    must(serial && BN_rand(serial, SERIAL_BITS, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(certificate)));
    BN_free(serial);
}

static void add_name(X509 *certificate, const char *field, const char *value)
{
    must(X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), field, MBSTRING_ASC,
                                    (const unsigned char *)value, -1, -1, 0) == 1);
}

/* Adds an extension in the words of x509v3_config(5). */
static void add_extension(X509 *certificate, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX context;
    X509_EXTENSION *extension;

    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    must(extension && X509_add_ext(certificate, extension, -1) == 1);
    X509_EXTENSION_free(extension);
}

static X509 *new_certificate(EVP_PKEY *key)
{
    X509 *certificate = X509_new();

    must(certificate && X509_set_version(certificate, X509_VERSION_3) == 1 &&
         X509_set_pubkey(certificate, key) == 1);
    set_serial(certificate);
    return certificate;
}

struct authority *authority_new(void)
{
    struct authority *authority = memory_allocate(sizeof *authority);
    char name[] = "isolator 01234567";
    X509 *certificate;

    *authority = (struct authority){.key = new_key(), .host_key = new_key()};
    certificate = new_certificate(authority->key);
    linux_random_digits(strchr(name, ' ') + 1, 9);
    add_name(certificate, "CN", name);
    must(X509_set_issuer_name(certificate, X509_get_subject_name(certificate)) == 1 &&
         X509_gmtime_adj(X509_getm_notBefore(certificate), -24L * 3600) &&
         X509_time_adj_ex(X509_getm_notAfter(certificate), AUTHORITY_DAYS - 1, 0, NULL));
    add_extension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
    add_extension(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign");
    add_extension(certificate, certificate, NID_subject_key_identifier, "hash");
    must(X509_sign(certificate, authority->key, EVP_sha256()) > 0);
    authority->certificate = certificate;
    return authority;
}

void authority_add_pem(const struct authority *authority, struct strbuf *pem)
{
    BIO *bio = BIO_new(BIO_s_mem());
    char *bytes;
    long length;

    must(bio && PEM_write_bio_X509(bio, authority->certificate) == 1);
    length = BIO_get_mem_data(bio, &bytes);
    strbuf_add(pem, bytes, (size_t)length);
    BIO_free(bio);
}

/* Built by hand, since the words of a configuration would give some bytes of a name a meaning. */
static void add_host(X509 *certificate, const char *host)
{
    GENERAL_NAMES *names = GENERAL_NAMES_new();
    GENERAL_NAME *name = GENERAL_NAME_new();
    ASN1_STRING *text = ASN1_STRING_type_new(V_ASN1_IA5STRING);
    struct ip_address address;
    const bool is_address = host_name_is_address(host, &address);

    must(names && name && text);
    if (is_address)
        must(ASN1_STRING_set(text, address.bytes, address.family == AF_INET ? 4 : 16) == 1);
    else
        must(ASN1_STRING_set(text, host, -1) == 1);
    if (is_address)
        text->type = V_ASN1_OCTET_STRING;
    GENERAL_NAME_set0_value(name, is_address ? GEN_IPADD : GEN_DNS, text);
    must(sk_GENERAL_NAME_push(names, name) > 0 &&
         X509_add1_ext_i2d(certificate, NID_subject_alt_name, names, 0, X509V3_ADD_DEFAULT) == 1);
    GENERAL_NAMES_free(names);
}

static X509 *sign_host(const struct authority *authority, const char *host)
{
    X509 *issuer = authority->certificate;
    X509 *certificate = new_certificate(authority->host_key);

    add_name(certificate, "O", "isolator");
    must(X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1 &&
         X509_set1_notBefore(certificate, X509_get0_notBefore(issuer)) == 1 &&
         X509_set1_notAfter(certificate, X509_get0_notAfter(issuer)) == 1);
    add_extension(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE");
    add_extension(certificate, issuer, NID_key_usage, "critical,digitalSignature");
    add_extension(certificate, issuer, NID_ext_key_usage, "serverAuth");
    add_extension(certificate, issuer, NID_subject_key_identifier, "hash");
    add_extension(certificate, issuer, NID_authority_key_identifier, "keyid:always");
    add_host(certificate, host);
    must(X509_sign(certificate, authority->key, EVP_sha256()) > 0);
    return certificate;
}

X509 *authority_certificate(struct authority *authority, const char *host)
{
    struct host_certificate *oldest = &authority->hosts[0];

    authority->uses++;
    for (size_t i = 0; i < AUTHORITY_HOSTS; i++) {
        struct host_certificate *one = &authority->hosts[i];

        if (one->certificate && strcmp(one->host, host) == 0) {
            one->used = authority->uses;
            return one->certificate;
        }
        if (one->used < oldest->used)
            oldest = one;
    }
    X509_free(oldest->certificate);
    *oldest = (struct host_certificate){.certificate = sign_host(authority, host),
                                        .used = authority->uses};
    strncpy(oldest->host, host, sizeof oldest->host - 1);
    return oldest->certificate;
}

EVP_PKEY *authority_host_key(const struct authority *authority)
{
    return authority->host_key;
}
