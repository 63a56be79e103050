// swift-tools-version: 6.2
import PackageDescription

let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "rtool",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Formats", targets: ["Formats"]),
        .library(name: "Migrator", targets: ["Migrator"]),
        .executable(name: "rtool", targets: ["rtool"]),
    ],
    targets: [
        .target(name: "Formats", swiftSettings: house),
        .target(name: "Migrator", dependencies: ["Formats"], swiftSettings: house),
        .executableTarget(
            name: "rtool", dependencies: ["Formats", "Migrator"], swiftSettings: house),
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: house),
        .testTarget(
            name: "FormatTests", dependencies: ["Formats", "TestSupport"], swiftSettings: house),
        .testTarget(
            name: "MigratorTests", dependencies: ["Formats", "Migrator", "TestSupport"],
            swiftSettings: house),
        .testTarget(
            name: "CommandTests", dependencies: ["rtool", "TestSupport"], swiftSettings: house),
    ]
)
