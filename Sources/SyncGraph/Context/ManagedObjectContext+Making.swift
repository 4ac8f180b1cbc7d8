import SyncCore
import SyncStore

/// Rows become objects here.
extension ManagedObjectContext {
  /// The object of a row: the one that is there, or a new fault.
  func object(_ entity: EntityDescription, _ row: Int64) -> ManagedObject {
    identities.object(root: entity.rootIndex, row: row) ?? makeObject(entity, row)
  }

  private func makeObject(_ entity: EntityDescription, _ row: Int64) -> ManagedObject {
    let home = home(entity.index)
    let object = WrapperConstruction.make(home.binding.type, ObjectSeed(home: home, row: row))
    identities.insert(object)
    scheduleTidying()
    return object
  }

  private func home(_ entity: Int) -> ObjectHome {
    homes.home(bindings[entity], in: self)
  }

  /// The objects of rows that were just read, in their order, with the rows put in.
  func objects(of rows: [StoredRow]) -> [ManagedObject] {
    guard let first = rows.first else { return [] }
    identities.reserve(rows.count, root: first.entity.rootIndex)
    let batch = FaultBatch(rows: rows.map(\.row), firstWindow: 1024)
    var objects: [ManagedObject] = []
    objects.reserveCapacity(rows.count)
    for (index, row) in rows.enumerated() {
      let object = object(row.entity, row.row)
      object.join(batch, at: index)
      if object.adopt(row.values, row.version) { object.flags.insert(.awakening) }
      objects.append(object)
    }
    awake(objects)
    return objects
  }

  /// The objects of pages that were just read, in their order, with the rows put in.
  func objects(of pages: [RowPage]) -> [ManagedObject] {
    guard let first = pages.first else { return [] }
    let count = pages.reduce(0) { $0 + $1.count }
    let root = first.entity(0).rootIndex
    // A row comes once, so nothing needs to be looked up where nothing is.
    let isFirst = identities.count(root: root) == 0
    identities.reserve(count, root: root)
    let batch = FaultBatch(
      rows: pages.flatMap { page in (0..<page.count).lazy.map(page.row) }, firstWindow: 1024)
    var objects: [ManagedObject] = []
    objects.reserveCapacity(count)
    for page in pages {
      WrapperConstruction.inSeries { series in
        var home = home(page.entity(0).index)
        for index in 0..<page.count {
          let (entity, row) = (page.entityIndex(index), page.row(index))
          if home.shape.index != entity { home = self.home(entity) }
          let object: ManagedObject
          if !isFirst, let known = identities.object(root: root, row: row) {
            object = known
          } else {
            object = series.make(home.binding.type, ObjectSeed(home: home, row: row))
            identities.insert(object)
          }
          object.join(batch, at: objects.count)
          let values = RowValues.shared(page, Int32(truncatingIfNeeded: index))
          if object.adopt(values, page.version(index)) { object.flags.insert(.awakening) }
          objects.append(object)
        }
      }
    }
    scheduleTidying()
    awake(objects)
    return objects
  }

  /// Tells objects that values came in, each once, when all of them have theirs.
  func awake(_ objects: [ManagedObject]) {
    awakenings += 1
    defer { awakenings -= 1 }
    for object in objects where object.flags.remove(.awakening) != nil {
      require(
        awakenings <= 200,
        """
        awakeFromFetch() of \(type(of: object)) reads objects whose awakeFromFetch() reads objects, 200 \
        deep. Read there only what does not do the same, and refresh nothing.
        """)
      object.flags.insert(.awaking)
      object.awakeFromFetch()
      object.flags.remove(.awaking)
    }
  }
}
