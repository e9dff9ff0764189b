/*
 * What a command prints on stdout, which may be a pipe that nobody reads or a stopped terminal: a
 * signal that the command catches (base/signals.h) ends the wait for room, so that Ctrl-C and SIGTERM
 * always work. stdio is not used for stdout, since it would wait in write(2).
 *
 * After a signal, or after an error, nothing more is printed. stdout is one of the things that a
 * process truly has once, so this module has no handle. One thread uses it.
 */
#ifndef CLI_PRINT_H
#define CLI_PRINT_H

#include <stddef.h>

void print_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
void print_text(const char *text);
void print_bytes(const char *data, size_t length);

/* The errno of the first print that failed; 0: none has. A signal is no error. */
int print_error(void);

#endif
