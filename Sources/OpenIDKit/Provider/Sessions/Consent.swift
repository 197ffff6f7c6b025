import JOSE
import PureCrypto
import StrictJSON

/// What a user has agreed to at a client, as `SessionDirectory.grantedScopes(userID:clientID:)` has it: scopes, the
/// names of claims behind `claim:`, and the consent's own name, a text that no scope can be.
package struct Consent: Sendable {
  private let granted: [String]

  package init(_ granted: [String]) { self.granted = granted }

  /// Its name, for tokens that are issued under it: what is given anew doesn't revive tokens of before. Dates would not
  /// tell, for the machines that write them have different clocks.
  package var name: WireName? {
    granted.first { $0.utf8.starts(with: Self.namePrefix.utf8) }.map { WireName($0) }
  }

  /// Whether it covers what a client was granted, now: it may have been taken back. `device_sso` has no consent where
  /// it comes of a device secret.
  package func covers(_ scopes: [String]) -> Bool {
    scopes.wireNames.allSatisfy { granted.contains($0) || $0 == "device_sso" }
  }

  /// Whether it covers a claim that was asked for by its name.
  package func covers(claim name: String) -> Bool { granted.wireNames.contains(Self.text(ofClaim: name)) }

  /// The claims that it covers by their names.
  package var claims: [String] {
    granted.filter { $0.utf8.starts(with: Self.claimPrefix.utf8) }
      .map { String(Substring($0.utf8.dropFirst(Self.claimPrefix.utf8.count))) }
  }

  /// What is kept once the user has agreed to more. The first time, it gets its name.
  package func adding(_ consents: [String]) -> [String] {
    let before = granted.isEmpty ? [Self.namePrefix + Base64URL.encode(SystemRandom.bytes(count: 12))] : granted
    let known = before.wireNames
    return before + consents.filter { !known.contains($0) }
  }

  package static func text(ofClaim name: String) -> String { claimPrefix + name }

  private static let claimPrefix = "claim:"
  private static let namePrefix = "consent-name "
}

extension SessionDirectory {
  /// A user's consent for a client, which may cover nothing.
  package func consent(of userID: String, at clientID: String) async throws -> Consent {
    Consent(try await grantedScopes(userID: userID, clientID: clientID))
  }
}
