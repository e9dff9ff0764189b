/*
 * The manual pages, which are built in as text, for systems on which only the program is installed.
 * The Makefile makes them of what the programs themselves print (man/options.awk): so it links
 * programs without pages first, and only those have none.
 */
#ifndef CONFIG_MANUAL_H
#define CONFIG_MANUAL_H

struct manual_page {
    const char *name; /* "isolator-gc"; NULL after the last page */
    const char *text; /* ASCII, 78 columns except for examples */
};

extern const struct manual_page manual_pages[]; /* generated */

/*
 * The text of the page that describes a command ("gc"), a program or a file ("isolator-mcp",
 * "isolator_config.json"); static. NULL: there is none.
 */
const char *manual_find(const char *name);

#endif
