/*
 * The supervisor as a program that tries whether a limit is enforced (supervisor/probe.h): its
 * arguments, and what it prints.
 */
#ifndef BASE_LIMIT_PROBE_H
#define BASE_LIMIT_PROBE_H

/* The first argument, */
#define PROBE_OPTION "--probe"

/* and what it is to use as the next one, before two numbers: a part of the limit, and more than it.
 */
#define PROBE_MEMORY    "memory"    /* in MB */
#define PROBE_PROCESSES "processes" /* without itself */

/* The lines that it prints when it has the part, and when it has more than the limit. */
#define PROBE_BELOW  "below the limit\n"
#define PROBE_BEYOND "beyond the limit\n"

#endif
