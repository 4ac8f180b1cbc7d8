import Foundation
import SyncCore

/// What one batch of a payload added to the ``Claims`` of those before it: as much as the batch said, however
/// much they have come to.
struct ClaimsGrowth: Codable {
  private var roots: [[Int: RowSet.Growth]]
  private var listed: [Claims.Relationship: RowSet.Growth]
  private var parentMembers: RowSet.Growth
  private var parentOrder: PackedIntegers
  private var unlisted: [PackedIntegers]
  /// Owner, its entity and slot of references that were given again or found their object.
  private var dropped: PackedIntegers
  private var unresolved: KeptReferences
  private var counts: [Int]
  private var isRootSuspended: Bool
  private var rootItemsNameParent: Bool
  private var parts: PartMemory.Growth?
  private var nesters: [Claims.Relationship: RowNumbers.Growth]
  /// All of them: there are few.
  private var standIns: StandIns?

  /// How much the claims held when they were kept last. The sets share what did not change since.
  struct Mark {
    fileprivate var roots: [[Int: RowSet]]
    fileprivate var listed: [Claims.Relationship: RowSet]
    fileprivate var parentMembers: RowSet
    fileprivate var parentOrderCount: Int
    fileprivate var unlistedCount: Int
    fileprivate var parts: PartMemory.Mark

    /// Notes that everything so far is kept.
    init(_ claims: Claims) {
      roots = ClaimsGrowth.roots.map { claims[keyPath: $0] }
      listed = claims.listed
      parentMembers = claims.parentMembers
      parentOrderCount = claims.parentOrder.count
      unlistedCount = claims.unlisted.count
      var none = PartMemory()
      parts = claims.parts?.takeMark() ?? none.takeMark()
      claims.nesters.mark()
      claims.newReferences = Claims.NewReferences()
    }
  }

  private static var roots: [ReferenceWritableKeyPath<Claims, [Int: RowSet]>] {
    [\.mentioned, \.surplus, \.namesakes]
  }

  /// - Throws: `CancellationError`.
  /// - Complexity: O(*n*) in what was added.
  init(of claims: Claims, since mark: Mark, _ control: SyncControl) throws {
    roots = zip(ClaimsGrowth.roots, mark.roots).map { claims[keyPath: $0].growth(since: $1) }
    listed = claims.listed.growth(since: mark.listed)
    parentMembers = claims.parentMembers.growth(since: mark.parentMembers)
    parentOrder = PackedIntegers(claims.parentOrder[mark.parentOrderCount...])
    unlisted = try Claims.packed(claims.unlisted[mark.unlistedCount...], control)
    let references = claims.newReferences ?? Claims.NewReferences()
    dropped = PackedIntegers(
      references.dropped.flatMap { [$0.owner.row, Int64($0.owner.entity.index), Int64($0.slot)] })
    unresolved = try KeptReferences(references.appended, control)
    counts = claims.counts
    isRootSuspended = claims.isRootSuspended
    rootItemsNameParent = claims.rootItemsNameParent
    parts = claims.parts?.growth(since: mark.parts)
    nesters = claims.nesters.growth
    standIns = claims.standIns.isEmpty ? nil : claims.standIns
  }

  /// Adds it to what the batches before it said.
  ///
  /// - Throws: ``Claims/outdated`` for bytes that are not of this model; `CancellationError`.
  func add(to claims: Claims, of model: ManagedObjectModel, _ control: SyncControl) throws {
    for (path, sets) in zip(ClaimsGrowth.roots, roots) { claims[keyPath: path].add(sets) }
    claims.listed.add(listed)
    claims.parentMembers.add(parentMembers)
    claims.parentOrder += parentOrder.values
    try claims.append(unlisted, of: model, control)
    claims.drop(try droppedPlaces(of: model))
    try claims.append(unresolved, of: model, control)
    try claims.set(counts: counts)
    claims.isRootSuspended = isRootSuspended
    claims.rootItemsNameParent = rootItemsNameParent
    if let parts {
      claims.parts = claims.parts ?? PartMemory()
      claims.parts?.add(parts)
    }
    claims.nesters.add(nesters)
    if let standIns { claims.standIns = standIns }
  }

  private func droppedPlaces(
    of model: ManagedObjectModel
  ) throws -> Set<UnresolvedReference.Place> {
    let values = dropped.values
    return try Set(
      stride(from: 0, to: values.count - values.count % 3, by: 3).map { index in
        let entity = try Claims.entity(Int(values[index + 1]), of: model)
        return UnresolvedReference.Place(
          owner: ManagedObjectID(entity: entity, row: values[index]), slot: Int(values[index + 2]))
      })
  }
}
