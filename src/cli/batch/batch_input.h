/*
 * The lines of the input of `isolator batch`. Stops at a signal (signals_cancel()).
 */
#ifndef CLI_BATCH_INPUT_H
#define CLI_BATCH_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json_text.h"
#include "base/lines.h"

struct batch_input {
    int fd; /* borrowed */
    struct lines lines;
    long long number; /* of the last line that was returned, from 1; blank ones count */
    int error;        /* errno of a failed read; 0: none */
    bool ended;
};

#define BATCH_INPUT_INIT(descriptor)                                                               \
    {                                                                                              \
        .fd = (descriptor), .lines = LINES_INIT(JSON_TEXT_MAX)                                     \
    }

/*
 * Returns the next line that is not blank, borrowed until the next call; *text is NULL if it is too
 * long. False: there is no whole line yet.
 */
bool batch_input_next(struct batch_input *input, const char **text, size_t *length);

/* Reads more when there is some, the end, or an error. */
void batch_input_read(struct batch_input *input);

/* Waits until a descriptor is readable. False if a signal arrived or poll() failed. */
bool batch_input_wait(int fd);

void batch_input_release(struct batch_input *input);

#endif
