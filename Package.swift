// swift-tools-version: 6.2
import PackageDescription

/// What `syncstack --version` says where no tag says more.
let commit: [CSetting] =
  if let git = Context.gitInformation, git.currentTag == nil {
    [
      .define(
        "SYNCSTACK_COMMIT",
        to: "\"\(git.currentCommit.prefix(10))\(git.hasUncommittedChanges ? ", changed" : "")\"")
    ]
  } else {
    []
  }

let package = Package(
  name: "SyncStack",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "SyncStack", targets: ["SyncStack"]),
    .library(name: "SyncStackCloud", targets: ["SyncCloud"]),
    .executable(name: "syncstack", targets: ["SyncStackTool"]),
    // What tests and benchmarks send into syncs, and the server that they talk to; no part of the library.
    .library(name: "_SyncStackPayloads", targets: ["TestPayloads"]),
    .library(name: "_SyncStackLoopback", targets: ["Loopback"]),
  ],
  targets: [
    .systemLibrary(
      name: "CSyncStackSQLite",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .yum(["sqlite-devel"]), .brew(["sqlite"])]),
    // Of the tool alone, to read files that are packed with gzip.
    .systemLibrary(
      name: "CSyncStackZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .yum(["zlib-devel"]), .brew(["zlib"])]),
    .target(name: "SyncCore"),
    .target(name: "SyncStore", dependencies: ["CSyncStackSQLite", "SyncCore"]),
    .target(name: "SyncGraph", dependencies: ["SyncCore", "SyncStore"]),
    .target(name: "SyncEngine", dependencies: ["SyncCore", "SyncStore", "SyncGraph"]),
    .target(
      name: "SyncCloud", dependencies: ["SyncCore", "SyncStore", "SyncGraph", "SyncEngine"],
      resources: [.embedInCode("PostgreSQL/syncstack.sql")]),
    .target(
      name: "SyncOutbox", dependencies: ["SyncCore", "SyncStore", "SyncGraph", "SyncEngine"]),
    .target(
      name: "SyncImport", dependencies: ["SyncCore", "SyncStore", "SyncGraph", "SyncEngine"]),
    .target(
      name: "SyncStack",
      dependencies: [
        "SyncCore", "SyncStore", "SyncGraph", "SyncEngine", "SyncOutbox", "SyncImport",
      ]),
    .executableTarget(
      name: "SyncStackTool",
      dependencies: [
        "SyncStack", "SyncCloud", "CSyncStackVersion",
        .target(name: "CSyncStackZlib", condition: .when(platforms: [.linux, .android, .macOS])),
      ]),
    // The commit that the tool was built from, which no Swift source can be told.
    .target(name: "CSyncStackVersion", cSettings: commit),
    .executableTarget(
      name: "QueuedBatchImport", dependencies: ["SyncStack"], path: "Examples/QueuedBatchImport"),
    .executableTarget(
      name: "CancellableSync", dependencies: ["SyncStack"], path: "Examples/CancellableSync"),
    .executableTarget(name: "ChangeLog", dependencies: ["SyncStack"], path: "Examples/ChangeLog"),
    .executableTarget(
      name: "FeedReader", dependencies: ["SyncStack", "Loopback"], path: "Examples/FeedReader"),
    .executableTarget(
      name: "SharedNotes", dependencies: ["SyncStack", "SyncCloud"], path: "Examples/SharedNotes"),
    .executableTarget(
      name: "OfflineOrders", dependencies: ["SyncStack", "Loopback"], path: "Examples/OfflineOrders"
    ),
    // A small HTTP server for examples, tests and benchmarks.
    .target(name: "Loopback", dependencies: ["SyncCore"], path: "Examples/Loopback"),

    .target(name: "TestPayloads", path: "Tests/Payloads"),
    .target(
      name: "TestSupport",
      dependencies: ["CSyncStackSQLite", "SyncCore", "SyncStore", "SyncGraph", "SyncEngine"],
      path: "Tests/Support",
      resources: [.copy("Fixtures")]),
    .testTarget(
      name: "SyncCoreTests", dependencies: ["SyncCore", "TestSupport"]),
    .testTarget(
      name: "SyncStoreTests", dependencies: ["SyncCore", "SyncStore", "TestSupport"],
      resources: [.copy("Golden")]),
    .testTarget(
      name: "SyncGraphTests", dependencies: ["SyncCore", "SyncStore", "SyncGraph", "TestSupport"]),
    .testTarget(
      name: "SyncEngineTests",
      dependencies: [
        "SyncCore", "SyncStore", "SyncGraph", "SyncEngine", "SyncStack", "TestSupport",
        "TestPayloads",
      ]),
    .testTarget(
      name: "SyncCloudTests",
      dependencies: ["SyncStack", "SyncStore", "SyncCloud", "TestSupport"]),
    .testTarget(
      name: "SyncOutboxTests",
      dependencies: ["SyncStack", "SyncStore", "SyncOutbox", "Loopback", "TestSupport"]),
    .testTarget(
      name: "SyncImportTests",
      dependencies: ["SyncStack", "SyncEngine", "SyncImport", "Loopback", "TestSupport"]),
    .testTarget(
      name: "SyncPairTests", dependencies: ["SyncStack", "SyncCloud", "TestSupport"]),
    .testTarget(
      name: "SyncStackToolTests",
      dependencies: ["SyncStackTool", "SyncStack", "SyncStore", "SyncCloud", "TestSupport"]),
  ],
  swiftLanguageModes: [.v6]
)

/// One list for every Swift target: nothing compiles with a warning, and what a later language
/// version will demand is demanded now.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

for target in package.targets where target.type != .system {
  target.swiftSettings = (target.swiftSettings ?? []) + settings
}
