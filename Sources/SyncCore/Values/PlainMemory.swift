import Foundation

/// Memory for plain values that grows in place where the system can do that: large lists are moved
/// by changing page tables, not by copying, and are never held twice.
package enum PlainMemory {
  /// Changes the capacity of memory that came from here; nil makes new memory.
  package static func resize<Element: BitwiseCopyable>(
    _ pointer: UnsafeMutablePointer<Element>?, to capacity: Int
  ) -> UnsafeMutablePointer<Element> {
    guard let memory = realloc(pointer, Swift.max(capacity, 1) * MemoryLayout<Element>.stride)
    else {
      programmingError("There is no memory for \(capacity) values. Sync smaller payloads.")
    }
    return memory.bindMemory(to: Element.self, capacity: capacity)
  }

  /// Gives memory back that came from here.
  package static func free(_ pointer: UnsafeMutableRawPointer) {
    Foundation.free(pointer)
  }
}
