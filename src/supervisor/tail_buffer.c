#define _GNU_SOURCE
#include "supervisor/tail_buffer.h"

#include <string.h>
#include <sys/mman.h>

bool tail_buffer_begin(struct tail_buffer *tail, uint64_t max)
{
    void *bytes;

    tail->first = tail->length = tail->max = 0;
    if (max > tail->allocated) {
        if (tail->allocated > 0)
            munmap(tail->bytes, tail->allocated);
        tail->allocated = 0;
        if (max > SIZE_MAX / 2)
            return false;
        bytes = mmap(NULL, (size_t)max, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (bytes == MAP_FAILED)
            return false;
        memset(bytes, 1, (size_t)max);
        tail->bytes = bytes;
        tail->allocated = (size_t)max;
    }
    tail->max = (size_t)max;
    return true;
}

void tail_buffer_add(struct tail_buffer *tail, const char *bytes, size_t length)
{
    const size_t skipped = length > tail->max ? length - tail->max : 0;
    size_t after;

    for (size_t done = skipped; done < length;) {
        const size_t at = (tail->first + tail->length) % tail->max;
        const size_t left = length - done, space = tail->max - at;
        const size_t part = left < space ? left : space;

        memcpy(tail->bytes + at, bytes + done, part);
        done += part;
        after = tail->length + part;
        tail->length = after < tail->max ? after : tail->max;
        tail->first = (tail->first + after - tail->length) % tail->max;
    }
}

size_t tail_buffer_peek(const struct tail_buffer *tail, const char **bytes)
{
    const size_t until_end = tail->max - tail->first;

    *bytes = tail->bytes ? tail->bytes + tail->first : NULL;
    return tail->length < until_end ? tail->length : until_end;
}

void tail_buffer_drop(struct tail_buffer *tail, size_t length)
{
    tail->length -= length;
    tail->first = tail->length > 0 ? (tail->first + length) % tail->max : 0;
}
