/*
 * The code of a Jupyter notebook, for `isolator session`: a file of JSON, nbformat 4, whose cells
 * of code are run in their order. Its outputs, text and attachments are not looked at.
 */
#ifndef CLI_NOTEBOOK_H
#define CLI_NOTEBOOK_H

#include <stdbool.h>

#include "base/error.h"
#include "base/strvec.h"

struct notebook {
    struct strvec cells; /* of code */
    char *language;      /* owned; NULL: the notebook does not say it */
};

#define NOTEBOOK_INIT                                                                              \
    {                                                                                              \
        STRVEC_INIT, NULL                                                                          \
    }

/* Whether the name of a file says that it is a notebook. */
bool notebook_is_name(const char *file);

/*
 * Reads a notebook from the descriptor, to its end. `name` is that of the file, for messages.
 * ERROR_INPUT if it cannot be read, has more than 64 MiB or 200000 values, or is no notebook.
 */
int notebook_read(struct notebook *notebook, int fd, const char *name, struct error *error);
void notebook_release(struct notebook *notebook);

#endif
