#include "cli/other_options.h"

#include <stddef.h>

#define FILES     "nothing of this host can be mounted; send files with --file or --dir"
#define NO_PORT   "nothing can connect to a program; it has standard input and output"
#define NO_RIGHTS "a program cannot have privileges; --cap-drop lists the capabilities to drop"
#define NO_DEVICE "a program cannot have devices of this host"
#define PREPARE   "install packages once, with isolator prepare"
#define RESULT    "the result is printed on stdout; --artifacts takes files of the program"
#define IN_IMAGE  "--container-workdir sets the working directory"
#define NO_TTY    "a program has no terminal; -i passes standard input on"

const struct option_other start_other_options[] = {
    {"--stream", "isolator logs shows the output of a job"},
    {"--interactive", "--stdin FILE is the standard input of a job"},
    {"-i", "--stdin FILE is the standard input of a job"},
    {"--save-image", "an image is saved only by isolator run"},
    {"--save-dockerfile", "only isolator run writes one"},
    {"--json", "isolator wait prints the result of a job"},
    {"--format", "isolator wait prints the result of a job"},
    {"--volume", FILES},
    {"--mount", FILES},
    {"--bind", FILES},
    {"--publish", NO_PORT},
    {"--port", NO_PORT},
    {"-p", NO_PORT},
    {"--privileged", NO_RIGHTS},
    {"--cap-add", NO_RIGHTS},
    {"--security-opt", NO_RIGHTS},
    {"--device", NO_DEVICE},
    {"--gpus", NO_DEVICE},
    {"--packages", PREPARE},
    {"--pip", PREPARE},
    {"--install", PREPARE},
    {"--requirements", PREPARE},
    {"--output", RESULT},
    {"-o", RESULT},
    {"--workdir", IN_IMAGE},
    {"-w", IN_IMAGE},
    {"--tty", NO_TTY},
    {"--rm", "the container is always removed"},
    {"--detach", "a job is started by isolator start"},
    {"--name", "isolator chooses the name of the container; the result has it"},
    {"--env-file", "variables are set by --env, one each"},
    {"--tmpfs", "--tmp-size sets the size of /tmp"},
    {"--input", "--stdin FILE is the program's standard input"},
    {"--args", "put the program's arguments after --"},
    {"-u", "--user sets the user"},
    {"--version", "isolator --version prints the version"},
    {NULL, NULL},
};
