// Names that code on the pages of the documentation may use without having made them: they stand
// for a program's own. Nothing here is ever run. A name that a page declares itself, counts there
// instead.
public import Foundation
public import SyncStack

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

private func never<Result>() -> Result { fatalError("This is compiled and never run.") }

public var json: Data { never() }
public var url: URL { never() }
public var urls: [URL] { never() }
public var queue: OperationQueue { never() }
public var model: ManagedObjectModel { never() }
public var stack: DataStack { never() }
public var context: ManagedObjectContext { never() }
public var sync: Sync { never() }
public var session: SyncSession { never() }
public var outbox: Outbox { never() }
public var orders: URL { never() }
public var api: API { never() }
public var shopAPI: API { never() }
public var blogAPI: API { never() }
public var pages: URL { never() }
public var request: URLRequest { never() }
public var order: Order { never() }
public var change: OutboxChange { never() }
public var address: URL { never() }
public var password: String { never() }
public var yesterday: Date { never() }
public func show(_ value: Any) {}

public final class Company: ManagedObject {
  @PrimaryKey public var id: Int64
  @Attribute public var name: String?
  @ToMany(inverse: "company") public var employees: Set<User>
}

public final class User: ManagedObject {
  @PrimaryKey public var id: Int64
  @Attribute public var name: String?
  @Attribute public var age: Int64 = 0
  @Attribute public var email: String?
  @Attribute public var createdAt: Date?
  @ToOne public var company: Company?
  @ToMany(inverse: "user", deleteRule: .cascade) public var notes: Set<Note>
}

public final class Note: ManagedObject {
  @PrimaryKey public var id: Int64
  @Attribute public var text: String?
  @ToOne public var user: User?
}

public final class Order: ManagedObject {
  @PrimaryKey public var id: Int64?
  @Attribute public var status: String?
}

public struct OrderSerializer: Serializer {
  public typealias Object = Order
  public init() {}
  public var identifiers: [String] { ["id"] }
  public var mapping: Mapping { ["id": .int("id"), "status": .string("status")] }
}

/// A program's own client of a server.
public struct API: Sendable {
  public func send(_ change: OutboxChange) async throws -> OutboxAnswer { never() }
  public func send(
    _ kind: OutboxChange.Kind, _ path: String, _ body: JSONValue
  ) async throws -> (Data, URLResponse) { never() }
  public func get(_ path: String) async throws -> (Data, URLResponse) { never() }
  public func put(_ path: String) async throws {}
  public func delete(_ path: String) async throws {}
  public func post(_ path: String, _ items: [JSONValue]) async throws -> [JSONValue] { never() }
}

public final class Author: ManagedObject {
  @PrimaryKey public var id: String
}

public class Animal: ManagedObject {
  @PrimaryKey public var id: Int64
  @Attribute public var name: String?
}

public final class Dog: Animal {
  @Attribute public var breed: String?
}

public final class Cat: Animal {}

public struct DogSerializer: Serializer {
  public typealias Object = Dog
  public var identifiers: [String] { ["id"] }
  public var mapping: Mapping { ["id": .int("id")] }
  public init() {}
}

public struct CatSerializer: Serializer {
  public typealias Object = Cat
  public var identifiers: [String] { ["id"] }
  public var mapping: Mapping { ["id": .int("id")] }
  public init() {}
}

public final class Customer: ManagedObject {
  @PrimaryKey public var id: Int64
}

public final class Invoice: ManagedObject {
  @PrimaryKey public var id: String
  @ToMany(inverse: "invoice", deleteRule: .cascade) public var lines: Set<Line>
}

public final class Line: ManagedObject {
  @PrimaryKey public var id: String
  @ToOne public var invoice: Invoice?
}

public struct LineSerializer: Serializer {
  public typealias Object = Line
  public var identifiers: [String] { ["id"] }
  public var mapping: Mapping { ["id": .string("id")] }
  public init() {}
}

/// Stands for the module of swift-metrics, which the package does not depend on.
public enum Metrics {
  public struct Timer {
    public init(label: String, dimensions: [(String, String)]) {}
    public func recordSeconds(_ seconds: Double) {}
  }
  public struct Counter {
    public init(label: String, dimensions: [(String, String)]) {}
    public func increment(by amount: Int) {}
  }
}

/// Stands for the type of swift-log, which the package does not depend on.
public struct Logger: Sendable {
  public func debug(_ message: @autoclosure () -> String) {}
  public func info(_ message: @autoclosure () -> String) {}
  public func warning(_ message: @autoclosure () -> String) {}
}
