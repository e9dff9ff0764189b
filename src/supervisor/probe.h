/*
 * A program that finds out whether a limit is enforced: it goes to a part of the limit, and then
 * beyond it. isolator sends this binary like any program (run/enforcement_probe.h); its arguments
 * and what it prints are in supervisor/protocol.h.
 */
#ifndef SUPERVISOR_PROBE_H
#define SUPERVISOR_PROBE_H

/*
 * Runs with the arguments after PROBE_OPTION. Returns the exit status: 0 after both lines, 1 if it
 * was refused more before, 2 if the arguments are wrong.
 */
int probe(char **arguments);

#endif
