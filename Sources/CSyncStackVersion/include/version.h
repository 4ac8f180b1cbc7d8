#ifndef SYNCSTACK_VERSION_H
#define SYNCSTACK_VERSION_H

/// The commit that the package was built from, or nothing for a tag, or when it is not known.
const char *_Nullable syncstack_commit(void);

#endif
