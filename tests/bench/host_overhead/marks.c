// SPDX-License-Identifier: Apache-2.0
// Lets a Python program tell callgrind which calls to count. Outside valgrind these do nothing.
#include <valgrind/callgrind.h>

/// Starts counting, from zero.
void begin_count(void)
{
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
}

/// Writes what was counted under `name` and stops counting.
void end_count(const char* name)
{
    CALLGRIND_DUMP_STATS_AT(name);
    CALLGRIND_STOP_INSTRUMENTATION;
}
