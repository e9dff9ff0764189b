/*
 * `isolator batch`: a stream of requests, one JSON object a line, to a stream of results, one a line as
 * each finishes; several at a time, in sandboxes that wait where there are any. Nothing is kept of a
 * line once it is answered.
 */
#ifndef CLI_BATCH_COMMAND_H
#define CLI_BATCH_COMMAND_H

/* argv[0] is "batch". Returns the exit status of the process. */
int batch_command(int argc, char **argv);

#endif
