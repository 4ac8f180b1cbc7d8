import SyncCore

/// Tells the report about the items at the top of a matched part.
struct PartReport {
  let matches: Matches
  let report: ReportBuilder

  /// - Parameter known: The items that were passed over, where some may be.
  func note(_ known: KnownItems?) {
    noteUnmatched()
    if matches.rootBatch.node.listsObjects { noteObjects(known) }
  }

  /// Reports those that are no stored object, and whose mapping makes no new ones.
  private func noteUnmatched() {
    let batch = matches.rootBatch
    for (occurrence, path) in batch.staged.origins.paths.inKeyOrder {
      let match = batch.occurrences[batch.representative(occurrence)]
      guard batch.occurrences[occurrence].traits.contains(.root), match.row == 0,
        !match.traits.contains(.rejected)
      else { continue }
      report[batch.entity].skipped += 1
      let key = batch.key(batch.cells(occurrence)).description
      report.note(
        .skippedItem, batch.entity, key: key, path: path,
        message: """
          There is no \(batch.entity.name) \(key), and the mapping makes no new ones (insertMissing is off).
          """)
    }
  }

  /// Notes their objects.
  private func noteObjects(_ known: KnownItems?) {
    let batch = matches.rootBatch
    let items = matches.part.items
    var objects = ObjectList()
    let copies = Dictionary(grouping: batch.copies, by: \.occurrence)
    func note(_ range: Range<Int>) {
      for occurrence in items.listed[range] {
        let object = matches.object(occurrence, in: batch)
        guard object.match.row > 0 else { continue }
        objects.append(object.match.row, object.batch.entity(of: object.match))
        for copy in copies[occurrence] ?? [] {
          objects.append(
            batch.stored.rows[copy.stored], batch.concreteEntity(ofStored: copy.stored))
        }
      }
    }
    var noted = 0
    for passed in items.passed {
      note(noted..<passed.before)
      noted = passed.before
      known?.fingerprints.appendObjects(of: passed.records, batch.entity.model, to: &objects)
    }
    note(noted..<items.listed.count)
    report.report.commits.objects.append(objects)
  }
}
