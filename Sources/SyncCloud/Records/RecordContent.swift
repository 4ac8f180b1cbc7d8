import SyncCore

/// The members of a record, understood:
///
/// ```json
/// {"type":"Note","t":S,"f_title":"…","t_title":S,"d":S}
/// ```
///
/// `f_X` is a value and `t_X` its stamp; a field without one has the record's `t`. `d` is the stamp of the latest
/// deletion. Entity and fields have the names of the model here, whatever they are called on the way: ``WireNames``.
struct RecordContent {
  struct Field {
    let name: String
    let value: JSONValue
    let stamp: Stamp
  }

  /// Name of the entity here; nil for a record that another program has deleted.
  let type: String?

  /// The stamp of fields that have none of their own.
  let stamp: Stamp?
  let deletion: Stamp?
  let fields: [Field]

  /// What is wrong with a record.
  struct Malformed: Error {
    let reason: String
  }

  init(_ record: CloudRecord, _ names: WireNames) throws(Malformed) {
    guard let content = record.content else {
      type = nil
      stamp = nil
      deletion = .deletion(at: record.time)
      fields = []
      return
    }
    guard let type = content["type"]?.stringValue, !type.isEmpty else {
      throw Malformed(reason: "The record has no “type”.")
    }
    self.type = names.entity(type)
    let names = names.fields(of: self.type ?? type)
    stamp = try Self.stamp("t", in: content)
    deletion = try Self.stamp("d", in: content)
    var fields: [Field] = []
    for member in content where member.key.hasPrefix("f_") {
      let name = String(member.key.dropFirst(2))
      guard let stamp = try Self.stamp("t_" + name, in: content) ?? stamp else {
        throw Malformed(reason: "Field “\(name)” has no stamp.")
      }
      fields.append(Field(name: names[name] ?? name, value: member.value, stamp: stamp))
    }
    self.fields = fields
  }

  private static func stamp(_ key: String, in content: JSONObject) throws(Malformed) -> Stamp? {
    guard let value = content[key] else { return nil }
    guard let stamp = value.stringValue.flatMap(Stamp.init) else {
      throw Malformed(reason: "“\(key)” is no stamp.")
    }
    return stamp
  }
}
