#define _GNU_SOURCE
#include "supervisor/entries.h"

#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* struct linux_dirent64 of getdents64(2). */
struct record {
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    unsigned char type;
    char name[];
};

void entries_open(struct entries *entries, int directory)
{
    lseek(directory, 0, SEEK_SET);
    entries->directory = directory;
    entries->at = entries->filled = 0;
}

int entries_next(struct entries *entries, struct entry *entry)
{
    do {
        const struct record *record;

        if (entries->at == entries->filled) {
            const long got =
                syscall(SYS_getdents64, entries->directory, entries->bytes, sizeof entries->bytes);

            if (got <= 0)
                return (int)got;
            entries->at = 0;
            entries->filled = (size_t)got;
        }
        record = (const struct record *)(const void *)(entries->bytes + entries->at);
        entries->at += record->length;
        *entry = (struct entry){record->name, record->type};
    } while (strcmp(entry->name, ".") == 0 || strcmp(entry->name, "..") == 0);
    return 1;
}
