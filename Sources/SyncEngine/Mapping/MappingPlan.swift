package import SyncCore

/// A compiled mapping: how the objects of a payload become rows.
///
/// A graph of nodes, one per entity for conventional mapping, one per serializer for explicit
/// mapping; relationships name the node of their destination, and cycles are normal. Immutable and
/// shared freely: a plan is compiled once per stack and used by every sync.
package final class MappingPlan: Sendable {
  package let model: ManagedObjectModel
  package let nodes: [PlanNode]

  /// Index of the node that the items of the payload belong to.
  package let root: Int

  /// Equal plans have equal keys, in every process: data derived from JSON by a plan with another
  /// key have to be derived again.
  package let key: UInt64

  /// Remarks of the compiler on mappings that work but are hardly meant: transformers that are not
  /// registered, unknown annotations.
  package let remarks: [MappingRemark]

  /// Compiles the mappings that sources give for nested objects; nil where conventions decide
  /// everything.
  let sources: MappingPlanCompiler?

  /// The answers of the sources, when they were asked once for a sync and are nothing but data.
  let resolved: ResolvedSources?

  /// Whether equal keys of plans mean equal mappings: no closure says a part of them.
  var isPlain: Bool {
    (sources == nil || resolved != nil)
      && !nodes.contains(where: \.hasClosures)
  }

  init(
    model: ManagedObjectModel, nodes: [PlanNode], root: Int, remarks: [MappingRemark] = [],
    sources: MappingPlanCompiler?, resolved: ResolvedSources? = nil
  ) {
    self.sources = sources
    self.resolved = resolved
    require(nodes.indices.contains(root), "A plan needs a root among its nodes.")
    self.model = model
    self.nodes = nodes
    self.root = root
    self.remarks = remarks
    key = MappingPlan.key(nodes: nodes, root: root, resolved: resolved)
  }

  /// The node that the items of the payload belong to.
  package var rootNode: PlanNode { nodes[root] }

  /// The plan for one sync, which asks its sources now and not for each part, where their answers
  /// are nothing but data.
  ///
  /// - Parameter compile: See ``ResolvedSources/init(nodes:root:compile:)``.
  func resolving(_ compile: (any PlanSource, NodeKey?) throws -> PlanNode) -> MappingPlan {
    guard let sources,
      let resolved = ResolvedSources(nodes: nodes, root: root, compile: compile)
    else { return self }
    return MappingPlan(
      model: model, nodes: nodes, root: root, remarks: remarks, sources: sources,
      resolved: resolved)
  }
}

/// Something about a mapping that its author should know.
public struct MappingRemark: Sendable, Hashable, Codable {
  /// The kinds of remarks.
  public enum Kind: String, Sendable, Hashable, Codable {
    /// A transformer that the model names and that is not registered.
    case unregisteredTransformer
    /// An annotation of the model whose value is none that it takes.
    case unknownAnnotation
    /// A list of objects that no key tells apart: its items are passed over.
    case missingPrimaryKey
  }

  /// The kind of the remark.
  public let kind: Kind
  /// The name of the entity.
  public let entity: String
  /// The name of the property; nil where the remark is about the entity.
  public let property: String?
  /// The obstacle, and what to do about it.
  public let message: String
}

extension MappingRemark: CustomStringConvertible {
  /// The entity, the property and the message.
  public var description: String {
    property.map { "\(entity).\($0): \(message)" } ?? "\(entity): \(message)"
  }
}

/// The key of a plan: a stable hash of everything in it that decides which row an item becomes.
extension MappingPlan {
  /// FNV-1a over a canonical text: `Hasher` is seeded anew in every process.
  ///
  /// - Parameter resolved: The answers of sources of nested objects, where they are known.
  static func key(nodes: [PlanNode], root: Int, resolved: ResolvedSources?) -> UInt64 {
    var hash = FNV()
    hash.add(root)
    add(nodes, to: &hash)
    guard let resolved else { return hash.value }
    add(resolved.readers.dropFirst(nodes.count).map(\.node), to: &hash)
    for reader in resolved.readers {
      hash.add(reader.number)
      for (rule, other) in reader.below.inKeyOrder {
        hash.add(rule)
        hash.add(other)
      }
      hash.add(-4)
    }
    return hash.value
  }

  private static func add(_ nodes: [PlanNode], to hash: inout FNV) {
    for node in nodes {
      hash.add(node.entity.name)
      for slot in node.identity { hash.add(slot) }
      add(node.policy, to: &hash)
      if let explicit = node.explicit { hash.add(explicit.keyText) }
      for rule in node.attributes {
        hash.add(rule.name)
        hash.add(rule.slot)
        hash.add(rule.type.rawValue)
        hash.add(rule.transformerName ?? "")
        hash.add(rule.converter.keyText)
        if let version = rule.version { hash.add(version) }
        hash.add(rule.missing.rawValue + rule.mismatch.rawValue)
        if let constant = rule.constant { hash.add("\(constant)") }
      }
      for rule in node.relationships {
        hash.add(rule.name)
        hash.add(rule.slot)
        hash.add(rule.node)
        hash.add(rule.keyScopeIsOwner ? 1 : 0)
        hash.add(rule.missing.rawValue)
        if rule.partial != nil { hash.add(-5) }
        if rule.createsStubs { hash.add(-6) }
        if !rule.elements.isEmpty {
          hash.add(JSONPath(rule.elements).description)
          hash.add(rule.memberSlot ?? -1)
        }
      }
      if let kinds = node.kinds { hash.add(kinds.keyText) }
      if let slot = node.memberSlot { hash.add(slot) }
      add(node.members, to: &hash)
    }
  }

  private static func add(_ policy: SyncPolicy, to hash: inout FNV) {
    hash.add(policy.missingKey.rawValue + policy.mismatch.rawValue + policy.coercion.rawValue)
    hash.add(policy.missingIdentity.rawValue + policy.storedDuplicates.rawValue)
    hash.add(policy.identityScope.rawValue + (policy.deletionScope?.rawValue ?? ""))
  }

  private static func add(_ table: MemberTable, to hash: inout FNV) {
    add(table.itself, to: &hash)
    for entry in table.entries {
      hash.add(entry.key)
      add(entry.targets, to: &hash)
      if let child = entry.child { add(child, to: &hash) }
    }
    if let positions = table.positions {
      hash.add(-2)
      add(positions.table, to: &hash)
    }
    hash.add(-1)
  }

  private static func add(_ targets: [MemberTarget], to hash: inout FNV) {
    for target in targets {
      hash.add(Int(target.kind.rawValue))
      hash.add(target.rule)
      hash.add(Int(target.precedence))
      // Null on the way to a value means another thing to rules.
      if target.isOfRule { hash.add(-3) }
    }
  }

  private struct FNV {
    var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }

    mutating func add(_ number: Int) {
      var rest = UInt64(bitPattern: Int64(number))
      for _ in 0..<8 {
        add(UInt8(truncatingIfNeeded: rest))
        rest >>= 8
      }
    }

    mutating func add(_ text: String) {
      for byte in text.utf8 { add(byte) }
      add(0xFF as UInt8)
    }
  }
}
