/*
 * The drivers of interpreters that stay between the calls of a session (src/drivers): programs in
 * the interpreter's own language, which the configuration names by a placeholder. Each fits into
 * one argument of a command.
 */
#ifndef CONFIG_DRIVERS_H
#define CONFIG_DRIVERS_H

/* The text of the driver that a placeholder stands for, like "{python_driver}"; static. NULL if
 * there is no such driver. */
const char *driver_text(const char *placeholder);

/* The module that makes fetch() of Node.js use the proxy: src/drivers/node_proxy.js; static. */
const char *driver_node_proxy(void);

/* The modules for programs that call tools: src/drivers/tools.py and tools.js; static. */
const char *driver_tools_python(void);
const char *driver_tools_javascript(void);

/* What calls the function of a program: src/drivers/call.py and call.js; static. */
const char *driver_call_python(void);
const char *driver_call_javascript(void);

/* What runs code for the shell of a workspace: src/drivers/shell.sh; static. */
const char *driver_shell(void);

/* What imports modules before the request comes: src/drivers/preload.py; static. */
const char *driver_preload_python(void);

#endif
