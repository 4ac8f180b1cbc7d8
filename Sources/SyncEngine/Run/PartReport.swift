import SyncCore

/// The report of a payload and of its parts.
extension SyncPass {
  /// Reports the items at the top that are no stored object, and whose mapping makes no new ones.
  func noteUnmatched(_ batch: MatchedBatch) {
    for (occurrence, path) in batch.staged.origins.paths.inKeyOrder {
      let mention = batch.occurrences[batch.representative(occurrence)]
      guard batch.occurrences[occurrence].traits.contains(.root), mention.row == 0,
        !mention.traits.contains(.rejected)
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

  /// Notes the objects of the items at the top, where the report lists them.
  func noteObjects(of matches: Matches) {
    let part = matches.part
    let batch = matches.rootBatch
    guard batch.node.listsObjects else { return }
    var objects = ObjectList()
    let copies = Dictionary(grouping: batch.copies, by: \.occurrence)
    func note(_ items: Range<Int>) {
      for occurrence in part.items.listed[items] {
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
    for passed in part.items.passed {
      note(noted..<passed.before)
      noted = passed.before
      reader.known?.fingerprints.appendObjects(of: passed.records, request.plan.model, to: &objects)
    }
    note(noted..<part.items.listed.count)
    report.report.commits.objects.append(objects)
  }
}
