/*
 * Commands of a language, with marks for what differs from program to program:
 *
 *     {entrypoint}  the path of the program in the working directory: "src/main.c"
 *     {stem}        the same without its extension: "src/main"
 *     {workdir}     the absolute path of the working directory: "/workspace"
 *     {standard}    of the language: "gnu++20"; a word with it is left out if there is none
 *     {sources}     only as a whole word of a build: one word for each file of the language in the
 *                   directory of the entrypoint, which comes first: "./src/main.c" "./src/util.c"
 *
 * The command of a session has other marks:
 *
 *     {python_driver}, {javascript_driver}  the text of the driver (config/drivers.h)
 *     {workdir}                             as above
 */
#ifndef CONFIG_COMMAND_TEMPLATE_H
#define CONFIG_COMMAND_TEMPLATE_H

#include <stdbool.h>

#include "base/strvec.h"

#define COMMAND_ENTRYPOINT "{entrypoint}"
#define COMMAND_SOURCES    "{sources}"
#define COMMAND_STANDARD   "{standard}"

/* Appends the words with their marks replaced, but {sources}; NULL: there is no standard. */
void command_fill(struct strvec *command, const struct strvec *words, const char *entrypoint,
                  const char *workdir, const char *standard);

/* The same for the command of a session. */
void command_fill_session(struct strvec *command, const struct strvec *words, const char *workdir);

/* Whether a word of the command has the mark in it. */
bool command_has(const struct strvec *words, const char *mark);

#endif
