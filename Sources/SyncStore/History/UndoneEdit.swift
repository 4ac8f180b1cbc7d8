import Foundation
import SyncCore

/// An edit made here that an undo has ended, or begun again.
struct UndoneEdit {
  /// How much of an object was edited.
  enum Extent: Hashable {
    case insertion
    case deletion
    case properties(SlotSet)
  }

  let id: ManagedObjectID
  let isBegun: Bool
  let extent: Extent

  /// Name of the outbox that has it; empty in a store without one.
  let outbox: String

  /// In the place of the names of properties.
  static let (insertionMark, deletionMark) = ("+", "-")

  /// The columns of its record.
  var columns: String {
    switch extent {
    case .insertion: Self.insertionMark
    case .deletion: Self.deletionMark
    case .properties(let slots): slots.map { id.entity.properties[$0].name }.joined(separator: " ")
    }
  }
}

extension HistoryFold.Entry {
  /// How much of the object is to be sent.
  var extent: UndoneEdit.Extent {
    switch kind {
    case .insert: .insertion
    case .delete: .deletion
    case .update: .properties(slots)
    }
  }
}

extension HistoryFold {
  /// Takes over the ends and beginnings of edits by one undo.
  mutating func take(_ edits: [UndoneEdit]) {
    for edit in edits where !edit.isBegun {
      guard let entry = self[edit.id], !entry.isSent else { continue }
      switch (entry.kind, edit.extent) {
      case (.update, .properties(let slots)): end(slots, of: edit.id)
      case (.insert, .properties): continue
      case (_, _): remove(edit.id)
      }
    }
    for edit in edits where edit.isBegun {
      switch edit.extent {
      case .insertion: add(edit.id, .insert, slots: SlotSet(), tombstone: [:])
      case .properties(let slots): add(edit.id, .update, slots: slots, tombstone: [:])
      // Follows with the deletion, which has the values that are kept.
      case .deletion: continue
      }
    }
  }
}
