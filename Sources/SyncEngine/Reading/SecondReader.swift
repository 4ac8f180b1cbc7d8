import Dispatch

/// Another thread that shares the work of a sync where there is much of it.
struct SecondReader {
  let queue: DispatchQueue

  /// How many rows, or owners of lists, are read at a time: something less than a millisecond.
  let pieceSize: Int

  /// From how many on the work is shared: less takes no longer than to wake a thread.
  var leastCount: Int { pieceSize * 4 }
}
