#include "test.h"

#include <limits.h>
#include <time.h>

#include "base/archive.h"
#include "base/io.h"
#include "base/linux.h"
#include "base/memory.h"
#include "base/tar_writer.h"

/*
 * Our own writer beside libtar's: they write the same bytes. base.a has that of libtar, and ours is
 * compiled here under other names.
 */
static int own_add_header(int file, const struct tar_writer_entry *entry);
static int own_add_end(int file);
#define tar_writer_add_header own_add_header
#define tar_writer_add_end    own_add_end
#include "base/tar_writer_own.c"
#undef tar_writer_add_header
#undef tar_writer_add_end

enum { MIB = 1 << 20 };

static char content[MIB];

static void add_to(int file, int (*add_header)(int, const struct tar_writer_entry *),
                   const struct tar_writer_entry *entry)
{
    const size_t size = entry->size > MIB ? 0 : (size_t)entry->size; /* a header may be enough */

    assert_int_equal(add_header(file, entry), 0);
    assert_int_equal(io_write_all(file, content, size), 0);
    assert_int_equal(io_write_all(file, (char[512]){0}, (512 - size % 512) % 512), 0);
}

static struct strbuf bytes_of(int file)
{
    assert_int_equal(lseek(file, 0, SEEK_SET), 0);
    return read_all(file);
}

/* The archive of these entries, which both writers wrote alike. The caller releases it. */
static struct strbuf both(const struct tar_writer_entry *entries, size_t count)
{
    CLEANUP_FD int own = linux_unnamed_file();
    CLEANUP_FD int libtar = linux_unnamed_file();
    struct strbuf expected, got;

    for (size_t i = 0; i < count; i++) {
        add_to(own, own_add_header, &entries[i]);
        add_to(libtar, tar_writer_add_header, &entries[i]);
    }
    assert_int_equal(own_add_end(own), 0);
    assert_int_equal(tar_writer_add_end(libtar), 0);
    expected = bytes_of(libtar);
    got = bytes_of(own);
    assert_int_equal(got.length, expected.length);
    for (size_t at = 0; at < got.length; at += 512)
        if (memcmp(got.data + at, expected.data + at, 512) != 0) {
            print_error("block %zu of the archive\n", at / 512);
            assert_memory_equal(got.data + at, expected.data + at, 512);
        }
    strbuf_release(&expected);
    return got;
}

/* An owned text of this many bytes, for a name or a target: all bytes except NUL and '/'. */
static char *text_of(size_t length, unsigned char first)
{
    char *text = memory_allocate(length + 1);

    for (size_t i = 0; i < length; i++) {
        const unsigned char byte = (unsigned char)(first + i);

        text[i] = (char)(byte == '\0' || byte == '/' ? 'x' : byte);
    }
    text[length] = '\0';
    return text;
}

static struct tar_writer_entry plain(mode_t mode, const char *name, const char *target, off_t size)
{
    return (struct tar_writer_entry){
        .name = name, .target = target, .mode = mode, .size = size, .modified = 1000000000};
}

static void check(const struct tar_writer_entry *entries, size_t count)
{
    struct strbuf archive = both(entries, count);

    strbuf_release(&archive);
}

static void check_one(struct tar_writer_entry entry)
{
    check(&entry, 1);
}

static const size_t lengths[] = {1,   98,  99,  100, 101, 154,  155,  156,  254, 255,
                                 256, 511, 512, 513, 600, 1023, 1024, 1025, 4000};

CASE(tar_writers__names)
{
    for (size_t i = 0; i < COUNT(lengths); i++)
        for (int first = 0; first < 256; first += 16) {
            CLEANUP_FREE char *name = text_of(lengths[i], (unsigned char)first);

            check_one(plain(S_IFREG | 0644, name, "", 0));
            check_one(plain(S_IFDIR | 0755, name, "", 0));
            check_one(plain(S_IFLNK | 0777, name, "target", 0));
        }
}

CASE(tar_writers__targets)
{
    for (size_t i = 0; i < COUNT(lengths); i++)
        for (size_t j = 0; j < COUNT(lengths); j++) {
            CLEANUP_FREE char *name = text_of(lengths[i], 0x80);
            CLEANUP_FREE char *target = text_of(lengths[j], 'a');

            check_one(plain(S_IFLNK | 0777, name, target, 0));
        }
}

CASE(tar_writers__sizes)
{
    static const off_t sizes[] = {
        0, 1, 511, 512, 513, 1023, 65536, MIB - 1, MIB, MIB + 1, ARCHIVE_FILE_MAX};

    for (size_t i = 0; i < COUNT(sizes); i++) {
        CLEANUP_FREE char *long_name = text_of(300, 'n');

        check_one(plain(S_IFREG | 0644, "file", "", sizes[i]));
        check_one(plain(S_IFREG | 0755, long_name, "", sizes[i]));
    }
}

CASE(tar_writers__owners_modes_and_times)
{
    static const unsigned ids[] = {0, 1, 1000, 65534, 0777777, ARCHIVE_ID_MAX};
    static const mode_t types[] = {S_IFREG, S_IFDIR, S_IFLNK};
    static const time_t times[] = {0, 1, 1000000000, INT_MAX};

    for (size_t i = 0; i < COUNT(ids); i++)
        for (size_t j = 0; j < COUNT(types); j++)
            for (size_t k = 0; k < COUNT(times); k++)
                for (mode_t mode = 0; mode <= 07777; mode = mode * 8 + 7)
                    check_one((struct tar_writer_entry){"name", types[j] == S_IFLNK ? "target" : "",
                                                        types[j] | mode, ids[i], ids[5 - i], 0,
                                                        times[k]});
}

/* ---- many entries */

static unsigned random_below(unsigned long long *seed, unsigned most)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(*seed >> 33) % most;
}

/* Mostly around the length at which an entry of its own begins; with slashes, but none at the end.
 */
static char *random_text(unsigned long long *seed)
{
    const size_t length = 1 + random_below(seed, random_below(seed, 4) ? 130 : 5000);
    char *text = text_of(length, (unsigned char)random_below(seed, 256));

    for (size_t at = random_below(seed, 60) + 1; at + 1 < length; at += random_below(seed, 60) + 2)
        text[at] = '/';
    return text;
}

static struct tar_writer_entry random_entry(unsigned long long *seed, char *name, char *target)
{
    static const mode_t types[] = {S_IFREG, S_IFDIR, S_IFLNK};
    const mode_t type = types[random_below(seed, 3)];

    return (struct tar_writer_entry){
        .name = name,
        .target = type == S_IFLNK ? target : "",
        .mode = type | random_below(seed, 010000),
        .uid = random_below(seed, ARCHIVE_ID_MAX + 1),
        .gid = random_below(seed, ARCHIVE_ID_MAX + 1),
        .size = type == S_IFREG ? random_below(seed, 2000) : 0,
        .modified = random_below(seed, INT_MAX),
    };
}

/* Another tar reads the archive: it lists so many entries, and prints nothing else. */
static void check_listing(const struct strbuf *archive, size_t count)
{
    char *directory = temp_create();
    CLEANUP_FREE char *path = path_in(directory, "archive.tar");
    CLEANUP_FREE char *command =
        string_format("LC_ALL=C tar --quoting-style=escape -tvf %s 2>&1 | awk "
                      "'/^[-dl][-rwxsStT]+ / { n++; next } { print } END { print n }'",
                      path);
    CLEANUP_FREE char *expected = string_format("%zu\n", count);
    struct strbuf output;

    write_bytes(path, archive->data, archive->length, 0644);
    output = shell_output(command);
    assert_string_equal(strbuf_string(&output), expected);
    strbuf_release(&output);
    temp_remove(directory);
}

/* SEED repeats a run. */
CASE(tar_writers__random_entries)
{
    enum { ENTRIES = 2000 };
    struct tar_writer_entry entries[ENTRIES];
    char *names[ENTRIES], *targets[ENTRIES];
    unsigned long long seed =
        getenv("SEED") ? strtoull(getenv("SEED"), NULL, 10) : (unsigned long long)time(NULL);
    struct strbuf archive;

    print_message("SEED=%llu\n", seed);
    for (size_t i = 0; i < ENTRIES; i++) {
        names[i] = random_text(&seed);
        targets[i] = random_text(&seed);
        entries[i] = random_entry(&seed, names[i], targets[i]);
    }
    archive = both(entries, ENTRIES);
    check_listing(&archive, ENTRIES);
    strbuf_release(&archive);
    for (size_t i = 0; i < ENTRIES; i++) {
        free(names[i]);
        free(targets[i]);
    }
}

static int set_up_group(void **state)
{
    (void)state;
    for (size_t i = 0; i < MIB; i++)
        content[i] = (char)(i * 31 + i / 256);
    return 0;
}
