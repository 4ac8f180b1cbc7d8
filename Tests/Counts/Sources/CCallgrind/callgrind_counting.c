// Requests to callgrind, which are a few instructions without effect where it does not run the process.
#include "callgrind_counting.h"

#if defined(__has_include)
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define HAS_CALLGRIND 1
#endif
#endif

#ifdef HAS_CALLGRIND
bool callgrind_counts(void) { return RUNNING_ON_VALGRIND != 0; }
void callgrind_begin(void) { CALLGRIND_START_INSTRUMENTATION; }
void callgrind_pause(void) { CALLGRIND_STOP_INSTRUMENTATION; }
void callgrind_write(const char *name) { CALLGRIND_DUMP_STATS_AT(name); }
#else
bool callgrind_counts(void) { return false; }
void callgrind_begin(void) {}
void callgrind_pause(void) {}
void callgrind_write(const char *name) {}
#endif
