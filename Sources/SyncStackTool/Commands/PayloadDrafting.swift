import Foundation
import SyncStack

/// Draws a model from payloads: from a sample first, then from everything when the sample does not
/// show it all. A draft is tried on the whole of the payloads, and drawn anew until they pass.
struct PayloadDrafting {
  let inputs: [DraftInput]
  /// The entity of the items; after the list or the file unless given.
  let entity: String?
  let path: String?
  let terminal: Terminal

  /// Items of a payload that are looked at before there is need for more.
  private static let sampleSize = 2_000
  /// How often a draft is mended.
  private static let mostRounds = 12

  /// The draft, which the payloads pass.
  ///
  /// - Throws: `JSONError` when a payload is no JSON, ``ToolError`` when it has no objects, or some
  ///   that no model takes.
  func draft() async throws -> ModelDraft {
    var doubts = DraftDoubts()
    var limit: Int? = max(50, PayloadDrafting.sampleSize / inputs.count)
    var lines: [String] = []
    for _ in 0..<PayloadDrafting.mostRounds {
      let drawing = try draw(upTo: limit, &doubts)
      var diagnosis = try await MappingTrial(
        model: ManagedObjectModel(drawing.draft.drafts), entity: drawing.entity,
        path: drawing.path
      ).run(inputs.map { ($0.name, $0.payload) }, on: terminal)
      diagnosis.nulls = drawing.nulls
      // Surprises beyond the sample: members, and keys that may stand for different objects.
      let isSurprise =
        limit != nil && !drawing.isWhole
        && (diagnosis.report.entities.values.contains { !$0.unusedKeys.isEmpty }
          || diagnosis.report.count(of: .repeatedItem) > 0)
      if diagnosis.isHealthy, !isSurprise { return drawing.draft }
      lines = diagnosis.lines
      let trial = DraftTrial(
        report: diagnosis.report,
        keys: drawing.keys,
        hasUnfitItems: diagnosis.report.count(of: .skippedItem) > drawing.nulls)
      guard isSurprise || !doubts.learn(from: trial) else { continue }
      if limit == nil || drawing.isWhole { break }
      limit = nil
    }
    throw ToolError(
      "No model was drawn, because none was found that takes all of it:\n"
        + lines.joined(separator: "\n"))
  }

  // MARK: - Drawing

  private struct Drawing {
    let draft: ModelDraft
    let entity: String
    let path: String?
    let keys: [String: [String]]
    /// Items that are null.
    let nulls: Int
    /// Whether everything was looked at.
    let isWhole: Bool
  }

  private func draw(upTo limit: Int?, _ doubts: inout DraftDoubts) throws -> Drawing {
    var path = path
    var key: String?
    var (root, isWhole) = try shape(at: path, upTo: limit, key)
    var advice: [String] = []
    let isObject = KeyFinder.ofRoot(root, entity ?? "").key != nil
    let isAlone = root.count == inputs.count
    let isList = try isAlone && inputs.contains { try $0.isList(at: JSONPath(path ?? "")) }
    if path == nil, isAlone {
      let places = ListPlaces(
        in: root, isList: isList, of: inputs.count,
        for: entity ?? DraftNames.entity(of: inputs[0].name, at: nil))
      if let best = places.best(in: root, isObject: isObject) {
        path = best
        advice = [places.advice(taking: best)]
        (root, isWhole) = try shape(at: path, upTo: limit, key)
      } else if !isList, let other = places.advice {
        advice = [other]
      }
    } else if !isObject, let other = ListPlaces(in: root, at: path, isList: isList).advice {
      advice = [other]
    }
    // Of an object of objects the keys name them, unless they name themselves.
    if root.members["id"] == nil, KeyFinder.ofRoot(root, entity ?? "").key == nil {
      key = "id"
      (root, isWhole) = try shape(at: path, upTo: limit, key)
    }
    guard root.count > 0 else {
      throw ToolError(
        "There is no object to draw a model from. Say with --at where the list lies in the document."
      )
    }
    let name = entity ?? DraftNames.entity(of: inputs[0].name, at: path)
    while true {
      let entities = EntityFinder(root, named: name, doubts: doubts).entities
      let checks = KeyChecks()
      var nulls = 0
      try items(at: path, upTo: limit, key) { item in
        if let item { checks.add(item, of: entities[0]) } else { nulls += 1 }
      }
      checks.finish(entities)
      guard !doubts.learn(from: checks, entities) else {
        (root, _) = try shape(at: path, upTo: limit, key)
        continue
      }
      var draft = ModelDrafter(entities, checks: checks, doubts: doubts).draft
      if nulls > 0 {
        advice.append(
          "\(Figures.counted(nulls, "item")) null: a sync leaves such an item out, says so, and deletes "
            + "nothing, because nothing tells which object it was.")
      }
      try checkSize(of: draft, at: path)
      draft.notes = [ModelDraft.optionality] + advice
      draft.advice = advice
      if !isWhole { draft.notes.append("Drawn from a sample; all of it was tried on the model.") }
      if entities[0].key == nil { draft.advice.append(KeyFinder.keyless(name)) }
      let keys = entities.compactMap { entity in entity.key.map { (entity.name, $0) } }
      return Drawing(
        draft: draft, entity: name, path: path,
        keys: Dictionary(keys, uniquingKeysWith: { first, _ in first }), nulls: nulls,
        isWhole: isWhole)
    }
  }

  /// Columns that a table has room for, but for those of the library.
  private static let mostColumns = 1_900

  /// - Throws: ``ToolError`` when an entity would have more properties than a table columns.
  private func checkSize(of draft: ModelDraft, at path: String?) throws {
    for (number, entity) in draft.entities.enumerated()
    where entity.attributes.count > PayloadDrafting.mostColumns {
      let first = entity.attributes.map { attribute in
        attribute.remoteKey.map { JSONPath($0) }?.steps.first?.key ?? attribute.name
      }
      let largest = Dictionary(grouping: first, by: { $0 }).max { $0.value.count < $1.value.count }
      var advice = ""
      if number == 0, let (key, all) = largest, all.count * 2 > entity.attributes.count {
        let place = DraftPath.adding(key, to: path.map { $0 == "$" ? "" : $0 } ?? "")
        advice =
          " \(Figures.grouped(all.count)) of them lie under “\(key)”: are its keys names of objects? "
          + "--at '\(place).*' takes these."
      }
      throw ToolError(
        "\(entity.name) would have \(Figures.grouped(entity.attributes.count)) attributes, and a table "
          + "has room for \(Figures.grouped(PayloadDrafting.mostColumns)) of them.\(advice)")
    }
  }

  private func shape(
    at path: String?, upTo limit: Int?, _ key: String?
  ) throws -> (root: ObjectShape, isWhole: Bool) {
    let root = ObjectShape()
    let isWhole = try items(at: path, upTo: limit, key) { if let item = $0 { root.add(item) } }
    return (root, isWhole)
  }

  /// - Returns: Whether these were all items.
  @discardableResult
  private func items(
    at path: String?, upTo limit: Int?, _ key: String?, _ body: (JSONObject?) -> Void
  ) throws -> Bool {
    var isWhole = true
    for input in inputs {
      do {
        let all = try input.items(
          at: path.map { JSONPath($0) } ?? JSONPath(), upTo: limit, keyedBy: key, terminal, body)
        isWhole = isWhole && all
      } catch {
        terminal.noteStop(at: input.name, of: inputs.count, error)
        throw error
      }
    }
    return isWhole
  }
}
