#include "test.h"

#include "base/natural_order.h"

/* Each name comes before all that follow it. */
CASE(natural_order__of_names)
{
    static const char *const names[] = {"",
                                        "-1",
                                        "0",
                                        "00",
                                        "01",
                                        "1",
                                        "1a",
                                        "1a2",
                                        "1a10",
                                        "2",
                                        "10",
                                        "a0",
                                        "a1",
                                        "a1b1",
                                        "a2",
                                        "a9999999999999999999998",
                                        "a9999999999999999999999",
                                        "a10000000000000000000000",
                                        "aa",
                                        "b",
                                        "\xc3\xa4"};

    for (size_t i = 0; i < COUNT(names); i++)
        for (size_t k = 0; k < COUNT(names); k++) {
            const int order = natural_order(names[i], names[k]);

            if ((order < 0) != (i < k) || (order > 0) != (i > k))
                fail_msg("'%s' and '%s': %d", names[i], names[k], order);
        }
}
