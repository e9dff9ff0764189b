#include "base/host_name.h"

#include <string.h>

enum { LABEL_MAX = 63 };

static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyz";
static const char NAME_CHARACTERS[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";

static char lower(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return c;
}

/* Whether each label has 1 to LABEL_MAX characters that it may have. */
static bool has_good_labels(const char *name)
{
    for (;;) {
        const size_t length = strspn(name, NAME_CHARACTERS);

        if (length == 0 || length > LABEL_MAX)
            return false;
        if (name[length] == '\0')
            return true;
        if (name[length] != '.')
            return false;
        name += length + 1;
    }
}

/* Whether it is a number in some notation: digits, or 0x and hexadecimal ones (or none at all). */
static bool is_number(const char *label)
{
    if (label[0] == '0' && label[1] == 'x')
        return label[2 + strspn(label + 2, "0123456789abcdef")] == '\0';
    return label[strspn(label, "0123456789")] == '\0';
}

static bool ends_with_number(const char *name)
{
    const char *dot = strrchr(name, '.');

    return is_number(dot ? dot + 1 : name);
}

/* Reads "[2001:db8::1]" and writes its canonical form without brackets. */
static bool read_bracketed(const char *text, size_t length, char name[HOST_NAME_SIZE])
{
    struct ip_address address;

    if (length < 2 || length - 2 >= IP_ADDRESS_SIZE || text[length - 1] != ']' ||
        memchr(text, '\0', length))
        return false;
    memcpy(name, text + 1, length - 2);
    name[length - 2] = '\0';
    if (!strchr(name, ':') || !ip_address_parse(name, &address))
        return false;
    ip_address_text(&address, name);
    return true;
}

bool host_name_read(const char *text, size_t length, char name[HOST_NAME_SIZE])
{
    struct ip_address address;

    if (length > 0 && text[0] == '[')
        return read_bracketed(text, length, name);
    if (length > 0 && text[length - 1] == '.')
        length--;
    if (length == 0 || length >= HOST_NAME_SIZE || memchr(text, '\0', length))
        return false;
    for (size_t i = 0; i < length; i++)
        name[i] = lower(text[i]);
    name[length] = '\0';
    if (!has_good_labels(name))
        return false;
    return !ends_with_number(name) || ip_address_parse(name, &address);
}

bool host_name_is_address(const char *name, struct ip_address *address)
{
    return (strchr(name, ':') || !strpbrk(name, LETTERS)) && ip_address_parse(name, address);
}

bool host_name_matches(const char *name, const char *pattern)
{
    const size_t length = strlen(name), tail = strlen(pattern) - 1;
    struct ip_address ignored;

    if (pattern[0] != '*')
        return strcmp(name, pattern) == 0;
    return length > tail && !host_name_is_address(name, &ignored) &&
           strcmp(name + length - tail, pattern + 1) == 0;
}
