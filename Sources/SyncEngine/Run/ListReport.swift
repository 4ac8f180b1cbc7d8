import SyncCore

/// Tells the report about the list that a payload is, before any of it is read, and about the items
/// at the top of each of its parts.
struct ListReport {
  let request: SyncRequest
  let report: ReportBuilder

  func note() {
    noteRemarks()
    noteRewriting()
  }

  /// Reports the remarks on the mapping, once for each list of the sync.
  private func noteRemarks() {
    guard report.describedLists.insert(request.list).inserted else { return }
    for remark in request.plan.remarks {
      report.note(
        remark.kind == .unregisteredTransformer ? .unregisteredTransformer : .mappingRemark,
        request.plan.model.entity(named: remark.entity) ?? request.plan.rootNode.entity,
        property: remark.property, message: remark.message)
    }
  }

  /// Reports members of a document that were passed over, and that a page of a list is no list.
  private func noteRewriting() {
    guard let rewritten = request.rewritten else { return }
    let entity = request.plan.rootNode.entity
    report.report.nextPage = rewritten.nextPage
    for remark in rewritten.remarks {
      report.note(.ignoredValue, entity, path: remark.path, message: remark.message)
    }
    if rewritten.isPage, request.session == nil {
      report.note(
        .suspendedDeletion, entity, path: "$.links",
        message: """
          The document is a page of a longer list, so nothing was deleted for want of mention. Sync all pages in a \
          SyncSession to have that done.
          """)
    }
  }

  // MARK: - A part

  /// Tells the report about the items at the top of a matched part.
  ///
  /// - Parameter known: The items that were passed over, where some may be.
  func note(_ matches: Matches, _ known: KnownItems?) {
    noteUnmatched(matches)
    if matches.rootBatch.node.listsObjects { noteObjects(matches, known) }
  }

  /// Reports those that are no stored object, and whose mapping makes no new ones.
  private func noteUnmatched(_ matches: Matches) {
    let batch = matches.rootBatch
    for (occurrence, path) in batch.staged.origins.paths.inKeyOrder {
      let match = batch.matches[batch.representative(occurrence)]
      guard batch.matches[occurrence].traits.contains(.root), match.row == 0,
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
  private func noteObjects(_ matches: Matches, _ known: KnownItems?) {
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
