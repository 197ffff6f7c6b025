/// Why a request for a key set brought no keys. More cases may be added.
public enum RemoteKeySetFailure: Error, Sendable {
  /// The transport threw this.
  case unreachable(any Error)
  /// The request took longer than ``RemoteKeySetPolicy/timeLimit``.
  case timedOut
  /// The answer's status was not 200.
  case status(Int)
  /// The answer was not a key set, or the place of the keys is not an https URL.
  case invalid(JOSEError)
  /// The issuer's metadata are no such thing, another issuer's, or name no key set.
  case metadata(JOSEError)
  /// The answer was a key set without a key that can be used. Those that are known stay.
  case noUsableKeys

  /// What callers without keys are told. The cause itself may hold what a server wrote, so it is in the event only.
  var error: JOSEError {
    switch self {
    case .unreachable:
      JOSEError(
        .externalKeyFailed, "the key set could not be fetched: the transport or the network failed, as the event says",
        name: "keys")
    case .timedOut:
      JOSEError(
        .externalKeyFailed, "the request for the key set took too long: see timeLimit of the policy", name: "keys")
    case .status(let status): JOSEError(.externalKeyFailed, Self.text(status), name: "keys")
    case .invalid(let error), .metadata(let error): error.concerningKeys()
    case .noUsableKeys:
      JOSEError(
        .externalKeyFailed, "the key set has no key that can be used: unsupportedKeys of a JWKSet says why",
        name: "keys")
    }
  }

  private static func text(_ status: Int) -> StaticString {
    switch status {
    case 404, 410: "the server has no key set there (404): the URL is another one"
    case 301, 302, 303, 307, 308:
      "the server answered with a redirect, which is not followed: give the URL that it leads to"
    case 400..<500: "the server refuses to give the key set: it must be public"
    default: "the server answered the request for the key set with another status than 200: it may later"
    }
  }
}

extension RemoteKeySetFailure: CustomStringConvertible {
  /// The cause, and what to do. What a transport threw may hold what a server wrote, and is not repeated.
  public var description: String { error.description }
}

/// What happened to a remote key set, for logs and metrics.
public struct RemoteKeySetEvent: Sendable {
  /// What happened. More cases may be added.
  public enum Kind: Sendable {
    /// A request begins.
    case requested
    /// The keys were renewed: how many can be used, and how many entries can't.
    case renewed(keyCount: Int, unsupportedCount: Int)
    /// The issuer says that the keys are still the same (304): how many can be used.
    case confirmed(keyCount: Int)
    /// A request brought no keys. Those that are known, if any, go on serving for their time.
    case failed(RemoteKeySetFailure)
  }

  /// Whether a request began, or how it ended.
  public let kind: Kind
  /// When, by the set's clock.
  public let date: NumericDate

  /// What happened at that time.
  package init(_ kind: Kind, at date: NumericDate) {
    self.kind = kind
    self.date = date
  }
}
