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

  @Test func postsAreDeliveredWithoutADrainAlsoWhenTheQueueHasStoppedLooking() async {
    let pause = DeliveryQueue(label: "pause")
    for round in 0..<9 {
      await delivery(by: queue)
      // Leaves nothing for the look that is due.
      if round % 3 == 1 {
        queue.post {}
        await queue.drain()
      }
      for _ in 0..<round % 4 { await delivery(by: pause) }
    }
  }

  private func delivery(by queue: DeliveryQueue) async {
    await withCheckedContinuation { continuation in queue.post { continuation.resume() } }
  }
}
