import SyncCore

/// Tells the report about the list that a payload is, before any of it is read.
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
}
