import SyncCore

/// Says which items of a decided part have to be left out, because the model does not let them be
/// stored.
struct PartCheck {
  let part: StagedPart
  let check: ItemCheck
  let policy: ItemErrorPolicy

  /// The items to leave out beside those that are, by their index, with the reasons: none as long
  /// as the part is not staged so that it knows the items. Nil when everything can be stored.
  ///
  /// - Throws: ``SyncError`` when such items are refused, or leaving out more does not help;
  ///   `CancellationError`.
  func offenders() throws -> [Int: SyncError]? {
    guard let failure = try check.firstFailure() else {
      if let stop = part.refusals.stop { throw stop.error }
      return nil
    }
    guard part.version.tracksItems else { return [:] }
    let offenders = try check.offenders()
    if policy == .fail { throw firstError(offenders) ?? failure.error }
    guard offenders.keys.contains(where: { part.version.rejected[$0] == nil }) else {
      throw failure.error
    }
    return offenders
  }

  /// Of several errors the one that comes first in the payload, whenever it was found.
  private func firstError(_ offenders: [Int: SyncError]) -> SyncError? {
    let first = offenders.min { $0.key < $1.key }
    // Of the item that stopped the reading not everything was read.
    if let stop = part.refusals.stop, stop.item <= first?.key ?? .max { return stop.error }
    return first.map { $1.at(part.path.text(ofItem: $0)) }
  }
}
