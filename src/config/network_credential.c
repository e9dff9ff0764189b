#include "config/network_credential.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "config/environment.h"

#define FROM_VARIABLE "env:"
#define FROM_FILE     "file:"

void network_credential_init(struct network_credential *credential)
{
    *credential = (struct network_credential){.header = string_copy("Authorization"),
                                              .prefix = string_copy("")};
}

void network_credential_release(struct network_credential *credential)
{
    free(credential->header);
    free(credential->from);
    free(credential->prefix);
    *credential = (struct network_credential){.header = NULL};
}

void network_credential_copy(struct network_credential *copy,
                             const struct network_credential *credential)
{
    *copy = (struct network_credential){
        .header = string_copy(credential->header),
        .from = credential->from ? string_copy(credential->from) : NULL,
        .prefix = string_copy(credential->prefix),
    };
}

bool network_credential_equal(const struct network_credential *one,
                              const struct network_credential *other)
{
    return strcasecmp(one->header, other->header) == 0 && strcmp(one->from, other->from) == 0 &&
           strcmp(one->prefix, other->prefix) == 0;
}

/* ---- members */

static void replace(char **member, const char *text)
{
    free(*member);
    *member = string_copy(text);
}

/* Whether the header frames or routes a request, or is one for the next hop alone. */
static bool is_framing_header(const char *header)
{
    static const char *const names[] = {
        "Host",       "Content-Length", "Transfer-Encoding", "TE",      "Connection",
        "Keep-Alive", "Expect",         "Trailer",           "Upgrade", "HTTP2-Settings"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(header, names[i]) == 0)
            return true;
    return strncasecmp(header, "Proxy-", 6) == 0;
}

int network_credential_set_header(struct network_credential *credential, const char *text,
                                  struct error *error)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "!#$%&'*+-.^_`|~";
    const size_t length = strlen(text);
    CLEANUP_FREE char *shown = text_escape_short(text, CREDENTIAL_HEADER_MAX);

    if (length == 0 || length > CREDENTIAL_HEADER_MAX || strspn(text, allowed) != length)
        return error_set(error, ERROR_USAGE, "'%s' is not the name of a header, like X-Api-Key",
                         shown);
    if (is_framing_header(text))
        return error_set(error, ERROR_USAGE,
                         "'%s' cannot have a credential: it says where a request ends or goes",
                         shown);
    replace(&credential->header, text);
    return 0;
}

static bool is_place(const char *text)
{
    const char *name = text + strlen(FROM_VARIABLE);

    if (strncmp(text, FROM_VARIABLE, strlen(FROM_VARIABLE)) == 0)
        return environment_is_name(name, strlen(name));
    return strncmp(text, FROM_FILE "/", strlen(FROM_FILE "/")) == 0;
}

int network_credential_set_from(struct network_credential *credential, const char *text,
                                struct error *error)
{
    if (!is_place(text))
        return error_set(error, ERROR_USAGE,
                         "a value is in a variable, env:NAME, or a file, file:/ABSOLUTE/PATH; it "
                         "cannot be in the configuration itself");
    replace(&credential->from, text);
    return 0;
}

const char *network_credential_variable(const struct network_credential *credential)
{
    const size_t length = strlen(FROM_VARIABLE);

    return strncmp(credential->from, FROM_VARIABLE, length) == 0 ? credential->from + length : NULL;
}

int network_credential_set_prefix(struct network_credential *credential, const char *text,
                                  struct error *error)
{
    size_t length = 0;

    while (text[length] >= ' ' && text[length] <= '~')
        length++;
    if (text[length] != '\0' || length > CREDENTIAL_PREFIX_MAX)
        return error_set(error, ERROR_USAGE,
                         "a prefix is printable ASCII, at most %d bytes, like \"Bearer \"",
                         CREDENTIAL_PREFIX_MAX);
    replace(&credential->prefix, text);
    return 0;
}

/* ---- the value */

void network_credential_wipe(char **value)
{
    volatile char *byte = *value; /* or the compiler would leave the writes out */

    while (byte && *byte)
        *byte++ = '\0';
    cleanup_free(value);
    *value = NULL;
}

/* Opens a regular file; waits for nothing if it is another one. Returns -1 on failure. */
static int open_regular(const char *path, const char *shown, struct error *error)
{
    CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) != 0)
        return error_set_errno(error, ERROR_CONFIG, "cannot read '%s'", shown);
    if (!S_ISREG(status.st_mode))
        return error_set(error, ERROR_CONFIG, "'%s' is not a regular file", shown);
    return steal_fd(&fd);
}

/* Drops one line feed at the end, or a carriage return and a line feed. Returns the length. */
static size_t drop_line_end(char *text, size_t length)
{
    if (length > 0 && text[length - 1] == '\n')
        length -= length > 1 && text[length - 2] == '\r' ? 2 : 1;
    text[length] = '\0';
    return length;
}

/* Returns the value without its prefix, or as much of it as shows that it is too long; owned. */
static char *read_place(const char *from, size_t *length, struct error *error)
{
    const char *place = strchr(from, ':') + 1;
    CLEANUP_FREE char *shown = text_escape(place);
    CLEANUP_FD int fd = -1;
    char *value;

    if (strncmp(from, FROM_VARIABLE, strlen(FROM_VARIABLE)) == 0) {
        const char *set = getenv(place);

        if (set) {
            *length = strlen(set);
            return string_copy(set);
        }
        error_set(error, ERROR_CONFIG,
                  "environment variable '%s' is not set; set it where isolator is started, or use "
                  "file:/PATH",
                  shown);
        return NULL;
    }
    fd = open_regular(place, shown, error);
    if (fd < 0)
        return NULL;
    value = io_read_start(fd, CREDENTIAL_VALUE_MAX + sizeof "\r\n", length);
    if (value)
        *length = drop_line_end(value, *length);
    else
        error_set_errno(error, ERROR_CONFIG, "cannot read '%s'", shown);
    return value;
}

/* Whether it is the value of a field (RFC 9110, 5.5), of ASCII and without tabs. */
static bool is_field_value(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] < ' ' || text[i] > '~')
            return false;
    return text[0] != ' ' && text[length - 1] != ' ';
}

static int check_value(const char *from, const char *value, size_t length, struct error *error)
{
    const bool is_file = strncmp(from, FROM_FILE, strlen(FROM_FILE)) == 0;
    CLEANUP_FREE char *shown = text_escape(strchr(from, ':') + 1);
    const char *what = is_file ? "file" : "environment variable";

    if (length == 0)
        return error_set(error, ERROR_CONFIG, "%s '%s' is empty; it must have the value", what,
                         shown);
    if (length > CREDENTIAL_VALUE_MAX)
        return error_set(error, ERROR_CONFIG, "%s '%s' has more than %d bytes", what, shown,
                         CREDENTIAL_VALUE_MAX);
    if (!is_field_value(value, length))
        return error_set(error, ERROR_CONFIG,
                         "%s '%s' has bytes that a credential cannot have; it is one line of "
                         "visible ASCII, with spaces only inside",
                         what, shown);
    return 0;
}

int network_credential_read(const struct network_credential *credential, char **value,
                            struct error *error)
{
    const size_t prefix = strlen(credential->prefix);
    size_t length = 0;
    CLEANUP(network_credential_wipe) char *read = read_place(credential->from, &length, error);

    if (!read || check_value(credential->from, read, length, error) != 0)
        return -1;
    *value = memory_allocate(prefix + length + 1); /* at once, so that no part is left elsewhere */
    memcpy(*value, credential->prefix, prefix);
    memcpy(*value + prefix, read, length + 1);
    return 0;
}
