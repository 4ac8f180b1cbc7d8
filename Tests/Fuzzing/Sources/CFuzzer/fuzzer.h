#include <stddef.h>
#include <stdint.h>

/// Runs libFuzzer with the arguments of a program (https://llvm.org/docs/LibFuzzer.html). It ends the process when an input crashes.
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*take)(const uint8_t *bytes, size_t count));
