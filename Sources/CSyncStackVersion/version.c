#include "version.h"

#ifdef SYNCSTACK_COMMIT
const char *syncstack_commit(void) { return SYNCSTACK_COMMIT; }
#else
const char *syncstack_commit(void) { return 0; }
#endif
