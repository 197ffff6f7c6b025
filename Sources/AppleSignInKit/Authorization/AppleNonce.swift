import JOSE
import OpenIDKit
import PureCrypto

/// What ties an identity token to one sign-in.
///
/// The server makes a raw value and keeps it. Depending on the form, that value or its SHA-256 travels to Apple and
/// comes back in the token.
public struct AppleNonce: Sendable {
  /// How the raw value appears in the token. One form for each client identifier: trying several would let an attacker
  /// who knows only the hash submit it as the raw value.
  public enum Form: String, Sendable, Hashable {
    /// As it is: the custom on the web.
    case exact
    /// SHA-256 in lower-case hexadecimal: the custom of native apps.
    case sha256Hex
    /// SHA-256 in base64url.
    case sha256Base64URL

    /// What appears in the token for a raw value.
    public func claim(for raw: String) -> String {
      switch self {
      case .exact: raw
      case .sha256Hex: Self.hex(SHA2.SHA256.hash(raw.utf8))
      case .sha256Base64URL: Base64URL.encode(SHA2.SHA256.hash(raw.utf8))
      }
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
      let digits = Array("0123456789abcdef".utf8)
      return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
  }

  /// What the server keeps.
  public let raw: String
  /// How it appears in the token.
  public let form: Form

  /// A fresh nonce of 256 bits.
  public static func generate(_ form: Form = .exact) -> AppleNonce {
    AppleNonce(unchecked: RandomSource.system.token(), form: form)
  }

  /// A nonce of the caller's.
  ///
  /// - Throws: `ErrorCode.nonceInvalid` if the value is not 1 to 512 visible ASCII characters.
  public init(raw: String, form: Form = .exact) throws(JOSEError) {
    guard raw.isVisibleASCII(upTo: 512) else {
      throw JOSEError(.nonceInvalid, "the nonce is not 1 to 512 visible characters", name: "nonce")
    }
    self.init(unchecked: raw, form: form)
  }

  package init(unchecked raw: String, form: Form) {
    self.raw = raw
    self.form = form
  }

  /// The value that is sent, and that the token must bear.
  public var claim: String { form.claim(for: raw) }
}

extension AppleNonce: Redacted {}
