#include <stdint.h>

/// How many requests for memory the process has made; -1 where they are not counted.
int64_t heap_requests(void);
