import Foundation
import Logging
import Testing

@testable import IdentityProvider

@Suite struct DoctorTests {
  private static let log = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

  @Test func `the doctor reports faults of issuer, proxy, certificate, secrets and audit log`() async throws {
    try await World.run { world in
      let (folder, clock) = (world.provider.settings.folder, world.provider.clock)
      let files = (certificate: folder + "/tls.pem", key: folder + "/tls.key")
      func isFine(_ text: String, of issuer: String = World.issuer, behindProxy: Bool = false) async -> Bool? {
        var settings = ProviderSettings(issuer: issuer, folder: folder)
        settings.makesFolder = false
        let found = await Doctor.findings(settings, files: behindProxy ? nil : files, clock: clock, log: Self.log)
        return found.first { $0.text.contains(text) }?.isFine
      }
      #expect(await isFine("__Host-") == true)
      #expect(await isFine("without Secure", of: "http://localhost:8080") == true)
      #expect(await isFine("The issuer", of: "http://login.example.com") == false)
      #expect(await isFine("have the issuer", of: "https://other.example") == false)
      #expect(await isFine("The issuer https://op.example ", of: "") == true)
      #expect(await isFine("A proxy must", behindProxy: true) == false)
      #expect(await isFine("A proxy must") == nil)
      #expect(await isFine("open the signing keys") == true)
      #expect(await isFine("audit log ends") == true)
      #expect(await isFine("certificate's key") == false)
      #expect(await isFine("The certificate ends") == false)
      try Data(Self.certificate.utf8).write(to: URL(fileURLWithPath: files.certificate))
      #expect(await isFine("The certificate ends") == true)
      world.wait(25 * 366 * 86_400)
      #expect(await isFine("The certificate ends") == false)
      world.wait(-25 * 366 * 86_400 - 7200)
      #expect(await isFine("audit log ends") == false)
      let secrets = folder + "/secrets.json"
      #expect(await isFine("secrets.json has the mode") == true)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: secrets)
      #expect(await isFine("secrets.json has the mode") == false)
      // Those of another provider.
      try FileManager.default.removeItem(atPath: secrets)
      _ = try ProviderSecrets(folder: folder)
      #expect(await isFine("doesn't belong to this database") == false)
    }
  }

  /// Good until November 2046.
  private static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBdjCCAR2gAwIBAgIUTOXg8SWhmb8LoU9Im70WVyxqaDAwCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJbG9jYWxob3N0MB4XDTI2MTEyNzEwNTIwOFoXDTQ2MTEyMjEw
    NTIwOFowFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0D
    AQcDQgAEX3uhAj3qDWUL9QDlDWk8U/4csnNBCqpfBTGA8O58tCIBbDufmz8k0d9T
    FDlbGAQURq8Mm8yz9/9T1mf2g3mIDqNNMEswHQYDVR0OBBYEFEP6qdgJwgySG+wa
    AKYOBAyX6wYHMB8GA1UdIwQYMBaAFEP6qdgJwgySG+waAKYOBAyX6wYHMAkGA1Ud
    EwQCMAAwCgYIKoZIzj0EAwIDRwAwRAIgC79knXeDk+zobxaooJR+tjvCPFjlHK6x
    di2SqE4zMF0CIHQYKHS0+ebPx6MDbTl5qKz1mg8w+uUyDHrOCw3ssRET
    -----END CERTIFICATE-----

    """
}
