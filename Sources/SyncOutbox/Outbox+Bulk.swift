import SyncCore
public import SyncEngine
public import SyncGraph

extension Outbox {
  // MARK: - Several in one request

  /// Sends several changes, and says the outcome of each, in their order. An error, or another
  /// number of answers, means that nothing is known: all of them are sent again.
  public typealias BulkHandler = @Sendable ([OutboxChange]) async throws -> [OutboxAnswer]

  /// Says how changes of objects of a class are sent, several in one request, to an API that takes
  /// lists. Else as ``send(_:using:_:)``.
  ///
  /// ```swift
  /// outbox.send(Order.self, upTo: 50) { changes in
  ///   let answers = try await api.post("orders/bulk", changes.map(\.json))
  ///   return answers.map { OutboxAnswer(status: $0["status"]?.integerValue, $0["order"]) }
  /// }
  /// ```
  ///
  /// The changes in one request are of one kind (``OutboxChange/kind``) and do not refer to each
  /// other. Those that are answered with `.retry` go once more without the others.
  ///
  /// - Parameters:
  ///   - count: How many at most. ``concurrency`` counts requests.
  ///   - options: How the JSON is written. By default relationships are the keys of what they lead
  ///     to.
  public func send<Object: ManagedObject>(
    _ type: Object.Type, upTo count: Int,
    using options: ExportOptions = ExportOptions(relationshipType: .keys),
    _ handler: @escaping BulkHandler
  ) {
    send(with: Conventional(type.entityName), upTo: count, using: options, handler)
  }

  /// Says how changes of objects that a serializer describes are sent, several in one request.
  public func send(
    with source: some PlanSource, upTo count: Int,
    using options: ExportOptions = ExportOptions(relationshipType: .keys),
    _ handler: @escaping BulkHandler
  ) {
    var options = options
    options.omitsMissingKeys = true
    let reading = options.writesResources ? reading(handler, source) : handler
    add(
      OutboxDestination(source: source, options: options, limit: max(count, 1), handler: reading))
  }

  /// The handler of an API that speaks JSON:API: its documents are answers as any other.
  private func reading(_ handler: @escaping BulkHandler, _ source: some PlanSource) -> BulkHandler {
    { [stack] changes in
      try await handler(changes).map { answer in
        // JSON that is no document is looked at as it is, and says so in the report.
        guard let document = answer.json,
          let item = try? RowFill(source, stack).item(ofDocument: document)
        else { return answer }
        switch answer {
        case .accepted: return .accepted(item)
        case .conflict: return .conflict(item)
        case .gone, .refused, .retry: return answer
        }
      }
    }
  }
}
