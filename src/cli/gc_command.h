/*
 * `isolator gc`: removes what isolators that were killed have left behind, by hand; each start of
 * isolator does the same by itself.
 */
#ifndef CLI_GC_COMMAND_H
#define CLI_GC_COMMAND_H

/* argv[0] is "gc". Returns the exit status of the process. */
int gc_command(int argc, char **argv);

#endif
