import Dispatch

/// Runs a body while blocks that wait have all threads of the global queues.
package func withFullGlobalQueues<T>(_ body: () throws -> T) rethrows -> T {
  let mayEnd = DispatchSemaphore(value: 0)
  let group = DispatchGroup()
  for _ in 0..<64 { DispatchQueue.global().async(group: group) { mayEnd.wait() } }
  defer {
    for _ in 0..<64 { mayEnd.signal() }
    group.wait()
  }
  return try body()
}
