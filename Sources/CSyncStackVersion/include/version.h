#ifndef SYNCSTACK_VERSION_H
#define SYNCSTACK_VERSION_H

/// The commit that the package was built from, or nothing when a tag or nobody says.
const char *_Nullable syncstack_commit(void);

#endif
