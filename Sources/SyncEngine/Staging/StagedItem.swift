import SyncCore

/// An item at the top, and where it stands in the payload.
struct StagedItem {
  /// Nil is behind the item before it.
  var place: JSONItemPlace?
  /// The key that it has in an object of objects, on a tape.
  var key: (tape: JSONTape, token: Int)?
  var text = UnsafeRawBufferPointer(start: nil, count: 0)
  /// Whether everything of it is staged, and nothing counts but its key.
  var isLeftOut = false
}

/// The key of an item in an object of objects: it fills an attribute for which the item has no value itself.
struct MemberKey {
  let tape: JSONTape
  let token: Int
  /// The attribute, by its slot; nil is what identifies the objects.
  var slot: Int?
}
