/// By how much a job's memory grows at most.
struct MemoryWatch {
  private let start: Int
  /// Watches when pages of the payload's file must not count, which the system's own peak includes.
  private let watch: ResidentMemory?

  /// Begins to watch.
  init(_ scenario: Scenario) {
    ProcessFigures.resetPeak()
    start = ProcessFigures.residentBytes
    watch = scenario == .streamed ? ResidentMemory() : nil
  }

  /// Ends watching.
  ///
  /// - Returns: The growth in bytes.
  func end() -> Int { watch?.end() ?? ProcessFigures.peakBytes - start }
}
