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

  /// Equal plans have equal keys, in every process: what was derived from JSON by a plan with
  /// another key has to be derived again.
  package let key: UInt64

  /// What the compiler found that works but is hardly meant: transformers that are not registered,
  /// annotations nobody understands.
  package let remarks: [MappingRemark]

  /// Compiles what sources say of nested objects; nil where conventions say everything.
  let sources: MappingPlanCompiler?

  /// What the sources say, when it was asked for once for a sync and is nothing but data.
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

  /// The plan for one sync, which asks its sources now and not for each part, where what they say
  /// is nothing but data.
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
package struct MappingRemark: Sendable, Hashable, Codable {
  package enum Kind: String, Sendable, Hashable, Codable {
    /// A transformer the model names and nobody registered.
    case unregisteredTransformer
    /// An annotation of the model whose value is none that it takes.
    case unknownAnnotation
    /// A list of objects that no key tells apart: its items are passed over.
    case missingPrimaryKey
  }

  package let kind: Kind
  package let entity: String
  package let property: String?
  package let message: String

  package init(kind: Kind, entity: String, property: String? = nil, message: String) {
    self.kind = kind
    self.entity = entity
    self.property = property
    self.message = message
  }
}

extension MappingRemark: CustomStringConvertible {
  package var description: String {
    property.map { "\(entity).\($0): \(message)" } ?? "\(entity): \(message)"
  }
}
