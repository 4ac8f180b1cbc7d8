import Foundation
import SyncStack

/// A file that gets a line of JSON for every object that a stack's commits change. Confined to the
/// command that opened it.
final class ChangeLogFile {
  private let writer: LineWriter
  private let observation: any NSObjectProtocol

  /// Opens the file, to go on at its end, and follows the stack.
  ///
  /// - Throws: ``ToolError`` when the file cannot be written.
  init(_ url: URL, of stack: DataStack) throws {
    let writer = try LineWriter(url)
    self.writer = writer
    observation = NotificationCenter.default.addObserver(
      forName: .dataStackDidChange, object: stack, queue: nil
    ) { note in
      var text = ""
      for change in note.changeSet.loggedChanges { text += change.jsonLine + "\n" }
      writer.append(text)
    }
  }

  /// Stops following.
  ///
  /// - Throws: ``ToolError`` when something could not be written.
  func close() throws {
    NotificationCenter.default.removeObserver(observation)
    try writer.close()
  }
}

/// Appends text to a file. `state` is protected by its lock.
private final class LineWriter: Sendable {
  private struct State {
    let file: FileHandle
    var failure: (any Error)?
  }

  private let path: String
  private let state: Locked<State>

  init(_ url: URL) throws {
    path = url.path
    if !FileManager.default.fileExists(atPath: path) {
      _ = FileManager.default.createFile(atPath: path, contents: nil)
    }
    guard let file = FileHandle(forWritingAtPath: path) else {
      throw ToolError("The log \(path) cannot be written. Check its folder and its permissions.")
    }
    // A pipe has no end to go to, and takes any lines.
    _ = try? file.seekToEnd()
    state = Locked(State(file: file))
  }

  func append(_ text: String) {
    state.withLock { state in
      do {
        try state.file.write(contentsOf: Data(text.utf8))
      } catch {
        state.failure = state.failure ?? error
      }
    }
  }

  func close() throws {
    let failure = state.withLock { state in
      try? state.file.close()
      return state.failure
    }
    if let failure {
      throw ToolError(
        "The changes are stored, but the log \(path) is incomplete: "
          + "\(failure.localizedDescription) Free some space, or give another path.")
    }
  }
}
