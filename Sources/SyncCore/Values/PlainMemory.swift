import Foundation

/// Memory for plain values that grows in place where the system can do that: large lists are moved
/// by changing page tables, not by copying, and are never held twice.
package enum PlainMemory {
  /// The memory of lists without elements: a few zeros, never written. A sync has several lists for
  /// each entity of the model, and most payloads have objects of few of them.
  private nonisolated(unsafe) static let none: UnsafeMutableRawPointer = {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: 64)
    return memory
  }()

  /// The memory of a list without elements, which is not to be written; its first value reads as
  /// zero, as that of an empty table does.
  package static func empty<Element: BitwiseCopyable>() -> UnsafeMutablePointer<Element> {
    none.assumingMemoryBound(to: Element.self)
  }

  /// Changes the capacity of memory that came from here; nil makes new memory.
  package static func resize<Element: BitwiseCopyable>(
    _ pointer: UnsafeMutablePointer<Element>?, to capacity: Int
  ) -> UnsafeMutablePointer<Element> {
    let isNone = pointer.map { UnsafeMutableRawPointer($0) == none } ?? true
    guard
      let memory = realloc(
        isNone ? nil : pointer, Swift.max(capacity, 1) * MemoryLayout<Element>.stride)
    else {
      programmingError("There is no memory for \(capacity) values. Sync smaller payloads.")
    }
    return memory.bindMemory(to: Element.self, capacity: capacity)
  }

  /// Gives memory back that came from here.
  package static func free(_ pointer: UnsafeMutableRawPointer) {
    if pointer != none { Foundation.free(pointer) }
  }
}
