#include "test.h"

#include <stdio.h>
#include <string.h>

#include "base/untar.h"

/*
 * What the handler got, one call a line: "file NAME SIZE x", "symlink NAME SIZE -> TARGET", with
 * "@TIME" if there is one; the content, and "end".
 */
static void note_begin(void *context, const struct untar_entry *entry)
{
    static const char *const types[] = {"file", "directory", "symlink", "hard-link", "other"};

    strbuf_addf(context, "%s %s %lld%s", types[entry->type], entry->name, entry->size,
                entry->executable ? " x" : "");
    if (*entry->target)
        strbuf_addf(context, " -> %s", entry->target);
    if (entry->modified != 0)
        strbuf_addf(context, " @%lld", entry->modified);
    strbuf_addch(context, '\n');
}

static void note_content(void *context, const char *data, size_t length)
{
    strbuf_add(context, data, length);
}

static void note_end(void *context)
{
    strbuf_addstr(context, "end\n");
}

static const struct untar_handler handler = {note_begin, note_content, note_end};

/* Computes the checksum of a header again. */
static void set_checksum(char *block)
{
    unsigned sum = 0;

    memset(block + 148, ' ', 8);
    for (int i = 0; i < UNTAR_BLOCK; i++)
        sum += (unsigned char)block[i];
    snprintf(block + 148, 8, "%06o", sum);
}

/* Adds a header with these fields for mode and size. */
static void add_header(struct strbuf *tar, const char *name, char type, const char *size,
                       const char *mode)
{
    char block[UNTAR_BLOCK] = "";

    snprintf(block, 100, "%s", name);
    memcpy(block + 100, mode, strlen(mode));
    memcpy(block + 124, size, strlen(size));
    memcpy(block + 136, "00000000000", 11);
    block[156] = type;
    memcpy(block + 257, "ustar\00000", 8);
    set_checksum(block);
    strbuf_add(tar, block, sizeof block);
}

/* Writes another field into the header that was added last. */
static void put_field(struct strbuf *tar, size_t at, const char *text, size_t length)
{
    char *block = tar->data + tar->length - UNTAR_BLOCK;

    memcpy(block + at, text, length);
    set_checksum(block);
}

enum { MODIFIED = 136, TARGET = 157, PREFIX = 345 };

static void add_content(struct strbuf *tar, const char *data, size_t length)
{
    static const char zeros[UNTAR_BLOCK];

    strbuf_add(tar, data, length);
    strbuf_add(tar, zeros, (UNTAR_BLOCK - length % UNTAR_BLOCK) % UNTAR_BLOCK);
}

static void add_end(struct strbuf *tar)
{
    static const char zeros[2 * UNTAR_BLOCK];

    strbuf_add(tar, zeros, sizeof zeros);
}

/* Feeds the archive in pieces of each size; the result must always be the same. Releases it. */
static void check(struct strbuf *tar, const char *expected, bool done, const char *message)
{
    static const size_t pieces[] = {1, 7, 511, 512, 513, 100000};

    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        CLEANUP(strbuf_release) struct strbuf notes = STRBUF_INIT;
        CLEANUP(error_release) struct error error = ERROR_INIT;
        struct untar untar;
        int result = 0;

        untar_init(&untar, &handler, &notes);
        for (size_t at = 0; at < tar->length && result == 0; at += pieces[i]) {
            const size_t left = tar->length - at;
            result =
                untar_feed(&untar, tar->data + at, left < pieces[i] ? left : pieces[i], &error);
        }
        assert_string_equal(strbuf_string(&notes), expected);
        assert_int_equal(untar_done(&untar), done);
        assert_string_equal(error.message ? error.message : "", message);
        assert_int_equal(result, *message ? -1 : 0);
        untar_release(&untar);
    }
    strbuf_release(tar);
}

CASE(untar__files)
{
    struct strbuf tar = STRBUF_INIT;

    add_header(&tar, "./", '5', "00000000000", "0000755");
    add_header(&tar, "./a", '0', "00000000003", "0000644");
    add_content(&tar, "abc", 3);
    add_header(&tar, "./empty", '0', "00000000000", "0000755");
    add_header(&tar, "old/", '\0', "00000000000", "0000755");
    add_header(&tar, "link", '2', "00000000000", "0000777");
    add_header(&tar, "hard", '1', "00000000011", "0000644"); /* the size of what it links to */
    add_header(&tar, "fifo", '6', "00000000000", "0000644");
    add_header(&tar, "z", '7', "         2 ", "0000644");
    add_content(&tar, "zz", 2);
    add_end(&tar);
    strbuf_addstr(&tar, "dropped");
    check(&tar,
          "directory ./ 0 x\nfile ./a 3\nabcend\nfile ./empty 0 x\nend\ndirectory old/ 0 x\n"
          "symlink link 0 x\nhard-link hard 0\nother fifo 0\nfile z 2\nzzend\n",
          true, "");
}

CASE(untar__long_names)
{
    struct strbuf tar = STRBUF_INIT;

    add_header(&tar, "././@LongLink", 'L', "00000000007", "0000644");
    add_content(&tar, "a/long\0", 7);
    add_header(&tar, "a/lo", '0', "00000000001", "0000644");
    add_content(&tar, "1", 1);
    add_header(&tar, "PaxHeaders/b", 'x', "00000000057", "0000644");
    add_content(&tar, "30 mtime=1350244992.023960108\n17 path=b/\xc3\xa4\xc3\xb6.c\n", 47);
    add_header(&tar, "b", '0', "00000000001", "0000644");
    add_content(&tar, "2", 1);
    add_header(&tar, "PaxHeaders/c", 'x', "00000000011", "0000644");
    add_content(&tar, "9 size=2\n", 9);
    add_header(&tar, "c", '0', "00000000000", "0000644");
    add_content(&tar, "33", 2);
    add_header(&tar, "global", 'g', "00000000017", "0000644");
    add_content(&tar, "15 comment=abc\n", 15);
    add_header(&tar, "d", '0', "\x80\0\0\0\0\0\0\0\0\0\0\1", "0000644");
    add_end(&tar);
    check(&tar,
          "file a/long 1\n1end\nfile b/\xc3\xa4\xc3\xb6.c 1\n2end\nfile c 2\n33end\n"
          "file d 0\nend\n",
          true, "");
}

CASE(untar__prefix)
{
    struct strbuf tar = STRBUF_INIT;

    add_header(&tar, "name", '0', "00000000000", "0000644");
    put_field(&tar, PREFIX, "the/prefix", 10);
    check(&tar, "file the/prefix/name 0\nend\n", false, "");
}

CASE(untar__targets_of_links)
{
    char longest[100];
    struct strbuf tar = STRBUF_INIT;
    CLEANUP_FREE char *expected = NULL;

    memset(longest, 't', sizeof longest);
    add_header(&tar, "short", '2', "00000000000", "0000777");
    put_field(&tar, TARGET, "to/it", 5);
    add_header(&tar, "hard", '1', "00000000000", "0000644");
    put_field(&tar, TARGET, "it", 2);
    add_header(&tar, "full", '2', "00000000000", "0000777"); /* the field has no NUL */
    put_field(&tar, TARGET, longest, sizeof longest);
    add_header(&tar, "file", '0', "00000000000", "0000644"); /* that is no link */
    put_field(&tar, TARGET, "nothing", 7);
    add_end(&tar);
    expected = string_format("symlink short 0 x -> to/it\nhard-link hard 0 -> it\n"
                             "symlink full 0 x -> %.100s\nfile file 0\nend\n",
                             longest);
    check(&tar, expected, true, "");
}

/* Both orders of a long name and a long target; a long target is only for the next entry. */
CASE(untar__long_targets)
{
    struct strbuf tar = STRBUF_INIT;

    add_header(&tar, "././@LongLink", 'K', "00000000006", "0000644");
    add_content(&tar, "long/t\0", 7);
    add_header(&tar, "././@LongLink", 'L', "00000000006", "0000644");
    add_content(&tar, "long/n\0", 7);
    add_header(&tar, "long", '2', "00000000000", "0000777");
    put_field(&tar, TARGET, "lon", 3);
    add_header(&tar, "././@LongLink", 'L', "00000000003", "0000644");
    add_content(&tar, "n\0\0", 3);
    add_header(&tar, "././@LongLink", 'K', "00000000003", "0000644");
    add_content(&tar, "t\0\0", 3);
    add_header(&tar, "x", '2', "00000000000", "0000777");
    add_header(&tar, "next", '2', "00000000000", "0000777");
    put_field(&tar, TARGET, "own", 3);
    add_end(&tar);
    check(&tar,
          "symlink long/n 0 x -> long/t\nsymlink n 0 x -> t\n"
          "symlink next 0 x -> own\n",
          true, "");
}

CASE(untar__modification_times)
{
    struct strbuf tar = STRBUF_INIT;

    add_header(&tar, "a", '0', "00000000000", "0000644");
    put_field(&tar, MODIFIED, "13636325337", 11);
    add_header(&tar, "b", '0', "00000000000", "0000644");
    put_field(&tar, MODIFIED, "\x80\0\0\0\0\0\0\2\0\0\0\0", 12);
    add_header(&tar, "c", '0', "00000000000", "0000644");
    put_field(&tar, MODIFIED, "nonumber   ", 11);
    add_end(&tar);
    check(&tar, "file a 0 @1585031903\nend\nfile b 0 @8589934592\nend\nfile c 0 @-1\nend\n", true,
          "");
}

CASE(untar__cut_off)
{
    struct strbuf tar = STRBUF_INIT;

    add_header(&tar, "a", '0', "00000001000", "0000644");
    strbuf_addstr(&tar, "abc");
    check(&tar, "file a 512\nabc", false, "");
    check(&tar, "", false, "");
}

static void check_refused(char type, const char *size, const char *content, const char *message)
{
    struct strbuf tar = STRBUF_INIT;

    add_header(&tar, "a", type, size, "0000644");
    add_content(&tar, content, strlen(content));
    check(&tar, "", false, message);
}

CASE(untar__refuses)
{
    static const char no_pax[] = "a pax header cannot be read";
    static const char no_size[] = "the size of an entry cannot be read";
    struct strbuf tar = STRBUF_INIT;

    check_refused('0', "0000000000x", "", no_size);
    check_refused('0', "-0000000001", "", no_size);
    check_refused('0', "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "", no_size);
    check_refused('0', "\x80\x7f\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "", no_size);
    check_refused('S', "00000000000", "", no_size);
    check_refused('L', "77777777777", "", "a name has more than 65536 bytes");
    check_refused('K', "00000200001", "", "a name has more than 65536 bytes");
    check_refused('x', "00000200001", "", "a name has more than 65536 bytes");
    check_refused('x', "00000000007", "6 a=b\n\n", no_pax);
    check_refused('x', "00000000006", "9 a=b\n", no_pax);
    check_refused('x', "00000000006", "0 a=b\n", no_pax);
    check_refused('x', "00000000006", "6 a=bc", no_pax);
    check_refused('x', "00000000006", "6 abc\n", no_pax);
    check_refused('x', "00000000006", "999999", no_pax);
    check_refused('x', "00000000012", "10 size=-1\n", no_pax);
    check_refused('x', "00000000013", "11 size=-1\n", no_size);
    check_refused('x', "00000000026", "22 GNU.sparse.major=1\n", "a sparse file cannot be read");
    check_refused('x', "00000000040", "32 size=99999999999999999999999\n", no_size);
    add_header(&tar, "a", '0', "00000000000", "0000644");
    tar.data[0] ^= 1;
    check(&tar, "", false, "the checksum of an entry is wrong");
}
