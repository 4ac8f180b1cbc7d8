import Foundation

/// Progress of pulls and pushes, which learn on their way how much there is.
extension Progress {
  /// Says that so much is still to do, as far as is known. One more is kept for the end: Progress
  /// of Foundation on Linux does not go on after it was finished.
  func expect(_ count: Int) { totalUnitCount = completedUnitCount + Int64(count) + 1 }

  /// Says that some of the expected units are done.
  func advance(_ count: Int) {
    completedUnitCount = max(0, min(completedUnitCount + Int64(count), totalUnitCount - 1))
  }

  /// Says that no expected units are left. A total of zero stops Foundation on Linux.
  func endCount() {
    totalUnitCount = max(completedUnitCount, 1)
    if !isFinished { completedUnitCount = totalUnitCount }
  }

  /// Says that nothing is left to do, also when there was nothing.
  func end() {
    totalUnitCount = max(totalUnitCount, 1)
    completedUnitCount = totalUnitCount
  }
}
