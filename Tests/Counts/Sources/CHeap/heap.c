// Counts requests for memory: the program's own malloc and its relatives, in front of those of the C library.
// Only glibc offers its own under a second name.
#include "heap.h"
#include <stddef.h>

#ifdef __GLIBC__
#include <errno.h>

static int64_t requests;

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static void count(void) { __atomic_fetch_add(&requests, 1, __ATOMIC_RELAXED); }

void *malloc(size_t size) {
  count();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count();
  return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
  count();
  return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  count();
  void *memory = __libc_memalign(alignment, size);
  if (memory == NULL) return ENOMEM;
  *result = memory;
  return 0;
}

int64_t heap_requests(void) { return __atomic_load_n(&requests, __ATOMIC_RELAXED); }
#else
int64_t heap_requests(void) { return -1; }
#endif
