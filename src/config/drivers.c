#include "config/drivers.h"

#include <stddef.h>
#include <string.h>

#include "driver_texts.h"

const char *driver_text(const char *placeholder)
{
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) {
        if (strcmp(placeholder, drivers[i].placeholder) == 0)
            return drivers[i].text;
    }
    return NULL;
}

const char *driver_tools_python(void)
{
    return tools_python;
}

const char *driver_tools_javascript(void)
{
    return tools_javascript;
}

const char *driver_call_python(void)
{
    return call_python;
}

const char *driver_call_javascript(void)
{
    return call_javascript;
}

const char *driver_shell(void)
{
    return shell;
}

const char *driver_preload_python(void)
{
    return preload_python;
}

const char *driver_node_proxy(void)
{
    return node_proxy;
}
