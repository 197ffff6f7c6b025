import JOSE

/// Why a message of Native SSO was refused, or a step could not be taken.
public typealias NativeSSOError = CodedError<NativeSSOErrorCode>

/// What can go wrong in Native SSO. More codes may be added; compare, don't switch exhaustively.
public struct NativeSSOErrorCode: ErrorCode {
  /// Who is at fault.
  public enum Fault: Sendable {
    /// The program that calls this library. Never caused by untrusted data.
    case callerMisuse
    /// Bytes from outside that are not a legal message.
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

  /// The code's stable name.
  public let description: String
  /// Who is at fault.
  public let fault: Fault

  private init(_ name: String, _ fault: Fault) { (description, self.fault) = (name, fault) }

  /// The caller asked for something without a safe meaning.
  public static let callerMisuse = Self("callerMisuse", .callerMisuse)
  /// A setting has a type or range that the configuration reference forbids.
  public static let settingInvalid = Self("settingInvalid", .callerMisuse)

  /// A response is not a JSON object, or lacks or misshapes a required member.
  public static let malformedResponse = Self("malformedResponse", .malformedInput)
  /// A redirect is not the answer to the authorization request.
  public static let redirectInvalid = Self("redirectInvalid", .malformedInput)
  /// A discovery document is not a legal one.
  public static let metadataInvalid = Self("metadataInvalid", .malformedInput)
  /// A stored record of a device secret, or stored tokens, can't be read.
  public static let storedRecordInvalid = Self("storedRecordInvalid", .malformedInput)
  /// A stored pair can't be read.
  public static let storedPairInvalid = Self("storedPairInvalid", .malformedInput)

  /// The token type is neither `Bearer` nor `DPoP`.
  public static let unsupportedTokenType = Self("unsupportedTokenType", .unsupported)
  /// The ID token's algorithm exists but is not implemented here.
  public static let algorithmUnsupported = Self("algorithmUnsupported", .unsupported)
  /// The ID token is encrypted, and so can't serve another app.
  public static let encryptedIDToken = Self("encryptedIDToken", .unsupported)

  /// The ID token is not acceptable. `name` says which claim or part.
  public static let idTokenInvalid = Self("idTokenInvalid", .verificationFailed)
  /// `issued_token_type` is not the one asked for.
  public static let unexpectedIssuedTokenType = Self("unexpectedIssuedTokenType", .verificationFailed)
  /// `ds_hash` does not bind the device secret.
  public static let deviceSecretBindingMismatch = Self("deviceSecretBindingMismatch", .verificationFailed)
  /// A device secret came without an ID token.
  public static let deviceSecretWithoutIDToken = Self("deviceSecretWithoutIDToken", .verificationFailed)
  /// `device_secret` and `device_token` differ.
  public static let deviceSecretAmbiguous = Self("deviceSecretAmbiguous", .verificationFailed)
  /// A device secret is longer than any real one, or holds bytes that are not visible ASCII.
  public static let deviceSecretMalformed = Self("deviceSecretMalformed", .verificationFailed)

  /// The server answered with an OAuth error.
  public static let serverRefused = Self("serverRefused", .refusedByServer)
  /// The user signed out while tokens were under way. They were not kept.
  public static let signedOut = Self("signedOut", .callerMisuse)
  /// The transport failed.
  public static let transportFailed = Self("transportFailed", .unavailable)
  /// The store failed.
  public static let storeFailed = Self("storeFailed", .unavailable)
  /// A service that the provider needs failed.
  public static let serviceFailed = Self("serviceFailed", .unavailable)
}

extension NativeSSOError {
  /// What an ID token's verification failed at, in this module's terms.
  init(idToken error: JOSEError) {
    guard !error.isLackOfKeys else {
      self.init(.serviceFailed, "the provider's keys are not available", name: "jwks_uri")
      return
    }
    let isUnsupported = error.code == .algorithmUnsupported
    self.init(isUnsupported ? .algorithmUnsupported : .idTokenInvalid, "the ID token is refused", name: error.name)
  }
}
