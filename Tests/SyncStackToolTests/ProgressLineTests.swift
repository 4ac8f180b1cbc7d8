import Testing

@testable import SyncStackTool

@Suite struct ProgressLineTests {
  let line = ProgressLine(
    phase: "insert", completed: 60_000, total: 100_000, fraction: 0.6, elapsed: 4,
    elapsedInPhase: 3)

  @Test func saysPhasePartRateAndTimeLeft() {
    #expect(
      line.text(width: 80)
        == "insert   ██████████████░░░░░░░░░░   60 %  60,000 of 100,000  20,000/s  0:03 left")
  }

  @Test(arguments: 1...120)
  func fitsIntoEveryWidth(width: Int) {
    #expect(TextWidth.of(line.text(width: width)) <= width)
  }

  @Test func leavesOutWhatIsNotKnownYet() {
    let early = ProgressLine(
      phase: "parse", completed: 0, total: 0, fraction: .nan, elapsed: 0,
      elapsedInPhase: 0)
    #expect(early.text(width: 60).hasSuffix("░    0 %"))
  }

  @Test(arguments: [(-1.0, "  0 %"), (0.999, " 99 %"), (1, "100 %"), (7, "100 %")])
  func staysBetweenNothingAndAll(fraction: Double, text: String) {
    var line = line
    line.fraction = fraction
    #expect(line.text(width: 60).contains(text))
  }

  @Test func aPhaseThatIsOverSaysHowLongItTook() {
    #expect(ProgressLine.ended("parse", seconds: 0.2) == "parse    took 0.20 s")
  }

  @Test(arguments: [
    (0.012, "12 ms"), (0.2, "0.20 s"), (9.999, "10.0 s"), (61.0, "1:01 min"),
    (3_600.4, "60:00 min"),
  ])
  func writesDurations(seconds: Double, text: String) {
    #expect(Figures.duration(seconds) == text)
  }

  @Test(arguments: [
    (0, "0 bytes"), (999, "999 bytes"), (1_500, "1.5 kB"), (77_000_000, "77.0 MB"),
    (999_600_000, "1.0 GB"),
  ])
  func writesBytes(number: Int, text: String) {
    #expect(Figures.bytes(number) == text)
  }

  @Test(arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (-1_234_567, "-1,234,567")])
  func groupsThousands(number: Int, text: String) {
    #expect(Figures.grouped(number) == text)
  }
}
