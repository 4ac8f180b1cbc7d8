import Foundation
import SyncCore

/// The model of the conformance suite as drafts.
extension Library {
  static let drafts: [EntityDraft] = [
    EntityDraft(
      "Item",
      [
        .attribute("id", .integer64, isOptional: false, isPrimaryKey: true, defaultValue: 0),
        .attribute(
          "title", .string,
          validation: ValidationRules(minimum: 2, maximum: 12, regularExpression: "[A-Z].*")),
        .attribute("createdAt", .date, remoteKey: "meta.created"),
        .toMany("labels", to: "Label", inverse: "items"),
      ], isAbstract: true, uniquenessConstraints: [["id"]],
      indexes: [FetchIndexDescription(name: "byTitle", elements: [.init(property: "title")])]),
    EntityDraft(
      "Book",
      [
        .attribute(
          "pages", .integer32, isOptional: false, defaultValue: 100,
          validation: ValidationRules(minimum: 1, maximum: 5000)),
        .attribute("shelf", .string),
        .attribute("place", .integer16, renamingIdentifier: "position"),
        .attribute("level", .integer16, isOptional: false, defaultValue: 1),
        .toOne("author", to: "Author", inverse: "books"),
        .toMany("loans", to: "Loan", inverse: "book", deleteRule: .cascade),
      ], superentity: "Item", uniquenessConstraints: [["shelf", "place"]],
      indexes: [
        FetchIndexDescription(
          name: "byShelf",
          elements: [.init(property: "shelf"), .init(property: "place", ascending: false)])
      ]),
    EntityDraft(
      "Film",
      [
        .attribute("length", .double, isOptional: false, defaultValue: 90),
        .toMany("programmes", to: "Programme", inverse: "films", deleteRule: .noAction),
      ], superentity: "Item"),
    EntityDraft(
      "Author",
      [
        .attribute("name", .string, isOptional: false),
        .toMany("books", to: "Book", inverse: "author", deleteRule: .deny),
        .toOne("teacher", to: "Author", inverse: "student"),
        .toOne("student", to: "Author", inverse: "teacher"),
      ]),
    EntityDraft(
      "Loan",
      [
        .attribute("reader", .string),
        .toOne("book", to: "Book", inverse: "loans", isOptional: false),
      ]),
    EntityDraft(
      "Programme",
      [
        .attribute("name", .string),
        .toMany(
          "films", to: "Film", inverse: "programmes", isOrdered: true, isOptional: false,
          minCount: 1, maxCount: 3),
      ]),
    EntityDraft(
      "Label",
      [.attribute("name", .string), .toMany("items", to: "Item", inverse: "labels")],
      uniquenessConstraints: [["name"]]),
    sample,
  ]

  private static let sample: EntityDraft = {
    let plain: [AttributeType] = AttributeType.allCases.filter { $0 != .transformable }
    return EntityDraft(
      "Sample",
      plain.map { .attribute("\($0)", $0) } + [
        .attribute("transformable", .transformable, valueTransformerName: "Library.Numbers"),
        .attribute("transient", .string, isTransient: true),
        required("integer16Default", .integer16, -3, ValidationRules(minimum: -5)),
        required(
          "decimalDefault", .decimal, .decimal(1.5),
          ValidationRules(minimum: .decimal(0.5), maximum: .decimal(9.5))),
        required("doubleDefault", .double, 2.5, ValidationRules(maximum: 10.0)),
        required("stringDefault", .string, "x"), required("booleanDefault", .boolean, true),
        required(
          "dateDefault", .date, .date(Date(timeIntervalSinceReferenceDate: 60)),
          ValidationRules(minimum: .date(Date(timeIntervalSinceReferenceDate: 0)))),
        required("binaryDefault", .binary, .data(Data([1, 2]))),
        required("uuidDefault", .uuid, .uuid(Sample.uuid)),
      ])
  }()

  private static func required(
    _ name: String, _ type: AttributeType, _ value: Value,
    _ rules: ValidationRules = ValidationRules()
  ) -> PropertyDraft {
    .attribute(name, type, isOptional: false, defaultValue: value, validation: rules)
  }
}
