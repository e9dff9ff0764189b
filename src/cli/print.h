/*
 * What a command prints on stdout, which may be a full pipe or a stopped terminal. A signal that
 * the command catches (base/signals.h) ends the wait, so that Ctrl-C and SIGTERM always work.
 * stdio is not used for stdout because it would block in write(2).
 *
 * After a signal or an error nothing more is printed. A process has only one stdout, so this
 * module has no handle. Only one thread may use it.
 */
#ifndef CLI_PRINT_H
#define CLI_PRINT_H

#include <stddef.h>

void print_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
void print_text(const char *text);
void print_bytes(const char *data, size_t length);

/*
 * Prints as much as fits now, without waiting for a reader or for a signal. Returns how many bytes
 * that are; all of them after an error, since nothing more is printed then.
 */
size_t print_available(const char *data, size_t length);

/* The errno of the first print that failed; 0: none. A signal is not an error. */
int print_failure(void);

#endif
