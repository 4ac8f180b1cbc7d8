package import SyncCore

/// An item at the top of a payload that was left out, with everything below it.
package struct LeftOutItem {
  /// Position among the items of the payload.
  package let index: Int

  /// Where it stands in the payload, as in `$[3]`.
  package let path: String
  package let entity: EntityDescription

  /// Its key, which it claims all the same: nothing is deleted for it. Null when it cannot be read.
  package let key: Value

  /// Its JSON, as it stands in the payload. Valid as long as the payload is.
  package let json: UnsafeRawBufferPointer

  /// Why it was left out.
  package let reason: SyncError
}

@available(*, unavailable, message: "Its bytes belong to the payload.")
extension LeftOutItem: Sendable {}
