/// Carries a request to a server and brings the response back: a caller's HTTP client. It follows no redirect and keeps
/// no cookie.
///
/// Throw ``RequestNotSent`` if the request certainly did not leave; any other error means that the server may have seen
/// it.
public typealias HTTPTransport = @Sendable (HTTPRequestValue) async throws -> HTTPResponseValue
