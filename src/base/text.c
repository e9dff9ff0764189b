#include "base/text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

size_t utf8_sequence(const unsigned char *data, size_t length)
{
    size_t need;

    if (length == 0)
        return 0;
    if (data[0] < 0x80)
        return 1;
    if (data[0] < 0xc2 || data[0] > 0xf4)
        return 0;
    need = data[0] < 0xe0 ? 2 : data[0] < 0xf0 ? 3 : 4;
    if (length < need)
        return 0;
    for (size_t i = 1; i < need; i++)
        if ((data[i] & 0xc0) != 0x80)
            return 0;
    if ((data[0] == 0xe0 && data[1] < 0xa0) || (data[0] == 0xed && data[1] > 0x9f) ||
        (data[0] == 0xf0 && data[1] < 0x90) || (data[0] == 0xf4 && data[1] > 0x8f))
        return 0;
    return need;
}

bool text_is_utf8(const char *text)
{
    const size_t length = strlen(text);
    size_t at = 0, sequence = 1;

    for (; at < length && sequence > 0; at += sequence)
        sequence = utf8_sequence((const unsigned char *)text + at, length - at);
    return sequence > 0;
}

void text_add_utf8(struct strbuf *out, const char *data, size_t length)
{
    size_t clean = 0; /* the start of the valid bytes that are not yet copied */
    size_t at = 0;

    while (at < length) {
        const size_t sequence = utf8_sequence((const unsigned char *)data + at, length - at);

        if (sequence > 0) {
            at += sequence;
            continue;
        }
        strbuf_add(out, data + clean, at - clean);
        strbuf_addstr(out, "\xef\xbf\xbd");
        clean = ++at;
    }
    strbuf_add(out, data + clean, at - clean);
}

/* True if these 1 to 3 bytes are the start of a sequence that more bytes would complete. */
static bool begins_sequence(const unsigned char *data, size_t length)
{
    /* The second byte makes a sequence overlong, a surrogate or too large: try both ends. */
    static const unsigned char fill[2] = {0x80, 0xbf};

    for (int i = 0; i < 2; i++) {
        unsigned char whole[4] = {fill[i], fill[i], fill[i], fill[i]};

        memcpy(whole, data, length);
        if (utf8_sequence(whole, sizeof whole) > length)
            return true;
    }
    return false;
}

size_t utf8_cut_tail(const char *data, size_t length)
{
    for (size_t back = 1; back <= 3 && back <= length; back++) {
        const unsigned char *start = (const unsigned char *)data + length - back;

        if ((*start & 0xc0) != 0x80)
            return begins_sequence(start, back) ? back : 0;
    }
    return 0;
}

size_t utf8_cut_head(const char *data, size_t length)
{
    size_t cut = 0;

    while (cut < 3 && cut < length && ((unsigned char)data[cut] & 0xc0) == 0x80)
        cut++;
    return cut;
}

size_t utf8_read(const char *data, size_t length, unsigned long *code_point)
{
    const unsigned char *bytes = (const unsigned char *)data;
    const size_t sequence = utf8_sequence(bytes, length);

    if (sequence > 0)
        *code_point = sequence == 1 ? bytes[0] : bytes[0] & (0xffU >> (sequence + 1));
    for (size_t i = 1; i < sequence; i++)
        *code_point = *code_point << 6 | (bytes[i] & 0x3f);
    return sequence;
}

bool text_is_invisible(unsigned long code_point)
{
    static const struct {
        unsigned long first, last;
    } ranges[] = {
        {0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},     {0x200b, 0x200b},
        {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x2064},   {0x2066, 0x206f},
        {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
    };

    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code_point >= ranges[i].first && code_point <= ranges[i].last)
            return true;
    return false;
}

void text_add_escaped(struct strbuf *out, const char *data, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)data;
    unsigned long code_point;

    for (size_t at = 0; at < length;) {
        const size_t sequence = utf8_read(data + at, length - at, &code_point);
        const size_t taken = sequence > 0 ? sequence : 1;

        if (bytes[at] == '\n')
            strbuf_addstr(out, "\\n");
        else if (bytes[at] == '\t')
            strbuf_addstr(out, "\\t");
        else if (sequence > 0 && !text_is_invisible(code_point))
            strbuf_add(out, data + at, sequence);
        else
            for (size_t i = 0; i < taken; i++)
                strbuf_addf(out, "\\x%02x", bytes[at + i]);
        at += taken;
    }
}

char *text_escape(const char *string)
{
    struct strbuf out = STRBUF_INIT;

    text_add_escaped(&out, string, strlen(string));
    return strbuf_steal(&out);
}

char *text_escape_short(const char *string, size_t max_length)
{
    const size_t length = strlen(string);
    struct strbuf out = STRBUF_INIT;

    if (length <= max_length)
        return text_escape(string);
    text_add_escaped(&out, string, max_length - utf8_cut_tail(string, max_length));
    strbuf_addstr(&out, "...");
    return strbuf_steal(&out);
}

/* Edit distance (Levenshtein) of two words of at most 63 bytes. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t row[64];

    for (size_t j = 0; j <= b_length; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            const size_t above = row[j];
            size_t best =
                diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));

            if (above + 1 < best)
                best = above + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
            diagonal = above;
        }
    }
    return row[b_length];
}

const char *text_nearest(const char *word, const char *const *candidates, size_t count)
{
    const size_t length = strlen(word);
    const char *nearest = NULL;
    size_t best = length / 3 + 2; /* one typing error in three letters is near enough */

    if (length > 63)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const size_t candidate_length = strlen(candidates[i]);
        size_t distance;

        if (candidate_length > 63)
            continue;
        distance = edit_distance(word, length, candidates[i], candidate_length);
        if (distance > 1 && length >= 3 && strncasecmp(word, candidates[i], length) == 0)
            distance = 1; /* an abbreviation */
        /* With as many errors as letters, the two words would have nothing in common. */
        if (distance < best && distance < candidate_length) {
            best = distance;
            nearest = candidates[i];
        }
    }
    return nearest;
}

bool text_is_blank(const char *data, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (data[i] != ' ' && data[i] != '\t' && data[i] != '\r')
            return false;
    return true;
}

int text_hex_digit(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

const char *text_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}
