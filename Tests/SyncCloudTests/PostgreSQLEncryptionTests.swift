import Foundation
import TestSupport
import Testing

@testable import SyncCloud

/// Encrypted connections, to a server with a certificate that it has signed itself.
@Suite(.timeLimit(.minutes(5)), .server(.database)) struct PostgreSQLEncryptionTests {
  private let role: String
  private let certificate: String

  init() async throws {
    role = try await TestServer.role()
    certificate = try TestServer.certificate.get()
  }

  /// The transport, by way of “localhost”, for which the certificate is.
  private func isEncrypted(_ settings: String) async throws -> Bool {
    let text = role.replacing("@127.0.0.1:", with: "@localhost:") + "?" + settings
    _ = try await PostgreSQLTransport(text, app: "tests", timeout: 60).account()
    let connection = PostgreSQLConnection(try PostgreSQLAddress(text), timeout: 60)
    return try await connection.value(
      "select ssl from pg_stat_ssl where pid = pg_backend_pid()", []) == "t"
  }

  @Test func aConnectionIsEncryptedWhereItHasToBe() async throws {
    #expect(try await isEncrypted("sslmode=require"))
    #expect(try await isEncrypted("sslmode=verify-full&sslrootcert=\(certificate)"))
    #expect(try await !isEncrypted("sslmode=disable"))
  }

  @Test func aServerWhoseCertificateIsAnothersIsNotSignedInTo() async throws {
    let other = FileManager.default.temporaryDirectory
      .appending(path: "other-\(UUID().uuidString).crt")
    defer { try? FileManager.default.removeItem(at: other) }
    let openssl = Process()
    openssl.executableURL = URL(filePath: "/usr/bin/env")
    openssl.arguments = [
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
      "-nodes", "-subj", "/CN=localhost", "-keyout", "/dev/null", "-out", other.path,
    ]
    openssl.standardError = FileHandle.nullDevice
    try openssl.run()
    openssl.waitUntilExit()
    // Another authority; a name that the certificate is not for; no file at all.
    let refused = [
      role.replacing("@127.0.0.1:", with: "@localhost:")
        + "?sslmode=verify-full&sslrootcert=\(other.path)",
      role + "?sslmode=verify-full&sslrootcert=\(certificate)",
      role + "?sslmode=verify-full&sslrootcert=/nowhere",
    ]
    for text in refused {
      await #expect {
        _ = try await PostgreSQLTransport(text, app: "tests", timeout: 60).account()
      } throws: { error in
        (error as? CloudError)?.code == .unsupported && "\(error)".contains("sslrootcert")
      }
    }
  }
}
