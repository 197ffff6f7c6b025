import JOSE
import StrictJSON

extension NativeSSOError {
  /// Who is at fault.
  public enum Fault: Sendable {
    /// The program that calls this library. Never caused by untrusted data.
    case callerMisuse
    /// Bytes from outside that are no legal message.
    case malformedInput
    /// A legal message that is not supported here.
    case unsupported
    /// A legal message that is not authentic, or not for us.
    case verificationFailed
    /// The other side answered with an error.
    case refusedByServer
    /// Network, storage or another service did not do its part.
    case unavailable
  }

  /// What went wrong. More codes may be added; compare, don't switch exhaustively.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private let name: StaticString
    /// Who is at fault.
    public let fault: Fault

    private init(_ name: StaticString, _ fault: Fault) {
      self.name = name
      self.fault = fault
    }

    /// The code's stable name.
    public var description: String { "\(name)" }

    /// Compares the stable names.
    public static func == (lhs: Code, rhs: Code) -> Bool { lhs.description.hasSameBytes(as: rhs.description) }

    /// Hashes the stable name.
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }

    /// The caller asked for something without a safe meaning.
    public static let callerMisuse = Code("callerMisuse", .callerMisuse)
    /// A setting has a type or range that the configuration reference forbids.
    public static let settingInvalid = Code("settingInvalid", .callerMisuse)

    /// A response is no JSON object, or lacks or misshapes a required member.
    public static let malformedResponse = Code("malformedResponse", .malformedInput)
    /// A redirect is not the answer to the authorization request.
    public static let redirectInvalid = Code("redirectInvalid", .malformedInput)
    /// A discovery document is no legal one.
    public static let metadataInvalid = Code("metadataInvalid", .malformedInput)
    /// A stored pair can't be read.
    public static let storedPairInvalid = Code("storedPairInvalid", .malformedInput)

    /// The token type is neither `Bearer` nor `DPoP`.
    public static let unsupportedTokenType = Code("unsupportedTokenType", .unsupported)
    /// The ID token's algorithm exists but is not implemented here.
    public static let algorithmUnsupported = Code("algorithmUnsupported", .unsupported)
    /// The ID token is encrypted, and so can't serve another app.
    public static let encryptedIDToken = Code("encryptedIDToken", .unsupported)

    /// The ID token is not acceptable. ``NativeSSOError/name`` says which claim or part.
    public static let idTokenInvalid = Code("idTokenInvalid", .verificationFailed)
    /// `issued_token_type` is not the one asked for.
    public static let unexpectedIssuedTokenType = Code("unexpectedIssuedTokenType", .verificationFailed)
    /// `ds_hash` does not bind the device secret.
    public static let deviceSecretBindingMismatch = Code("deviceSecretBindingMismatch", .verificationFailed)
    /// A device secret came without an ID token.
    public static let deviceSecretWithoutIDToken = Code("deviceSecretWithoutIDToken", .verificationFailed)
    /// `device_secret` and `device_token` differ.
    public static let deviceSecretAmbiguous = Code("deviceSecretAmbiguous", .verificationFailed)
    /// A device secret is longer than any real one, or holds bytes that are not visible ASCII.
    public static let deviceSecretMalformed = Code("deviceSecretMalformed", .verificationFailed)

    /// The server answered with an OAuth error.
    public static let serverRefused = Code("serverRefused", .refusedByServer)
    /// The transport failed.
    public static let transportFailed = Code("transportFailed", .unavailable)
    /// The store failed.
    public static let storeFailed = Code("storeFailed", .unavailable)
    /// A service that the provider needs failed.
    public static let serviceFailed = Code("serviceFailed", .unavailable)
  }
}

extension NativeSSOError {
  /// What an ID token's verification failed at, in this module's terms.
  init(idToken error: JOSEError) {
    let isUnsupported = error.code == .algorithmUnsupported
    self.init(isUnsupported ? .algorithmUnsupported : .idTokenInvalid, "the ID token is refused", name: error.name)
  }
}
