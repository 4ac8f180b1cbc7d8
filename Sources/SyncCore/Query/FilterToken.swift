/// One word of a filter's text.
struct FilterToken {
  enum Kind: Equatable {
    case identifier(String)
    /// `#name`: a key that would be a keyword otherwise.
    case escaped(String)
    /// `@count` and the like.
    case function(String)
    /// `$name`
    case variable(String)
    case number(Value)
    case text(String)
    case argument(Specifier)
    case symbol(String)
    case end
  }

  /// The kind of argument that a `%` asks for.
  enum Specifier: String, Equatable {
    case any = "%@"
    case key = "%K"
    case integer = "%d"
    case real = "%f"
  }

  var kind: Kind

  /// Position in characters.
  var position: Int

  /// The word as a message shows it.
  var shown: String {
    switch kind {
    case .identifier(let name): "“\(name)”"
    case .escaped(let name): "“#\(name)”"
    case .function(let name): "“@\(name)”"
    case .variable(let name): "“$\(name)”"
    case .number(let value): "the number \(value)"
    case .text(let text): "the text '\(text)'"
    case .argument(let specifier): "“\(specifier.rawValue)”"
    case .symbol(let symbol): "“\(symbol)”"
    case .end: "the end"
    }
  }

  /// The word in upper case when it can be a keyword.
  var keyword: String? {
    if case .identifier(let name) = kind { name.uppercased() } else { nil }
  }
}
