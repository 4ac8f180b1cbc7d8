// swift-tools-version: 6.2
import PackageDescription

// The library and the floor that it is measured against, without rivals: the counts that every run
// of the checks compares with their limits need nothing that has to be fetched.
let package = Package(
  name: "Counts",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Measuring", targets: ["Measuring"]),
    .library(name: "Floor", targets: ["Floor"]),
    .library(name: "Subject", targets: ["Subject"]),
    .library(name: "CSQLite", targets: ["CSQLite"]),
    .library(name: "Shapes", targets: ["Shapes"]),
  ],
  dependencies: [.package(name: "SyncStack", path: "../..")],
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    // valgrind up to 3.19 gives up at the debugging data that clang writes for C by default.
    .target(name: "CHeap", cSettings: [.unsafeFlags(["-gdwarf-4"])]),
    .target(
      name: "Measuring",
      dependencies: [
        "CHeap", "CSQLite", .product(name: "_SyncStackPayloads", package: "SyncStack"),
      ]),
    .systemLibrary(name: "CPrefetch"),
    .target(name: "Floor", dependencies: ["CPrefetch", "CSQLite", "Measuring"]),
    .target(
      name: "Subject",
      dependencies: ["Measuring", .product(name: "SyncStack", package: "SyncStack")]),
    .target(name: "CCallgrind"),
    .target(
      name: "Shapes", dependencies: [.product(name: "SyncStack", package: "SyncStack")]),
    .executableTarget(
      name: "Counts", dependencies: ["CCallgrind", "Measuring", "Floor", "Subject", "Shapes"]),
  ],
  swiftLanguageModes: [.v6]
)

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

for target in package.targets
where target.type != .system && !["CHeap", "CCallgrind"].contains(target.name) {
  target.swiftSettings = settings
}
