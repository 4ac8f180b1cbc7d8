// swift-tools-version: 6.2
import PackageDescription

// A package of its own, because it is built with an address sanitizer and counters of edges.
let package = Package(
  name: "Fuzzing",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "SyncStack", path: "../..")],
  targets: [
    .systemLibrary(name: "CFuzzer"),
    .executableTarget(
      name: "Fuzz", dependencies: ["CFuzzer", .product(name: "SyncStack", package: "SyncStack")],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
