/*
 * The modules that are linked into a program of unit tests. register.awk writes the MODULE() of
 * each, after its run_module(); main.c runs one of them.
 */
#ifndef MODULES_H
#define MODULES_H

struct module {
    const char *name;
    int (*run)(void); /* returns how many tests failed */
    struct module *next;
};

extern struct module *modules;

#define MODULE(which)                                                                              \
    static struct module own_module = {#which, run_module, NULL};                                  \
    __attribute__((constructor)) static void add_module(void)                                      \
    {                                                                                              \
        own_module.next = modules;                                                                 \
        modules = &own_module;                                                                     \
    }

#endif
