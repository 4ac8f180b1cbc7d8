package import SyncCore

/// The fate of an item at the top of a payload that cannot be stored as it stands.
///
/// The policy is about errors that one item causes:
///
/// - it is no JSON object, or its key is missing or cannot be read;
/// - it, or an object nested in it at any depth, would be without a value it requires: a new object
///   is given none and the model has no default, a stored one is given null, or a required to-one
///   relationship would lead nowhere;
/// - a value of it, or of an object nested in it, breaks a minimum, a maximum or a regular
///   expression of the model;
/// - a list of it has more objects than the model allows, or one of a new object has fewer;
/// - a rule of an explicit mapping refuses a value.
///
/// When several items describe one object, those are to blame that gave the value. An object in a
/// *nested* list that has no readable key costs only itself with ``skip``.
///
/// Errors of the result as a whole fail the sync in any case: text that is no JSON, uniqueness
/// constraints, the delete rule *deny*, the deletion guard, and the numbers of members that several
/// items and deletions together give to relationships: they are checked at the end of each
/// transaction, over the objects whose members changed.
public enum ItemErrorPolicy: String, Sendable, Hashable, CaseIterable, Codable {
  /// The sync fails and stores nothing. Of several such items the error is about the first in the
  /// payload.
  case fail
  /// The item is left out with everything below it, and reported. Objects that it names are not
  /// deleted.
  case skip
  /// As ``skip``; and the item's JSON and the reason are kept in the store, in the transaction of
  /// the sync, to be listed and replayed.
  case quarantine
}

/// An item at the top of a payload that was left out, with everything below it.
package struct RejectedItem {
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
extension RejectedItem: Sendable {}
