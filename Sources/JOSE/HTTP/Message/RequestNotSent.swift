/// A request certainly did not reach the server: no connection, no name, no TLS. For transports to throw; any other
/// error means that the server may have seen it.
public struct RequestNotSent: Error, Hashable {
  /// The error; it says nothing more.
  public init() {}
}

extension RequestNotSent: CustomStringConvertible {
  /// The cause, and what to do.
  public var description: String {
    "the request did not reach the server, which has no name, no connection or no TLS: look at the URL and the network"
  }
}
