/*
 * What --help and the manual say of the options that isolator create or exec alone has; for rows of
 * cli/run_option_table.c.
 */
#ifndef CLI_WORKSPACES_WORKSPACE_OPTION_TEXTS_H
#define CLI_WORKSPACES_WORKSPACE_OPTION_TEXTS_H

#define WORKSPACE_TEXT_LANGUAGE                                                                    \
    {                                                                                              \
        'l', "--language", "NAME", "its image and variables (default: python)", NULL,              \
            "The language whose image and variables the workspace has, by its name or an alias. "  \
            "The "                                                                                 \
            "default is python."                                                                   \
    }

#define WORKSPACE_TEXT_NAME                                                                        \
    {                                                                                              \
        0, "--name", "NAME", "name of the workspace, in place of its id", NULL,                    \
            "Another name for the workspace than its id, for the commands that take one: up to "   \
            "64 "                                                                                  \
            "letters, digits, _ . and -, and not only digits from 0 to 9 and a to f."              \
    }

#define WORKSPACE_TEXT_SHELL                                                                       \
    {                                                                                              \
        0, "--shell", NULL, "run code in the shell of the workspace", NULL,                        \
            "The word after two dashes is CODE for the shell of the workspace, see SHELL."         \
    }

#define WORKSPACE_TEXT_LIFETIME                                                                    \
    {                                                                                              \
        0, "--lifetime", "DURATION", "it ends after this time (default: 8h)", NULL,                \
            "After how long the workspace ends, whatever runs in it, like 30m or 8h. The "         \
            "default, and "                                                                        \
            "the most, is *workspaces.lifetimeSeconds* of the configuration."                      \
    }

#define WORKSPACE_TEXT_IDLE                                                                        \
    {                                                                                              \
        0, "--idle", "DURATION", "it ends when unused for so long (default: 1h)", NULL,            \
            "After how long the workspace ends in which no command runs. The default, and the "    \
            "most, is "                                                                            \
            "*workspaces.idleSeconds* of the configuration."                                       \
    }

#define WORKSPACE_TEXT_DIRECTORY                                                                   \
    {                                                                                              \
        'w', "--workdir", "DIR", "start in this directory of the workspace", NULL,                 \
            "The directory in which the command starts: a path in the workspace, absolute or from "\
            "its working directory on, which is the default. If the command has a slash and no "   \
            "slash begins it, it is looked for from there on, too."                                \
    }

#define WORKSPACE_USAGE_CREATE                                                                     \
    "usage: isolator create [OPTIONS] [FILE...]\n"                                                 \
    "\n"                                                                                           \
    "Makes a workspace, a locked-down container in which isolator exec runs many\n"                \
    "commands, with these FILEs, and prints its name.\n"

#define WORKSPACE_USAGE_EXEC                                                                       \
    "usage: isolator exec [OPTIONS] NAME -- COMMAND [ARG...]\n"                                    \
    "       isolator exec [OPTIONS] --shell NAME -- CODE\n"                                        \
    "\n"                                                                                           \
    "Runs COMMAND in a workspace, whose name or id isolator create has printed, and\n"             \
    "prints one JSON result. Commands run one after the other; what one leaves\n"                  \
    "running is killed.\n"

#endif
