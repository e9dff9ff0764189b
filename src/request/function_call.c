#include "request/function_call.h"

#include <stdlib.h>

#include "base/strbuf.h"
#include "config/drivers.h"

static const struct call_driver drivers[] = {
    {{".py"}, "isolator_call.py", driver_call_python},
    {{".js", ".mjs", ".cjs"}, "isolator_call.cjs", driver_call_javascript},
};

void function_call_release(struct function_call *call)
{
    free(call->function);
    free(call->class_name);
    *call = (struct function_call){NULL, NULL};
}

void function_call_copy(struct function_call *call, const struct function_call *from)
{
    call->function = from->function ? string_copy(from->function) : NULL;
    call->class_name = from->class_name ? string_copy(from->class_name) : NULL;
}

const struct call_driver *function_call_driver(const struct function_call *call,
                                               const struct strvec *extensions)
{
    for (size_t i = 0; call->function && i < sizeof drivers / sizeof *drivers; i++)
        for (size_t j = 0; j < sizeof drivers[i].extensions / sizeof(char *); j++)
            if (drivers[i].extensions[j] && strvec_contains(extensions, drivers[i].extensions[j]))
                return &drivers[i];
    return NULL;
}

void function_call_add_words(const struct function_call *call, const char *entrypoint,
                             struct strvec *command)
{
    strvec_push(command, entrypoint);
    strvec_push(command, call->function);
    strvec_push(command, call->class_name ? call->class_name : "");
}
