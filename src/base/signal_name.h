/*
 * The names of the signals of Linux.
 */
#ifndef BASE_SIGNAL_NAME_H
#define BASE_SIGNAL_NAME_H

/* The name of the signal with this number ("SIGKILL"); NULL if there is none. */
const char *signal_name(int number);

#endif
