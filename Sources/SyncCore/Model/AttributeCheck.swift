/// Says which of the values that an attribute can hold can also be read by the program: by the type
/// that its class declares, and by the transformer that the model names.
///
/// A value from outside (JSON, keys, batches) is checked before it is stored, because a property
/// has no way to throw when it is read.
package struct AttributeCheck: Sendable {
  private let types: [DeclaredType]

  /// Name of a type that has to have a value where the model needs none.
  private var needyType: String?
  private let transformer: (any AttributeTransformer)?
  private let transformerName: String

  /// Returns nil when every value can be read, so that there is nothing to check.
  ///
  /// - Parameter types: The declared types that do not take every value of the attribute.
  package init?(
    _ attribute: AttributeDescription, types: [DeclaredType], transformers: TransformerRegistry
  ) {
    transformerName = attribute.objectTransformerName ?? ""
    transformer = attribute.objectTransformerName.flatMap { transformers.transformer(named: $0) }
    self.types = types.filter { !$0.takesEveryValue(attribute.type) }
    needyType = attribute.isOptional ? types.first(where: \.needsValue)?.name : nil
    if self.types.isEmpty, transformer == nil, needyType == nil { return nil }
  }

  /// Whether the program needs a value where the model needs none.
  package var needsValue: Bool { needyType != nil }

  /// The check of values alone, for callers that ask for missing ones themselves; nil when every
  /// value can be read.
  package var ofValues: AttributeCheck? {
    guard !types.isEmpty || transformer != nil else { return nil }
    var result = self
    result.needyType = nil
    return result
  }

  /// Everything about the check that is not a closure, for the key of a plan.
  package var keyText: String {
    (types.map(\.name) + [transformerName]).joined(separator: " ")
  }

  /// Why a value cannot be read, as the end of a sentence; nil when it can. That there is no value
  /// where the model requires one is for others to judge.
  package func refusal(of value: Value) -> String? {
    guard !value.isNull else {
      return needyType.map { "there is no value, and the class declares \($0), not \($0)?" }
    }
    var shown = value.anyValue
    if let transformer {
      do {
        shown = try transformer.object(from: value)
      } catch {
        return "the transformer “\(transformerName)” refuses “\(value.excerpt)”: \(error)"
      }
    }
    return types.first { !$0.takes(value, shown) }.map {
      "“\(value.excerpt)” is no value of type \($0.name)"
    }
  }
}

extension Value {
  /// The value for a message: the beginning of a long text, and of bytes that are text.
  package var excerpt: String {
    var text = description
    if case .data(let data) = self, let content = String(validating: data, as: UTF8.self) {
      text = content
    }
    return text.count > 60 ? text.prefix(60) + "…" : text
  }
}
