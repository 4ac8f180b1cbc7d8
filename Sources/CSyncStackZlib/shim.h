// The system's zlib, and an inline form of the macro that begins to unpack, which Swift cannot call.
#ifndef SYNCSTACK_ZLIB_SHIM_H
#define SYNCSTACK_ZLIB_SHIM_H

#include <zlib.h>

/// Begins to unpack gzip: a window of 32 KB, and 16 more for its header (zlib.net/manual.html, inflateInit2).
static inline int syncstack_gzip_begin(z_stream *stream) { return inflateInit2(stream, 15 + 16); }

#endif
