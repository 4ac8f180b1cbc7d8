import SyncCore

extension JSONValue {
  /// The usual names of a reason; several of them in one.
  var reason: String? {
    if let text = stringValue { return text.isEmpty ? nil : text }
    if let list = arrayValue { return JSONValue.joined(list.map(\.reasonWithField), by: "; ") }
    guard let object = objectValue else { return nil }
    // `{"errors": {"status": ["is too late"]}}`: the property is half of the reason.
    if let errors = object["errors"], errors.objectValue != nil { return errors.reasonsByField }
    let names = [
      "message", "error_description", "detail", "error", "title", "reason", "msg", "defaultMessage",
    ]
    if let text = names.lazy.compactMap({ object[$0]?.reason }).first {
      let details = object.details
      return details == text ? text : JSONValue.joined([text, details], by: ": ")
    }
    return object["errors"]?.reason ?? (isOfFieldErrors ? reasonsByField : nil)
  }

  /// The reasons of an object of fields, each after its name.
  fileprivate var reasonsByField: String? {
    let reasons = (objectValue ?? JSONObject()).map { field in
      field.value.reason.map { JSONValue.general.contains(field.key) ? $0 : "\(field.key): \($0)" }
    }
    return JSONValue.joined(reasons, by: "; ")
  }

  /// The names of the object as a whole, in Django and Rails.
  private static let general: Set<String> = ["non_field_errors", "__all__", "base"]

  /// Whether it says nothing but the faults of fields, as Django, Rails and ASP.NET do:
  /// `{"name": ["This field is required."], "lines": [{}, {"text": ["…"]}]}`.
  private var isOfFieldErrors: Bool {
    guard let object = objectValue else { return false }
    return object.allSatisfy { field in
      guard let list = field.value.arrayValue else { return field.value.isOfFieldErrors }
      return list.allSatisfy { $0.stringValue != nil || $0.isOfFieldErrors }
    }
  }

  /// The reason of one of several errors, after the field that it is about.
  private var reasonWithField: String? {
    guard let object = objectValue else { return reason }
    guard let reason = reason ?? object["code"]?.stringValue else { return object.field }
    guard let field = object.field, !reason.contains(field) else { return reason }
    return "\(field): \(reason)"
  }

  fileprivate static func joined(_ reasons: [String?], by separator: String) -> String? {
    let reasons = reasons.compactMap { $0 }
    return reasons.isEmpty ? nil : reasons.joined(separator: separator)
  }
}

extension JSONObject {
  /// The errors beside a message: a list of errors, or the errors of fields.
  fileprivate var details: String? {
    self["errors"]?.reason ?? self["details"]?.reason ?? self["data"]?.reasonsByField
  }

  /// The field that an error is about: by its name, or the last step of where it stands.
  fileprivate var field: String? {
    for name in ["field", "param", "target", "pointer", "path", "loc", "source"] {
      switch self[name] {
      case .string(let text)?:
        return text.split(separator: "/").last.map(String.init)
      case .array(let steps)?: return steps.last?.stringValue
      case .object(let source)?: return source.field
      default: continue
      }
    }
    return nil
  }
}
