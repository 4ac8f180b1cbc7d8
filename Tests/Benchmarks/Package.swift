// swift-tools-version: 6.2
import PackageDescription

// A package of its own, because it depends on a rival library; the root package never does.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "SyncStack", path: "../.."),
    .package(name: "Counts", path: "../Counts"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
  ],
  targets: [
    .target(
      name: "Rivals",
      dependencies: [
        .product(name: "Measuring", package: "Counts"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .executableTarget(
      name: "Benchmark",
      dependencies: [
        "Rivals", .product(name: "Measuring", package: "Counts"),
        .product(name: "Floor", package: "Counts"), .product(name: "Subject", package: "Counts"),
        .product(name: "SyncStack", package: "SyncStack"),
        .product(name: "_SyncStackPayloads", package: "SyncStack"),
      ]),
    .executableTarget(
      name: "Trials",
      dependencies: [
        .product(name: "Measuring", package: "Counts"),
        .product(name: "Floor", package: "Counts"), .product(name: "Subject", package: "Counts"),
        .product(name: "SyncStack", package: "SyncStack"),
        .product(name: "_SyncStackPayloads", package: "SyncStack"),
      ]),
    .executableTarget(
      name: "CloudBenchmark",
      dependencies: [
        .product(name: "Measuring", package: "Counts"),
        .product(name: "SyncStack", package: "SyncStack"),
        .product(name: "SyncStackCloud", package: "SyncStack"),
      ]),
    .executableTarget(
      name: "OutboxBenchmark",
      dependencies: [
        .product(name: "Measuring", package: "Counts"),
        .product(name: "SyncStack", package: "SyncStack"),
        .product(name: "_SyncStackLoopback", package: "SyncStack"),
      ]),
    .executableTarget(
      name: "ObjectBenchmark",
      dependencies: [
        .product(name: "CSQLite", package: "Counts"),
        .product(name: "Measuring", package: "Counts"),
        .product(name: "GRDB", package: "GRDB.swift"),
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
