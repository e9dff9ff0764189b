/*
 * A header that isolator adds to each request to a host whose TLS it terminates
 * (config/network_rules.h), and where its value is. The configuration names the place of a value
 * and never has the value: what is read from here has no place in a result, a trace or a message.
 */
#ifndef CONFIG_NETWORK_CREDENTIAL_H
#define CONFIG_NETWORK_CREDENTIAL_H

#include <stdbool.h>

#include "base/error.h"

/* Bytes of the name of a header, of a prefix, and of a value without its prefix. */
enum {
    CREDENTIAL_HEADER_MAX = 64,
    CREDENTIAL_PREFIX_MAX = 64,
    CREDENTIAL_VALUE_MAX = 4096,
};

struct network_credential {
    char *header; /* owned; by default "Authorization" */
    char *from;   /* owned: "env:NAME" or "file:/ABSOLUTE/PATH"; NULL: not given */
    char *prefix; /* owned; what is in front of the value, by default "" */
};

/* Sets the defaults. */
void network_credential_init(struct network_credential *credential);

/* Leaves a credential without members, which can be released again or initialised. */
void network_credential_release(struct network_credential *credential);

/* Makes an independent copy in a struct that owns nothing. */
void network_credential_copy(struct network_credential *copy,
                             const struct network_credential *credential);

/* Whether both are the same header, in any case of its letters, from the same place. */
bool network_credential_equal(const struct network_credential *one,
                              const struct network_credential *other);

/*
 * Sets the header: a token (RFC 9110, 5.6.2) that neither frames nor routes a request, since the
 * program and the host must agree in where a request ends and where it goes. ERROR_USAGE.
 */
int network_credential_set_header(struct network_credential *credential, const char *text,
                                  struct error *error);

/*
 * Sets the place of the value: "env:NAME", an environment variable of isolator itself, or
 * "file:/ABSOLUTE/PATH". ERROR_USAGE, with a message that does not have the text, which may be a
 * value that someone has written there.
 */
int network_credential_set_from(struct network_credential *credential, const char *text,
                                struct error *error);

/* The name of the environment variable that has the value, borrowed; NULL: a file has it. */
const char *network_credential_variable(const struct network_credential *credential);

/* Sets the prefix: printable ASCII, like "Bearer ". ERROR_USAGE. */
int network_credential_set_prefix(struct network_credential *credential, const char *text,
                                  struct error *error);

/*
 * Reads the value: *value is the prefix and the value, which the caller owns and removes with
 * network_credential_wipe(). A line feed at the end of a file, or a carriage return and a line
 * feed, is dropped. ERROR_CONFIG if the place cannot be read, is no regular file, is empty, has
 * more than CREDENTIAL_VALUE_MAX bytes, or bytes other than visible ASCII and spaces within. The
 * message names the place and has no part of the value; the caller puts the host in front.
 */
int network_credential_read(const struct network_credential *credential, char **value,
                            struct error *error);

/* Overwrites a value, frees it and leaves NULL, which is allowed too. For CLEANUP(). */
void network_credential_wipe(char **value);

#endif
