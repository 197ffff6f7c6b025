import Foundation
import JOSE
import Logging
import NIOSSL

/// Checks the surroundings that a server needs.
package enum Doctor {
  /// - Parameter files: the certificate and the key that the server is started with; nil if it has no TLS of its own.
  /// - Returns: the checks, each with its result.
  package static func findings(
    _ settings: ProviderSettings, files: (certificate: String, key: String)?, clock: WallClock = .system, log: Logger
  ) async -> [(isFine: Bool, text: String)] {
    var settings = settings
    let (folder, now) = (settings.folder, clock.now.secondsSince1970)
    var found: [(isFine: Bool, text: String)] = []
    func note(_ isFine: Bool, _ text: String) { found.append((isFine, text)) }
    note(now > 1_767_225_600, "The clock says \(Provider.text(clock.now)).")
    if let files {
      let end = (try? NIOSSLCertificate.fromPEMFile(files.certificate))?.first?.notValidAfter ?? 0
      note(Double(end) > now, "The certificate ends on \(Provider.text(NumericDate(Int(end)))).")
      note((try? NIOSSLPrivateKey(file: files.key, format: .pem)) != nil, "The certificate's key must be readable.")
    }
    var disk = statvfs()
    let free = statvfs(folder, &disk) == 0 ? UInt64(disk.f_bavail) * UInt64(disk.f_frsize) / (1 << 20) : 0
    note(free >= 500, "The disk of \(folder) has \(free) MiB free; it should have 500 or more.")
    for (name, others) in [("", 0o002), ("/secrets.json", 0o007), ("/provider.sqlite", 0o007)] {
      guard let mode = ProviderFolder.mode(folder + name) else { continue }
      let rule = name.isEmpty ? "others must not write to it" : "others must have no access"
      note(mode & others == 0, "\(folder)\(name) has the mode \(String(mode & 0o777, radix: 8)); \(rule).")
    }
    do {
      let provider = try await Provider(settings: settings, clock: clock, log: log)
      settings = provider.settings
      _ = try await provider.keys.signingKey("RS256")
      let last = try await provider.audit.entries(limit: 1).first?.date ?? clock.now
      note(
        last.secondsSince1970 <= now + 60,
        "The audit log ends at \(Provider.text(last)); the clock must not be earlier.")
      note(true, "The secrets open the signing keys.")
    } catch {
      note(false, error is StartRefusal ? "\(error)" : "The secrets don't open the signing keys: \(error)")
    }
    note(
      (try? settings.checkIssuer()) != nil, "The issuer \(settings.issuer) must be an https URL, or be on this machine."
    )
    note(
      true,
      "Cookies \(settings.hasPlainCookies ? "go without Secure, on this machine only" : "have Secure and __Host-").")
    if settings.isSecure, files == nil {
      note(
        settings.trustsForwardedAddress,
        "A proxy must end TLS, keep the path, send one Host and append to X-Forwarded-For; "
          + "IDP_FORWARDED_ADDRESS_TRUSTED=true confirms that it does.")
    }
    return found
  }
}
