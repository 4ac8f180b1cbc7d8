import SyncCore
import Testing

@Suite struct BroadcastTests {
  private func elements(_ stream: AsyncStream<Int>) async -> [Int] {
    await stream.reduce(into: []) { $0.append($1) }
  }

  @Test func eachSequenceHasTheElementsSinceItWasMade() async {
    let broadcast = Broadcast<Int>()
    let first = broadcast.makeStream()
    broadcast.yield(1)
    let second = broadcast.makeStream(beginningWith: { 10 })
    broadcast.yield(2)
    broadcast.finish(3)
    broadcast.yield(4)
    #expect(await elements(first) == [1, 2, 3])
    #expect(await elements(second) == [10, 2, 3])
  }

  @Test(arguments: [nil, 3])
  func aSequenceThatIsMadeAfterTheEndHasTheLastElementAlone(_ last: Int?) async {
    let broadcast = Broadcast<Int>()
    broadcast.finish(last)
    broadcast.finish(4)
    #expect(
      await elements(broadcast.makeStream(beginningWith: { 10 })) == [last].compactMap(\.self))
  }

  @Test func sequencesEndWithTheirBroadcast() async {
    func made() -> AsyncStream<Int> {
      let broadcast = Broadcast<Int>()
      defer { broadcast.yield(1) }
      return broadcast.makeStream()
    }
    #expect(await elements(made()) == [1])
  }

  @Test func aSequenceThatIsGivenUpIsHeardNoLonger() async {
    let broadcast = Broadcast<Int>()
    let stream = broadcast.makeStream()
    let reader = Task { for await _ in stream {} }
    #expect(broadcast.isHeard)
    reader.cancel()
    await reader.value
    #expect(!broadcast.isHeard)
  }
}
