#include <stdbool.h>

/// Whether callgrind counts the instructions of this process (https://valgrind.org/docs/manual/cl-manual.html).
bool callgrind_counts(void);

/// Begins to count; what was counted before stays.
void callgrind_begin(void);

/// Stops counting until the next beginning.
void callgrind_pause(void);

/// Writes what was counted since the last time, under a name, and begins at zero.
void callgrind_write(const char *name);
