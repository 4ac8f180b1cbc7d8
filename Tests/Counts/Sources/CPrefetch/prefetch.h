/// Asks for the cache line of an address that is going to be read soon.
static inline void prefetch(const void *address) { __builtin_prefetch(address); }
