import CFuzzer
import Foundation

/// ```
/// Fuzz ENTRY [OPTIONS OF LIBFUZZER]     Tests/Fuzzing/run says which there are
/// ```
@main
struct Main {
  /// Set before the run begins, and never again.
  nonisolated(unsafe) private static var take: (Data) -> Void = { _ in }

  static func main() throws {
    guard let entry = CommandLine.arguments.dropFirst().first.flatMap(Entry.init) else {
      let names = Entry.allCases.map(\.rawValue).joined(separator: ", ")
      FileHandle.standardError.write(Data("usage: Fuzz ENTRY …, one of \(names)\n".utf8))
      exit(2)
    }
    take = try entry.makeTaker()
    let arguments = [CommandLine.arguments[0]] + CommandLine.arguments.dropFirst(2)
    var count = CInt(arguments.count)
    // libFuzzer keeps them until the process ends.
    var pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? =
      .allocate(capacity: arguments.count + 1)
    for (index, argument) in arguments.enumerated() { pointers?[index] = strdup(argument) }
    pointers?[arguments.count] = nil
    exit(
      LLVMFuzzerRunDriver(&count, &pointers) { bytes, count in
        Main.take(bytes.map { Data(bytes: $0, count: count) } ?? Data())
        return 0
      })
  }
}
