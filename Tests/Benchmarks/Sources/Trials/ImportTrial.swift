import Foundation
import Measuring
import SyncStack

/// The memory of an import of large pages, beside that of a session of the same pages, each in a
/// process of its own.
///
/// ```
/// Trials import 100000 session
/// Trials import 100000 1
/// Trials import 100000 4
/// ```
///
/// With more than one page at a time the first page names the places of all others. What glibc keeps
/// of freed pages for other threads is not counted with `MALLOC_ARENA_MAX=1` in the environment.
struct ImportTrial {
  /// Items of a page of some 150 bytes each.
  let items: Int
  private let pages = 6
  private let line = "a text that is as long as a line of a letter, or as that of a note, of item"

  /// - Parameter fetches: How many pages an import asks for at a time; nil is a session.
  func run(fetches: Int?) throws {
    let folder = try TrialFolder()
    let stack = try DataStack(
      model: ManagedObjectModel([
        EntityDraft(
          "Item",
          [
            .attribute("id", .integer64), .attribute("name", .string), .attribute("text", .string),
          ])
      ]), store: .sqlite(folder.file("import.sqlite")))
    let size = page(0).count
    let memory = ResidentMemory()
    if let fetches {
      let run = Import(named: "nightly", into: stack) {
        Feed("Item") { [self] place in
          let number = place.flatMap { Int($0) } ?? 0
          let rest = (number + 1..<pages).map { "\($0)" }
          return FeedPage(.data(page(number)), places: fetches == 1 ? Array(rest.prefix(1)) : rest)
        }
      }
      run.maxConcurrentFetches = fetches
      run.start()
      run.waitUntilFinished()
      _ = try run.result?.get()
    } else {
      let session = try SyncSession(entity: "Item", dataStack: stack, name: "nightly")
      for number in 0..<pages {
        let operation = session.page(.data(page(number)), named: "\(number)")
        operation.start()
        _ = try operation.result?.get()
      }
      let end = session.finishOperation()
      end.start()
      _ = try end.result?.get()
    }
    let most = memory.end()
    say(
      String(
        format: "%@: %.1f MB of memory at most, %.2f of a page (%.1f MB)",
        fetches.map { "an import that asks for \($0) at a time" } ?? "a session",
        Double(most) / 1e6,
        Double(most) / Double(size), Double(size) / 1e6))
    try stack.close()
  }

  private func page(_ number: Int) -> Data {
    var data = Data(capacity: items * 160)
    data.append(UInt8(ascii: "["))
    for index in 0..<items {
      if index > 0 { data.append(UInt8(ascii: ",")) }
      let key = number * items + index
      data.append(
        contentsOf:
          "{\"id\":\(key),\"name\":\"item \(key)\",\"text\":\"\(line) \(key)\"}".utf8)
    }
    data.append(UInt8(ascii: "]"))
    return data
  }
}
