/*
 * The system calls that a program may not make, in addition to those that the engine refuses. The
 * filter protects process 1, which has the program's user, and closes parts of the kernel that
 * no program needs. A refused call gets an errno, so that programs can fall back.
 */
#ifndef SUPERVISOR_FILTER_H
#define SUPERVISOR_FILTER_H

/* Installs the filter for this process and all that it starts; cannot be undone. 0, or an errno. */
int filter_install(void);

#endif
