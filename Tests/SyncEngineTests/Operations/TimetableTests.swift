import SyncEngine
import Testing

/// When work that runs by itself has its turn, without any.
@Suite struct TimetableTests {
  private var table = Timetable(Timetable.Pace.usual)

  /// The actions after events, each at a second.
  private func actions(
    _ events: [(Double, Timetable.Event)], _ table: Timetable = Timetable(Timetable.Pace.usual)
  ) -> [Timetable.Action] {
    var table = table
    return events.map { table.take($1, at: .seconds($0)) }
  }

  private static func wait(_ seconds: Double) -> Timetable.Action {
    .wait(until: .seconds(seconds))
  }

  @Test func nothingHappensBeforeItIsStartedAndAfterItIsStopped() {
    let events: [Timetable.Event] = [
      .committed, .asked, .signalled, .listening(true), .due, .ended(hasMoved: true),
      .failed(rest: nil), .halted, .stopped,
    ]
    #expect(actions(events.map { (0, $0) }).allSatisfy { $0 == .none })
    let stopped = actions(
      [(0, .started), (1, .stopped)] + events.map { (2, $0) } + [(3, .started)])
    #expect(stopped == [.work, .rest] + events.map { _ in .none } + [.work])
  }

  @Test func intervalsGrowWhileNothingMovesAndBeginAnewWhenSomethingDoes() {
    var table = table
    _ = table.take(.started, at: .zero)
    var now = Duration.zero
    var waits: [Duration] = []
    for round in 0..<9 {
      let action = table.take(.ended(hasMoved: round == 7), at: now)
      guard case .wait(let time) = action else { return #expect(Bool(false), "\(action)") }
      waits.append(time - now)
      now = time
      #expect(table.take(.due, at: now) == .work)
    }
    #expect(waits == [10, 20, 40, 80, 160, 300, 300, 10, 20].map { .seconds($0) })
  }

  @Test func commitsWaitForEachOtherAndGoTogether() {
    #expect(
      actions([
        (0, .started), (1, .ended(hasMoved: false)), (4, .committed), (5, .committed),
        (5.9, .committed), (5.9, .due), (6, .due),
      ]) == [.work, Self.wait(11), Self.wait(6), .none, .none, Self.wait(6), .work])
  }

  @Test func aCommitShortlyBeforeAPollGoesWithIt() {
    #expect(
      actions([
        (0, .started), (0, .ended(hasMoved: false)), (9, .committed), (10, .due),
      ]) == [.work, Self.wait(10), .none, .work])
  }

  @Test func whatIsCommittedDuringASyncIsSentAfterIt() {
    #expect(
      actions([
        (0, .started), (1, .committed), (1.5, .committed), (2, .ended(hasMoved: true)), (3, .due),
        (20, .committed), (30, .ended(hasMoved: true)),
      ]) == [.work, .none, .none, Self.wait(3), .work, .none, Self.wait(30)])
  }

  @Test func askingSyncsAtOnceOrOnceMore() {
    #expect(
      actions([
        (0, .started), (1, .asked), (1, .asked), (2, .ended(hasMoved: false)),
        (3, .ended(hasMoved: false)), (4, .asked), (5, .ended(hasMoved: false)),
      ]) == [.work, .none, .none, .work, Self.wait(13), .work, Self.wait(15)])
  }

  @Test func aServerThatIsNotThereIsAskedLaterAndLater() {
    var table = table
    _ = table.take(.started, at: .zero)
    var now = Duration.zero
    var waits: [Duration] = []
    for _ in 0..<9 {
      guard case .wait(let time) = table.take(.failed(rest: nil), at: now) else { break }
      // Commits make it come no earlier.
      #expect(table.take(.committed, at: now) == .none)
      waits.append(time - now)
      now = time
      #expect(table.take(.due, at: now) == .work)
    }
    #expect(waits == [2, 4, 8, 16, 32, 64, 128, 256, 300].map { .seconds($0) })
    #expect(table.take(.ended(hasMoved: false), at: now) == .wait(until: now + .seconds(10)))
  }

  @Test func aServerThatSaysWhenIsNotAskedBefore() {
    #expect(
      actions([
        (0, .started), (0, .failed(rest: .seconds(60))), (5, .asked),
        (5, .failed(rest: .seconds(55))),
      ]) == [.work, Self.wait(60), .work, Self.wait(60)])
  }

  @Test func aFailureThatAPersonHasToPutRightHaltsItUntilItIsAsked() {
    #expect(
      actions([
        (0, .started), (0, .halted), (1, .committed), (1, .signalled), (1, .due), (2, .asked),
        (2, .asked), (3, .halted), (4, .ended(hasMoved: false)),
      ]) == [.work, .rest, .none, .none, .none, .work, .none, .work, Self.wait(14)])
  }

  @Test func liveSignalsStandForPolls() {
    #expect(
      actions([
        (0, .started), (0, .listening(true)), (1, .ended(hasMoved: true)), (2, .signalled),
        (2, .signalled), (3, .ended(hasMoved: true)), (4, .ended(hasMoved: false)),
        (5, .listening(false)), (15, .due),
      ]) == [
        .work, .none, Self.wait(301), .work, .none, .work, Self.wait(304), Self.wait(15), .work,
      ])
  }

  @Test func signalsThatAreListenedToBeforeTheStartStandForTheFirstPoll() {
    #expect(
      actions([(0, .listening(true)), (0, .started), (1, .ended(hasMoved: true))])
        == [.none, .work, Self.wait(301)])
  }

  @Test func withoutPollsItRestsUntilACommit() {
    let table = Timetable(Timetable.Pace(delay: .seconds(2), shortest: nil, longest: .seconds(300)))
    #expect(
      actions(
        [
          (0, .started), (1, .ended(hasMoved: true)), (9, .committed), (10, .committed), (11, .due),
          (12, .committed), (13, .ended(hasMoved: true)), (14, .due),
          (15, .ended(hasMoved: false, again: .seconds(30))), (20, .committed),
        ], table) == [
          .work, .rest, Self.wait(11), .none, .work, .none, Self.wait(14), .work, Self.wait(45),
          Self.wait(22),
        ])
  }
}

extension Timetable.Pace {
  fileprivate static let usual = Timetable.Pace(
    delay: .seconds(2), shortest: .seconds(10), longest: .seconds(300))
}
