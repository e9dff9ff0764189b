#include "base/untar.h"

#include <string.h>

/* The limit of a long name or a pax header. Linux has no path longer than 4096 bytes. */
enum { EXTRA_MAX = 65536 };

/* The largest size that an entry may have. */
#define ENTRY_SIZE_MAX 0x3fffffffffffffffLL

/* The offsets of the fields of a header: pax(1p), "ustar Interchange Format". */
struct field {
    size_t at, length;
};
static const struct field NAME = {0, 100}, MODE = {100, 8}, SIZE = {124, 12}, CHECKSUM = {148, 8},
                          MODIFIED = {136, 12}, TYPE = {156, 1}, TARGET = {157, 100},
                          MAGIC = {257, 6}, PREFIX = {345, 155};

void untar_init(struct untar *untar, const struct untar_handler *handler, void *context)
{
    *untar = (struct untar){.handler = handler, .context = context, .size = -1};
}

void untar_release(struct untar *untar)
{
    strbuf_release(&untar->extra);
    strbuf_release(&untar->name);
    strbuf_release(&untar->target);
}

bool untar_done(const struct untar *untar)
{
    return untar->state == UNTAR_DONE;
}

/*
 * Returns a number in octal digits, or in the form of GNU for large ones: bit 7 of the first byte
 * is set, and the rest is base 256. -1 if it is neither.
 */
static long long number_at(const char *header, struct field field)
{
    const unsigned char *byte = (const unsigned char *)header + field.at;
    const unsigned char *end = byte + field.length;
    const bool binary = *byte == 0x80;
    long long value = 0;

    if (binary)
        byte++;
    while (!binary && byte < end && *byte == ' ')
        byte++;
    for (; byte < end; byte++) {
        if (!binary && (*byte == ' ' || *byte == '\0'))
            break;
        if ((!binary && (*byte < '0' || *byte > '7')) || value > ENTRY_SIZE_MAX / 256)
            return -1;
        value = binary ? value * 256 + *byte : value * 8 + (*byte - '0');
    }
    return value;
}

/* Returns the sum of all bytes, with spaces in place of the checksum itself. */
static bool checksum_fits(const char *header)
{
    long long sum = 0;

    for (size_t i = 0; i < UNTAR_BLOCK; i++) {
        const bool own = i >= CHECKSUM.at && i < CHECKSUM.at + CHECKSUM.length;
        sum += own ? ' ' : (unsigned char)header[i];
    }
    return number_at(header, CHECKSUM) == sum;
}

static bool is_zero(const char *header)
{
    for (size_t i = 0; i < UNTAR_BLOCK; i++)
        if (header[i] != '\0')
            return false;
    return true;
}

static void add_text(struct strbuf *text, const char *header, struct field field)
{
    const char *start = header + field.at;
    const char *nul = memchr(start, '\0', field.length);

    strbuf_add(text, start, nul ? (size_t)(nul - start) : field.length);
}

/* The name in the header, unless a long name came before it. GNU's format has no prefix. */
static void take_name(struct untar *untar)
{
    const char *header = untar->header;

    if (untar->name.length > 0)
        return;
    if (memcmp(header + MAGIC.at, "ustar", MAGIC.length) == 0 && header[PREFIX.at] != '\0') {
        add_text(&untar->name, header, PREFIX);
        strbuf_addch(&untar->name, '/');
    }
    add_text(&untar->name, header, NAME);
}

static enum untar_type type_of(char letter, const struct strbuf *name)
{
    switch (letter) {
    case '\0':
    case '0':
    case '7': /* contiguous: to be read as a plain file (pax(1p)) */
        return name->length > 0 && name->data[name->length - 1] == '/' ? UNTAR_DIRECTORY
                                                                       : UNTAR_FILE;
    case '1':
        return UNTAR_HARD_LINK;
    case '2':
        return UNTAR_SYMLINK;
    case '5':
        return UNTAR_DIRECTORY;
    default:
        return UNTAR_OTHER;
    }
}

static void expect(struct untar *untar, int state, long long size)
{
    untar->state = state;
    untar->left = size;
    untar->padding = (size_t)((UNTAR_BLOCK - size % UNTAR_BLOCK) % UNTAR_BLOCK);
}

static void begin_entry(struct untar *untar, char letter, long long size)
{
    struct untar_entry entry;

    take_name(untar);
    entry.name = strbuf_string(&untar->name);
    entry.type = type_of(letter, &untar->name);
    if ((entry.type == UNTAR_SYMLINK || entry.type == UNTAR_HARD_LINK) && untar->target.length == 0)
        add_text(&untar->target, untar->header, TARGET);
    entry.target = strbuf_string(&untar->target);
    entry.size = entry.type == UNTAR_FILE ? size : 0;
    entry.modified = number_at(untar->header, MODIFIED);
    entry.executable = (number_at(untar->header, MODE) & 0100) != 0;
    untar->handler->begin(untar->context, &entry);
    strbuf_release(&untar->name);
    strbuf_release(&untar->target);
    untar->size = -1;
    if (entry.type == UNTAR_FILE)
        expect(untar, UNTAR_CONTENT, size);
    else /* links, directories and devices have no content, whatever their size says (pax(1p)) */
        expect(untar, UNTAR_SKIPPED, letter >= '1' && letter <= '6' ? 0 : size);
}

static int take_header(struct untar *untar, struct error *error)
{
    const char letter = untar->header[TYPE.at];
    long long size = number_at(untar->header, SIZE);

    if (is_zero(untar->header)) {
        untar->state = UNTAR_DONE;
        return 0;
    }
    if (!checksum_fits(untar->header))
        return error_set(error, ERROR_INPUT, "the checksum of an entry is wrong");
    if (letter == 'L' || letter == 'K' || letter == 'x') {
        if (size < 0 || size > EXTRA_MAX)
            return error_set(error, ERROR_INPUT, "a name has more than %d bytes", EXTRA_MAX);
        strbuf_release(&untar->extra);
        expect(untar, letter == 'L' ? UNTAR_NAME : letter == 'K' ? UNTAR_TARGET : UNTAR_PAX, size);
        return 0;
    }
    if (letter != 'g' && untar->size >= 0)
        size = untar->size;
    if (size < 0 || letter == 'S')
        return error_set(error, ERROR_INPUT, "the size of an entry cannot be read");
    if (letter == 'g')
        expect(untar, UNTAR_SKIPPED, size);
    else
        begin_entry(untar, letter, size);
    return 0;
}

/* Takes the key and the value of a record of a pax header, "LENGTH KEY=VALUE\n". */
static int take_record(struct untar *untar, const char *key, size_t key_length, const char *value,
                       size_t length, struct error *error)
{
    static const char sparse[] = "GNU.sparse.";

    if (key_length == 4 && memcmp(key, "path", 4) == 0) {
        strbuf_release(&untar->name);
        strbuf_add(&untar->name, value, strnlen(value, length));
    } else if (key_length == 4 && memcmp(key, "size", 4) == 0) {
        long long size = 0;

        for (size_t i = 0; i < length; i++) {
            if (value[i] < '0' || value[i] > '9' || size > ENTRY_SIZE_MAX / 10 - 1)
                return error_set(error, ERROR_INPUT, "the size of an entry cannot be read");
            size = size * 10 + (value[i] - '0');
        }
        untar->size = size;
    } else if (key_length > strlen(sparse) && memcmp(key, sparse, strlen(sparse)) == 0) {
        return error_set(error, ERROR_INPUT, "a sparse file cannot be read");
    }
    return 0;
}

static int take_pax(struct untar *untar, struct error *error)
{
    const char *record = strbuf_string(&untar->extra);
    const char *end = record + untar->extra.length;

    while (record < end) {
        size_t length = 0;
        const char *key = record, *equals;

        while (key < end && *key >= '0' && *key <= '9' && length <= EXTRA_MAX)
            length = length * 10 + (size_t)(*key++ - '0');
        if (key == end || *key != ' ' || length > (size_t)(end - record) ||
            record + length <= key + 1 || record[length - 1] != '\n')
            return error_set(error, ERROR_INPUT, "a pax header cannot be read");
        key++;
        equals = memchr(key, '=', (size_t)(record + length - key));
        if (!equals)
            return error_set(error, ERROR_INPUT, "a pax header cannot be read");
        if (take_record(untar, key, (size_t)(equals - key), equals + 1,
                        (size_t)(record + length - 1 - (equals + 1)), error) != 0)
            return -1;
        record += length;
    }
    return 0;
}

/* Ends the content of an entry. */
static int finish(struct untar *untar, struct error *error)
{
    const int state = untar->state;

    untar->state = UNTAR_HEADER;
    if (state == UNTAR_CONTENT) {
        untar->handler->end(untar->context);
    } else if (state == UNTAR_NAME || state == UNTAR_TARGET) {
        struct strbuf *text = state == UNTAR_NAME ? &untar->name : &untar->target;

        strbuf_release(text);
        strbuf_addstr(text, strbuf_string(&untar->extra)); /* up to the NUL */
    } else if (state == UNTAR_PAX) {
        return take_pax(untar, error);
    }
    return 0;
}

/* Takes bytes of the header. Returns how many. */
static size_t collect(struct untar *untar, const char *data, size_t length)
{
    const size_t room = UNTAR_BLOCK - untar->filled;
    const size_t taken = length < room ? length : room;

    memcpy(untar->header + untar->filled, data, taken);
    untar->filled += taken;
    return taken;
}

/* Takes bytes of content or of the padding after it. Returns how many. */
static size_t pass(struct untar *untar, const char *data, size_t length)
{
    size_t taken;

    if (untar->left == 0) {
        taken = length < untar->padding ? length : untar->padding;
        untar->padding -= taken;
        return taken;
    }
    taken = (unsigned long long)untar->left < length ? (size_t)untar->left : length;
    untar->left -= (long long)taken;
    if (untar->state == UNTAR_CONTENT)
        untar->handler->content(untar->context, data, taken);
    else if (untar->state != UNTAR_SKIPPED)
        strbuf_add(&untar->extra, data, taken);
    return taken;
}

int untar_feed(struct untar *untar, const char *data, size_t length, struct error *error)
{
    while (length > 0 && untar->state != UNTAR_DONE) {
        const size_t taken =
            untar->state == UNTAR_HEADER ? collect(untar, data, length) : pass(untar, data, length);

        data += taken;
        length -= taken;
        if (untar->state == UNTAR_HEADER && untar->filled == UNTAR_BLOCK) {
            untar->filled = 0;
            if (take_header(untar, error) != 0)
                return -1;
        }
        if (untar->state != UNTAR_HEADER && untar->state != UNTAR_DONE && untar->left == 0 &&
            untar->padding == 0 && finish(untar, error) != 0)
            return -1;
    }
    return 0;
}
