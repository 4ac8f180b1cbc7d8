package import SyncCore

/// Writes random filters over ``TestModels/queries()``, as text with arguments.
package struct RandomFilter {
  private var random: SeededGenerator
  private let graph: MemoryGraph
  private var arguments: [Any?] = []
  private var variables = 0

  package init(graph: MemoryGraph, seed: UInt64) {
    self.graph = graph
    random = SeededGenerator(seed: seed)
  }

  /// A filter for an entity: text and arguments.
  package mutating func make(_ entity: EntityDescription) -> (format: String, arguments: [Any?]) {
    arguments = []
    variables = 0
    let format = condition(entity, "", depth: 3)
    return (format, arguments)
  }

  package mutating func sortKeys(_ entity: EntityDescription) -> [SortKey] {
    (0..<Int.random(in: 0...3, using: &random)).compactMap { _ in
      let type = random.pick(AttributeType.allCases.filter { $0 != .transformable })
      guard let path = path(to: [type], from: entity, "") else { return nil }
      let options: TextOptions =
        type == .string && random.chance(50)
        ? random.pick([[.caseInsensitive], [.diacriticInsensitive, .caseInsensitive]]) : []
      return SortKey((random.chance(50) ? "-" : "") + path, options: options)
    }
  }

  // MARK: - Conditions

  private mutating func condition(
    _ entity: EntityDescription, _ prefix: String, depth: Int
  ) -> String {
    guard depth > 0, random.chance(60) else { return comparison(entity, prefix, depth: depth) }
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      return "(\(condition(entity, prefix, depth: depth - 1))) "
        + random.pick(["AND", "&&", "and"])
        + " (\(condition(entity, prefix, depth: depth - 1)))"
    case 1:
      return "(\(condition(entity, prefix, depth: depth - 1)) "
        + random.pick(["OR", "||"]) + " \(condition(entity, prefix, depth: depth - 1)))"
    case 2, 3: return "NOT (\(condition(entity, prefix, depth: depth - 1)))"
    default: return comparison(entity, prefix, depth: depth)
    }
  }

  private mutating func comparison(
    _ entity: EntityDescription, _ prefix: String, depth: Int
  ) -> String {
    switch Int.random(in: 0..<14, using: &random) {
    case 12:
      if random.chance(35) { return casts(entity, prefix) }
      return random.chance(50) ? dates(entity, prefix) : functions(entity, prefix)
    case 13: return membership(entity, prefix)
    case 0, 1: return textComparison(entity, prefix)
    case 2: return presence(entity, prefix)
    case 3: return list(entity, prefix)
    case 4, 5: return quantified(entity, prefix)
    case 6: return objects(entity, prefix)
    case 7: return aggregate(entity, prefix, depth: depth)
    case 8, 9: return numbers(entity, prefix)
    default: return plain(entity, prefix)
    }
  }

  private static let comparable = AttributeType.allCases.filter { $0 != .transformable }
  private static let numeric: [AttributeType] = [
    .integer64, .integer16, .integer32, .double, .decimal, .boolean,
  ]
  private static let orders = ["==", "=", "!=", "<>", "<", "<=", ">", ">=", "=<", "=>"]

  /// A path of keys to an attribute of one of the types, over up to two to-one relationships.
  private mutating func path(
    to types: [AttributeType], from entity: EntityDescription, _ prefix: String
  ) -> String? {
    var keys: [String] = []
    var current = entity
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      let hops = current.relationships.filter { !$0.isToMany }
      guard !hops.isEmpty else { break }
      let hop = random.pick(hops)
      keys.append(hop.name)
      current = current.destination(of: hop)
    }
    let ends = current.attributes.filter { types.contains($0.type) && !$0.isTransient }
    guard !ends.isEmpty else { return nil }
    return prefix + (keys + [random.pick(ends).name]).joined(separator: ".")
  }

  private mutating func argument(_ value: Any?) -> String {
    arguments.append(value)
    return "%@"
  }

  private mutating func constant(_ type: AttributeType, canBeNull: Bool = false) -> String {
    argument(RandomGraph.value(type, &random, canBeNull: canBeNull))
  }

  private mutating func plain(_ entity: EntityDescription, _ prefix: String) -> String {
    let type = random.pick(RandomFilter.comparable)
    guard let left = path(to: [type], from: entity, prefix) else { return "TRUEPREDICATE" }
    let operation = random.pick(RandomFilter.orders)
    if random.chance(25), let right = path(to: [type], from: entity, prefix) {
      return "\(left) \(operation) \(right)"
    }
    let right = constant(type, canBeNull: random.chance(10))
    return random.chance(85) ? "\(left) \(operation) \(right)" : "\(right) \(operation) \(left)"
  }

  private mutating func presence(_ entity: EntityDescription, _ prefix: String) -> String {
    guard let left = path(to: AttributeType.allCases, from: entity, prefix) else {
      return "FALSEPREDICATE"
    }
    return "\(left) \(random.pick(["==", "!="])) \(random.pick(["nil", "NULL", "Nil"]))"
  }

  private mutating func textComparison(_ entity: EntityDescription, _ prefix: String) -> String {
    let types: [AttributeType] = random.chance(85) ? [.string] : [.uri, .uuid]
    guard let left = path(to: types, from: entity, prefix) else { return "TRUEPREDICATE" }
    // Without options, only a UUID compares with a UUID.
    let options = random.pick(
      types == [.string] ? ["", "", "[c]", "[d]", "[cd]"] : ["[c]", "[cd]"])
    let operation = random.pick([
      "==", "!=", "<", ">=", "BEGINSWITH", "CONTAINS", "ENDSWITH", "LIKE", "MATCHES", "contains",
    ])
    if operation == "LIKE" || operation == "MATCHES" {
      let patterns =
        operation == "LIKE"
        ? ["*", "a*", "?", "*b", "?*?", "*[*]*", "*\\**", "", "É*", "s*ss*", "??"]
        : [".*", "a.*", "[aé]", "\\p{L}+", "a|ab", "", "[^a]*", "(?s).*z"]
      return "\(left) \(operation)\(options) \(argument(random.pick(patterns)))"
    }
    if random.chance(20), let right = path(to: [.string], from: entity, prefix) {
      return "\(left) \(operation)\(options) \(right)"
    }
    let text = random.pick(RandomGraph.texts + ["http", "0000"])
    return "\(left) \(operation)\(options) \(argument(text))"
  }

  private mutating func list(_ entity: EntityDescription, _ prefix: String) -> String {
    let type = random.pick(RandomFilter.comparable)
    guard let left = path(to: [type], from: entity, prefix) else { return "TRUEPREDICATE" }
    if random.chance(30) {
      return "\(left) BETWEEN {\(constant(type)), \(constant(type))}"
    }
    let count = random.pick([0, 1, 3, 12])
    let values = (0..<count).map { _ in
      RandomGraph.value(type, &random, canBeNull: random.chance(10))
    }
    return
      "\(left) IN\(type == .string ? random.pick(["", "[c]", "[cd]"]) : "") \(argument(values))"
  }

  private mutating func numbers(_ entity: EntityDescription, _ prefix: String) -> String {
    guard let left = number(entity, prefix, depth: 2), let right = number(entity, prefix, depth: 1)
    else { return "FALSEPREDICATE" }
    return "\(left) \(random.pick(RandomFilter.orders)) \(right)"
  }

  private mutating func number(
    _ entity: EntityDescription, _ prefix: String, depth: Int
  ) -> String? {
    if depth == 0 || random.chance(40) {
      if random.chance(40) {
        return constant(random.pick(RandomFilter.numeric))
      }
      return path(to: RandomFilter.numeric, from: entity, prefix)
    }
    guard let left = number(entity, prefix, depth: depth - 1) else { return nil }
    if random.chance(10) { return "-\(left)" }
    if random.chance(15) {
      return "\(random.pick(["abs", "ceiling", "FLOOR", "trunc", "sqrt"]))(\(left))"
    }
    guard let right = number(entity, prefix, depth: depth - 1) else { return nil }
    return "(\(left) \(random.pick(["+", "-", "*", "/", "**"])) \(right))"
  }

  private mutating func dates(_ entity: EntityDescription, _ prefix: String) -> String {
    let order = random.pick(RandomFilter.orders)
    if random.chance(30),
      let left = path(to: [.integer64, .integer16, .integer32], from: entity, prefix),
      let right = path(to: [.integer64, .integer16, .integer32], from: entity, prefix)
    {
      return "\(left) %% \(right) \(order) \(constant(.integer64))"
    }
    guard let left = path(to: [.date], from: entity, prefix),
      let right = path(to: [.date], from: entity, prefix)
    else { return "TRUEPREDICATE" }
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return "\(left) - \(right) \(order) \(constant(.double))"
    case 1: return "\(left) + \(constant(.integer64)) \(order) \(right)"
    default: return "\(left) \(order) \(constant(.date)) - \(constant(.double))"
    }
  }

  /// Values as ones of another type.
  private mutating func casts(_ entity: EntityDescription, _ prefix: String) -> String {
    let order = random.pick(RandomFilter.orders)
    let whole: [AttributeType] = [.integer64, .integer16, .integer32, .boolean]
    let kinds: [(from: [AttributeType], to: String, with: AttributeType)] = [
      (whole + [.double, .decimal], "NSDate", .date), ([.date], "NSDate", .date),
      ([.date], "NSNumber", .double), ([.string], "NSNumber", .double),
      (whole, "NSNumber", .integer64), (whole + [.double, .decimal], "NSDecimalNumber", .decimal),
      (whole + [.decimal], "NSString", .string), ([.uuid, .uri, .string], "NSString", .string),
    ]
    let (from, to, type) = random.pick(kinds)
    guard let left = path(to: from, from: entity, prefix) else { return "TRUEPREDICATE" }
    let cast = "CAST(\(left), '\(to)')"
    if to == "NSString", random.chance(50) {
      return "\(cast) \(random.pick(["CONTAINS", "BEGINSWITH", "LIKE[c]"])) \(constant(.string))"
    }
    if to == "NSDate", random.chance(20) { return "\(cast) \(order) now() - 86400" }
    if random.chance(30), let right = path(to: [type], from: entity, prefix) {
      return "\(cast) \(order) \(right)"
    }
    return "\(cast) \(order) \(constant(type))"
  }

  private mutating func functions(_ entity: EntityDescription, _ prefix: String) -> String {
    let whole: [AttributeType] = [.integer64, .integer16, .integer32, .boolean]
    if random.chance(50), let left = path(to: whole, from: entity, prefix),
      let right = path(to: whole, from: entity, prefix)
    {
      let operation = random.pick(["&", "|", "^", "<<", ">>", "& ~"])
      return "(\(left) \(operation)\(right)) \(random.pick(RandomFilter.orders)) "
        + constant(.integer64)
    }
    guard let left = path(to: [.string, .uri], from: entity, prefix),
      let right = path(to: [.string], from: entity, prefix)
    else { return "TRUEPREDICATE" }
    let order = random.pick(RandomFilter.orders)
    return random.chance(50)
      ? "length(\(left)) \(order) \(Int.random(in: 0...3, using: &random))"
      : "lowercase(\(left)) \(random.pick(["==", "!=", "CONTAINS", "<"])) uppercase(lowercase(\(right)))"
  }

  private mutating func membership(_ entity: EntityDescription, _ prefix: String) -> String {
    if random.chance(30), let left = path(to: [.string], from: entity, prefix),
      let right = path(to: [.string], from: entity, prefix)
    {
      return "\(left) IN\(random.pick(["", "[c]"])) \(right)"
    }
    guard let (many, member) = toMany(from: entity) else { return "TRUEPREDICATE" }
    let type = random.pick(RandomFilter.comparable)
    guard let end = path(to: [type], from: member, "") else { return "TRUEPREDICATE" }
    if random.chance(30), let left = path(to: [type], from: entity, prefix) {
      return "\(left) IN \(prefix)\(many).\(end)"
    }
    return "\(constant(type, canBeNull: true)) IN \(prefix)\(many).\(end)"
  }

  // MARK: - Relationships

  /// A path that ends in a to-many relationship, and the entity behind it.
  private mutating func toMany(
    from entity: EntityDescription
  ) -> (path: String, entity: EntityDescription)? {
    var keys: [String] = []
    var current = entity
    for _ in 0..<Int.random(in: 0...2, using: &random) where random.chance(50) {
      guard !current.relationships.isEmpty else { break }
      let hop = random.pick(current.relationships)
      keys.append(hop.name)
      current = current.destination(of: hop)
    }
    let ends = current.relationships.filter(\.isToMany)
    guard !ends.isEmpty else { return nil }
    let end = random.pick(ends)
    return ((keys + [end.name]).joined(separator: "."), current.destination(of: end))
  }

  private mutating func quantified(_ entity: EntityDescription, _ prefix: String) -> String {
    guard let (many, member) = toMany(from: entity) else { return "TRUEPREDICATE" }
    let quantifier = random.pick(["ANY", "ALL", "NONE", "some"])
    if random.chance(20) {
      let objects = graph.all(member)
      return "\(quantifier) \(prefix)\(many) \(random.pick(["==", "!="])) "
        + argument(random.pick(objects).id)
    }
    for _ in 0..<5 {
      let inner = random.chance(50) ? plain(member, "") : textComparison(member, "")
      // Only comparisons that have their path on the left; arguments of others go again.
      if !inner.hasPrefix("%"), !inner.hasSuffix("PREDICATE"), inner.contains("%@") {
        return "\(quantifier) \(prefix)\(many).\(inner)"
      }
      if inner.contains("%@") { arguments.removeLast() }
    }
    return "FALSEPREDICATE"
  }

  private mutating func objects(_ entity: EntityDescription, _ prefix: String) -> String {
    let own = prefix.isEmpty ? "SELF" : String(prefix.dropLast())
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      let list = (0..<3).map { _ in random.pick(graph.all(entity)).id }
      return "\(own) \(random.pick(["IN", "in"])) \(argument(list))"
    case 1:
      let hops = entity.relationships.filter { !$0.isToMany }
      guard !hops.isEmpty else { return "TRUEPREDICATE" }
      let hop = random.pick(hops)
      let target = random.pick(graph.all(entity.destination(of: hop)))
      return "\(prefix)\(hop.name) \(random.pick(["==", "!="])) "
        + (random.chance(25) ? "nil" : argument(target.id))
    case 2:
      guard let (many, member) = toMany(from: entity) else { return "TRUEPREDICATE" }
      return "\(prefix)\(many) CONTAINS \(argument(random.pick(graph.all(member)).id))"
    default:
      let hops = entity.relationships.filter { !$0.isToMany && $0.destinationName == entity.name }
      guard let hop = hops.first else { return "\(own) == \(own)" }
      return "\(prefix)\(hop.name) \(random.pick(["==", "!="])) \(own)"
    }
  }

  private mutating func aggregate(
    _ entity: EntityDescription, _ prefix: String, depth: Int
  ) -> String {
    guard let (many, member) = toMany(from: entity) else { return "TRUEPREDICATE" }
    var source = prefix + many
    if depth > 0, random.chance(40) {
      variables += 1
      let name = "$v\(variables)"
      source = "SUBQUERY(\(source), \(name), \(condition(member, name + ".", depth: depth - 1)))"
    }
    let function = random.pick(["@count", "@sum", "@avg", "@min", "@max"])
    let order = random.pick(RandomFilter.orders)
    if function == "@count", !source.hasPrefix("SUBQUERY"), random.chance(30) {
      return "\(source)[SIZE] \(order) \(Int.random(in: 0...3, using: &random))"
    }
    if function == "@count" {
      return "\(source).@count \(order) \(Int.random(in: 0...3, using: &random))"
    }
    let types: [AttributeType] =
      function == "@min" || function == "@max"
      ? RandomFilter.comparable : RandomFilter.numeric
    let type = random.pick(types)
    guard let end = path(to: [type], from: member, "") else {
      return "\(source).@count \(order) 1"
    }
    let right = function == "@avg" ? constant(.double) : constant(type)
    return "\(source).\(function).\(end) \(order) \(right)"
  }
}
