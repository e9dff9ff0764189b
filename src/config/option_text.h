/*
 * How people write an option and read of it: the part of its row that does not depend on where its
 * value goes. See config/options.h for rows.
 */
#ifndef CONFIG_OPTION_TEXT_H
#define CONFIG_OPTION_TEXT_H

struct option_text {
    int letter;           /* 0: none; 'h' ends the command line */
    const char *name;     /* "--memory" */
    const char *argument; /* NULL: none; in brackets: may be missing, and follows a "=" */
    const char *help;     /* its line of --help */
    /* For people, while the configuration may have another; NULL: none, or the texts say it. */
    const char *by_default;
    const char *manual; /* its paragraph in the manual page, in the form of man/options.awk */
};

#endif
