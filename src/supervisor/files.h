/*
 * Files of a workspace: what isolator cp and isolator ls run in it as its program, so that it has
 * the rights and the limits of a program, and can be ended as one.
 *
 *     FILE FILES_OPTION list PATH       the names in a directory, or the file itself, on stdout
 *     FILE FILES_OPTION archive PATH... these files and directories as a tar archive on stdout,
 *                                       each under the last name of its path; "DIR/." is what is in
 *                                       a directory. As supervisor/collect.h says, links and other
 *                                       kinds of files are only named
 *     FILE FILES_OPTION unpack PATH     unpacks an archive from stdin. Its files get into PATH if
 *                                       that is a directory or ends with a slash, and else the one
 *                                       that it has becomes PATH. Missing directories are made
 *
 *     FILE FILES_OPTION nothing         for a request that only sends or collects files
 *
 * An entry of a list is a letter (f file, d directory, l link, o other), its permissions in octal
 * digits, its bytes, and its time of modification in seconds since 1970, with a space after each,
 * its name, and a NUL. The list has no order, and at most COLLECT_ENTRIES_MAX entries.
 *
 * The exit status is 0, or 1 after a message on stderr.
 */
#ifndef SUPERVISOR_FILES_H
#define SUPERVISOR_FILES_H

/* `arguments` begins after FILES_OPTION and ends with NULL. */
int files_main(char **arguments);

#endif
