// swift-tools-version: 6.2
import PackageDescription

// A package of its own, because it depends on a rival library; the root package never does.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "SyncStack", path: "../.."),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(
      name: "Measuring",
      dependencies: [.product(name: "_SyncStackPayloads", package: "SyncStack")]),
    .target(name: "Floor", dependencies: ["CSQLite", "Measuring"]),
    .target(
      name: "Rivals",
      dependencies: ["Measuring", .product(name: "GRDB", package: "GRDB.swift")]),
    .executableTarget(
      name: "Benchmark",
      dependencies: [
        "Measuring", "Floor", "Rivals", .product(name: "SyncStack", package: "SyncStack"),
      ]),
    .executableTarget(
      name: "Trials",
      dependencies: [
        "Floor", "Measuring", .product(name: "SyncStack", package: "SyncStack"),
        .product(name: "_SyncStackPayloads", package: "SyncStack"),
      ]),
    .executableTarget(
      name: "ObjectBenchmark",
      dependencies: [
        "CSQLite", .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "SyncStack", package: "SyncStack"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

for target in package.targets where target.type != .system {
  target.swiftSettings = settings
}
