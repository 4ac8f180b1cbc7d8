import SyncCore
import Testing

@testable import SyncGraph

@Suite struct DeliveryQueueTests {
  private let queue = DeliveryQueue(label: "tests")
  private let told = Told()

  private final class Told: Sendable {
    private let numbers = Locked<[Int]>([])
    var all: [Int] { numbers.withLock { $0 } }
    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
  }

  @Test func postsArriveInTheirOrderAndNoneIsLeftBehindADrain() async {
    for number in 0..<100 { queue.post { [told] in told.add(number) } }
    await queue.drain()
    #expect(told.all == Array(0..<100))
  }

  @Test func aDrainThatBlocksLeavesNoneBehind() {
    queue.post { [told] in told.add(0) }
    queue.drain()
    #expect(told.all == [0])
  }

  @Test func aPostOfAnObserverComesBehindThoseThatWait() async {
    queue.post { [queue, told] in
      queue.post { told.add(2) }
      // An observer cannot wait for itself.
      queue.drain()
      told.add(0)
    }
    queue.post { [told] in told.add(1) }
    await queue.drain()
    await queue.drain()
    #expect(told.all == [0, 1, 2])
  }

  @Test func postsAreDeliveredWithoutADrain() async {
    await withCheckedContinuation { continuation in queue.post { continuation.resume() } }
  }
}
