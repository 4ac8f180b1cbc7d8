import Foundation
import TestSupport

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
        "createdAt date from meta.created", "labels ->> Label.items",
      ], isAbstract: true, uniquenessConstraints: [["id"]],
      indexes: [FetchIndexDescription(name: "byTitle", elements: [.init(property: "title")])]),
    EntityDraft(
      "Book",
      [
        .attribute(
          "pages", .integer32, isOptional: false, defaultValue: 100,
          validation: ValidationRules(minimum: 1, maximum: 5000)), "shelf",
        "place integer16 was position",
        .attribute("level", .integer16, isOptional: false, defaultValue: 1),
        "author -> Author.books", "loans ->> Loan.book cascade",
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
        "programmes ->> Programme.films noAction",
      ], superentity: "Item"),
    EntityDraft(
      "Author",
      [
        "name required", "books ->> Book.author deny", "teacher -> Author.student",
        "student -> Author.teacher",
      ]),
    "Loan: reader, book -> Book.loans required",
    EntityDraft(
      "Programme",
      [
        "name",
        .toMany(
          "films", to: "Film", inverse: "programmes", isOrdered: true, isOptional: false,
          minCount: 1, maxCount: 3),
      ]),
    EntityDraft("Label", ["name", "items ->> Item.labels"], uniquenessConstraints: [["name"]]),
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
