import SyncCore
import SyncStore

/// The members of a record, understood:
///
/// ```json
/// {"type":"Note","t":S,"f_title":"…","t_title":S,"d":S}
/// ```
///
/// `f_X` is a value and `t_X` its stamp; a field without one has the record's `t`. `d` is the stamp
/// of the latest deletion. ``WireNames`` gives the entity and the fields their names in the model.
struct RecordContent {
  struct Field {
    let name: String
    let value: JSONValue
    let stamp: Stamp
  }

  /// Name of the entity in the model; nil for a record that another program has deleted.
  let type: String?

  /// The stamp of fields that have none of their own.
  let stamp: Stamp?
  let deletion: Stamp?
  let fields: [Field]

  /// Stamps that were too far in the future to be believed, by those that are taken in their place.
  let corrections: [String: String]

  /// Fields whose stamps were corrected.
  let corrected: Set<String>

  /// Why a record cannot be read.
  struct Malformed: Error {
    let reason: String
  }

  init(_ record: CloudRecord, _ names: WireNames) throws(Malformed) {
    guard let content = record.content else {
      type = nil
      stamp = nil
      deletion = .deletion(at: record.time)
      fields = []
      (corrections, corrected) = ([:], [])
      return
    }
    guard let type = content["type"]?.stringValue, !type.isEmpty else {
      throw Malformed(reason: "The record has no “type”.")
    }
    self.type = names.entity(type)
    let seal = names.seal
    let names = names.fields(of: self.type ?? type)
    var reader = StampReader(content: content, time: record.time)
    stamp = try reader.stamp("t")
    deletion = try reader.stamp("d")
    var fields: [Field] = []
    var corrected: Set<String> = []
    // Most records were written at one time.
    let hasStamps = content.contains { $0.key.hasPrefix("t_") }
    for member in content where member.key.hasPrefix("f_") {
      let name = String(member.key.dropFirst(2))
      guard let stamp = hasStamps ? try reader.stamp("t_" + name) ?? stamp : stamp else {
        throw Malformed(reason: "Field “\(name)” has no stamp.")
      }
      let value = seal?.open(member.value, member.key, of: record.name) ?? member.value
      let field = Field(name: names[name] ?? name, value: value, stamp: stamp)
      if !reader.corrected.isEmpty,
        reader.corrected.contains(content["t_" + name] == nil ? "t" : "t_" + name)
      {
        corrected.insert(field.name)
      }
      fields.append(field)
    }
    self.fields = fields
    self.corrected = corrected
    corrections = reader.corrections
  }

  /// Whether the stamp of the deletion was corrected.
  var hasCorrectedDeletion: Bool {
    deletion.map { corrections.values.contains($0.text) } ?? false
  }

  /// The latest stamp of all, in milliseconds.
  var latest: Int64 {
    ([stamp, deletion].compactMap(\.self) + fields.map(\.stamp)).map(\.milliseconds).max() ?? 0
  }

  /// Reads the stamps of a record. One that is more than a day ahead of the server's clock when it
  /// wrote the record is taken as of that moment: so it is the same on all machines, and no wrong
  /// clock decides for ever.
  private struct StampReader {
    let content: JSONObject

    /// When the server wrote the record; 0 when that is not known.
    let time: Int64
    private(set) var corrections: [String: String] = [:]

    /// The keys of the stamps that were corrected.
    private(set) var corrected: Set<String> = []

    mutating func stamp(_ key: String) throws(Malformed) -> Stamp? {
      guard let value = content[key] else { return nil }
      guard let stamp = value.stringValue.flatMap(Stamp.init) else {
        throw Malformed(reason: "“\(key)” is no stamp.")
      }
      guard stamp.isFar(from: time) else { return stamp }
      let believed = Stamp(milliseconds: time, writer: String(stamp.text.suffix(8)))
      corrections[stamp.text] = believed.text
      corrected.insert(key)
      return believed
    }
  }
}

extension RemoteRecord {
  /// The outcome of merging a record that was sent whole and that the server has as it was sent:
  /// nothing waits. Nil where more has to be merged.
  func taken(_ shown: CloudRecord) -> RemoteRecord? {
    guard tag == nil, waiting == [.whole], row != nil, !isPair, !isEvicted, deletion == nil,
      moved == nil, kept == nil, problem == nil,
      Stamp(latestStamp)?.isFar(from: shown.time) == false
    else { return nil }
    var record = self
    record.tag = shown.tag
    record.waiting = []
    record.forgetBases()
    return record
  }

  /// With other stamps in the place of those that are not believed.
  func corrected(_ corrections: [String: String]) -> RemoteRecord {
    guard !corrections.isEmpty else { return self }
    var record = self
    record.stamp = corrections[stamp] ?? stamp
    record.stamps = stamps.mapped { corrections[$0] ?? $0 }
    record.deletion = deletion.map { corrections[$0] ?? $0 }
    return record
  }
}
