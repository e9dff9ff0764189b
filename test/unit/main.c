#include "modules.h"

#include <stdio.h>
#include <string.h>

struct module *modules;

/* The program has the name of the module whose tests it runs. */
int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    const char *name = slash ? slash + 1 : argv[0];
    const struct module *module = modules;

    (void)argc;
    while (module && strcmp(module->name, name) != 0)
        module = module->next;
    if (module)
        return module->run();
    fprintf(stderr, "%s: call this program by the name of a module, such as\n", argv[0]);
    for (module = modules; module; module = module->next)
        fprintf(stderr, "    %s\n", module->name);
    return 2;
}
