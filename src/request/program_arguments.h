/*
 * The arguments that say which program runs: its language, its code, a file of a batch or a
 * snippet, its name and its image, and which of its files are returned. For tool_arguments.c alone.
 * The errors are ERROR_USAGE, as in request/argument_values.h, or ERROR_INPUT if a file cannot be
 * read.
 */
#ifndef REQUEST_PROGRAM_ARGUMENTS_H
#define REQUEST_PROGRAM_ARGUMENTS_H

#include <jansson.h>

#include "request/reading.h"

int program_argument_language(struct reading *reading, const char *name, const json_t *value);
int program_argument_image(struct reading *reading, const char *name, const json_t *value);
int program_argument_code(struct reading *reading, const char *name, const json_t *value);
int program_argument_filename(struct reading *reading, const char *name, const json_t *value);
int program_argument_shell(struct reading *reading, const char *name, const json_t *value);
int program_argument_snippet(struct reading *reading, const char *name, const json_t *value);
int program_argument_artifacts(struct reading *reading, const char *name, const json_t *value);

/* A file below the directory of programs. Its extension is the language if none is given. */
int program_argument_file(struct reading *reading, const char *name, const json_t *value);

/*
 * Checks that the arguments, those that are given, name one program. The schema cannot say that:
 * APIs of models refuse a schema with a choice at its top.
 */
int program_arguments_check(const struct reading *reading, const json_t *arguments);

#endif
