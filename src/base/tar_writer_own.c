#include "base/tar_writer.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"

/*
 * The header is described in GNU tar's manual, "Basic Tar Format". Where that leaves a choice, this
 * does what libtar does: numbers are padded with blanks, the mode includes the type, and the length
 * of a long name does not count a NUL.
 */
struct header {
    char name[100]; /* without a NUL if it is full */
    char mode[8];
    char uid[8];
    char gid[8];
    char size[12];
    char modified[12];
    char checksum[8];
    char type;
    char target[100];
    char magic[8];
    char rest[247]; /* names of the owner, devices, and so on: all zeros */
};

_Static_assert(sizeof(struct header) == TAR_WRITER_BLOCK, "a header is a block");

/* What a header holds of a name or a target, which is followed by a NUL. */
enum { SHORT_MAX = 99 };

static char type_of(mode_t mode)
{
    return S_ISDIR(mode) ? '5' : S_ISLNK(mode) ? '2' : S_ISFIFO(mode) ? '6' : '0';
}

static void set_text(char *field, size_t size, const char *text)
{
    const size_t length = strlen(text);

    memcpy(field, text, length < size ? length : size);
}

/* Writes octal digits up to the end of the field, which has a blank there. */
static void set_number(char *field, size_t size, unsigned long number)
{
    char text[24];

    snprintf(text, sizeof text, "%*lo ", (int)size - 1, number);
    memcpy(field, text, size);
}

/* The same with a blank and a NUL at the end. */
static void set_number_with_nul(char *field, size_t size, unsigned long number)
{
    set_number(field, size - 1, number);
    field[size - 1] = '\0';
}

/* Writes the header with the sum of its bytes, in which the checksum itself counts as blanks. */
static int write_header(int file, struct header *header)
{
    const unsigned char *bytes = (const unsigned char *)header;
    unsigned long sum = 0;

    memset(header->checksum, ' ', sizeof header->checksum);
    for (size_t i = 0; i < sizeof *header; i++)
        sum += bytes[i];
    set_number_with_nul(header->checksum, sizeof header->checksum, sum);
    return io_write_all(file, header, sizeof *header);
}

/* Writes an entry of type 'L' or 'K' with the text, and for the rest with what is in the header. */
static int write_long(int file, struct header header, char type, const char *text)
{
    static const char zeros[TAR_WRITER_BLOCK];
    const size_t length = strlen(text);
    const size_t last = length % TAR_WRITER_BLOCK;

    header.type = type;
    set_number(header.size, sizeof header.size, length);
    if (write_header(file, &header) != 0 || io_write_all(file, text, length) != 0)
        return -1;
    return last == 0 ? 0 : io_write_all(file, zeros, TAR_WRITER_BLOCK - last);
}

int tar_writer_add_header(int file, const struct tar_writer_entry *entry)
{
    struct header header = {.type = type_of(entry->mode), .magic = "ustar  "};
    const size_t name_length = strlen(entry->name);
    const bool long_target = strlen(entry->target) > SHORT_MAX;

    set_text(header.name, sizeof header.name, entry->name);
    if (S_ISDIR(entry->mode) && name_length < SHORT_MAX)
        header.name[name_length] = '/'; /* if there is room for it */
    set_text(header.target, sizeof header.target, long_target ? "././@LongLink" : entry->target);
    set_number_with_nul(header.mode, sizeof header.mode, entry->mode);
    set_number(header.uid, sizeof header.uid, entry->uid);
    set_number(header.gid, sizeof header.gid, entry->gid);
    set_number(header.size, sizeof header.size, (unsigned long)entry->size);
    set_number(header.modified, sizeof header.modified, (unsigned long)entry->modified);
    if (long_target && write_long(file, header, 'K', entry->target) != 0)
        return -1;
    if (name_length > SHORT_MAX && write_long(file, header, 'L', entry->name) != 0)
        return -1;
    return write_header(file, &header);
}

int tar_writer_add_end(int file)
{
    static const char zeros[2 * TAR_WRITER_BLOCK];

    return io_write_all(file, zeros, sizeof zeros);
}
