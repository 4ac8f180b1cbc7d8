import Foundation
import SyncStack
import Testing

@testable import SyncStackTool

/// A model drawn from one answer holds for a later one: each value is kept, or the report names it.
@Suite struct LaterAnswerTests {
  /// The items of a document.
  private func items(_ json: String, at path: String?) throws -> [JSONObject] {
    let data = Data(json.utf8)
    return try data.withUnsafeBytes { bytes in
      var reader = try JSONItemReader(bytes, at: path.map { JSONPath($0) } ?? JSONPath())
      let tape = JSONTape()
      var items: [JSONObject] = []
      while try reader.next(into: tape) { items.append(try #require(tape.value(0).objectValue)) }
      return items
    }
  }

  private func report(_ output: String) throws -> SyncReport {
    try JSONDecoder().decode(SyncReport.self, from: Data(output.utf8))
  }

  /// Whether a report names a place: its last key among those that fill nothing, or a finding.
  private func names(_ place: String, _ report: SyncReport) -> Bool {
    let keys: [String] = place.split(separator: ".").map { String($0).replacing("[]", with: "") }
    for entity in report.entities.values {
      for unused in entity.unusedKeys.keys {
        let last = unused.split(separator: ".").last.map { String($0) }
        if unused == place || keys.contains(unused) || last == keys.last { return true }
      }
    }
    return report.findings.contains { finding in
      guard let path = finding.path else { return false }
      return keys.allSatisfy { path.contains($0) }
    }
  }

  @Test(arguments: LaterAnswer.all)
  func aLaterAnswerIsKeptAndLossesAreSaid(_ answer: LaterAnswer) async throws {
    let bench = try ToolBench()
    let first = try bench.file("first.json", answer.first)
    let draft = await bench.run("model", "--from", first, "--entity", answer.entity)
    try #require(draft.code == .done, "\(draft.error)")
    let model = try bench.file("drawn.xml", draft.output)
    if let path = answer.path {
      let word = path.contains("[") ? "'\(path)'" : path
      #expect(draft.error.contains("give --at \(word) to doctor"), "\(draft.error)")
    }
    let words = ["--model", model, "--entity", answer.entity, "--store", bench.store, "--json"]
    let before = await bench.run(["import", first] + words + answer.at)
    try #require(before.code == .done, "\(before.error)")
    let clean = try report(before.output)
    #expect(clean.findings.isEmpty && clean.entities.values.allSatisfy(\.unusedKeys.isEmpty))
    let second = try bench.file("second.json", answer.second)
    let after = await bench.run(["import", second] + words + answer.at)
    try #require(after.code == .done, "\(after.error)")
    let result = try report(after.output)

    let entity = try ManagedObjectModel(xml: Data(draft.output.utf8))
      .requireEntity(named: answer.entity)
    let key = try #require(entity.primaryKey)
    let steps = MappingRules.customKey(key.userInfo)?.steps ?? [Inflection.key(for: key.name)]
    let stored = await bench.run("export", "--store", bench.store, "--entity", answer.entity)
    let kept = try #require(try JSONValue(parsing: stored.output).arrayValue)
    func twin(_ item: JSONObject) -> JSONValue? {
      kept.first { kept in
        guard let mine = item.value(at: steps), let theirs = kept.objectValue?.value(at: steps)
        else { return false }
        return "\(mine)".lowercased() == "\(theirs)".lowercased()
      }
    }
    let tombstone = entity.userInfo["sync.tombstoneKey"]
    var stale: Set<String> = []
    for item in try items(answer.second, at: answer.path) {
      if let tombstone, item[tombstone] != nil {
        #expect(twin(item) == nil, "deleted items are not stored")
        continue
      }
      let comparison = KeptValues(.object(item), twin(item))
      let silent = comparison.lost.filter { !answer.places.contains($0) && !names($0, result) }
      #expect(silent == [], "\(after.output)\n\(stored.output)\n\(draft.output)")
      stale.formUnion(comparison.stale)
    }
    #expect(stale.sorted() == answer.stays.sorted(), "\(stored.output)\n\(draft.output)")
    let all = draft.output + draft.error + after.output
    for text in answer.said { #expect(all.contains(text), "\(all)") }
  }
}
