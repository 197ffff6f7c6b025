import JOSE

/// Carries requests to the server under examination. It follows no redirect and keeps nothing between requests.
protocol DoctorTransport: Sendable {
  /// - Throws: ``CommandFailure`` if no answer came.
  func send(_ request: HTTPRequestValue) async throws(CommandFailure) -> HTTPResponseValue

  /// Sends requests one after the other, whatever becomes of those before.
  ///
  /// - Returns: each answer, and how long it took.
  func timed(
    _ requests: [HTTPRequestValue]
  ) async -> [(answer: Result<HTTPResponseValue, CommandFailure>, took: Duration)]

  /// Whether the server agrees to a connection with TLS; nil where there is none, or it can't be offered here.
  func agrees(to offer: TLSOffer) async -> Bool?
}

extension DoctorTransport {
  func agrees(to offer: TLSOffer) async -> Bool? { nil }

  func timed(
    _ requests: [HTTPRequestValue]
  ) async -> [(answer: Result<HTTPResponseValue, CommandFailure>, took: Duration)] {
    var answers: [(answer: Result<HTTPResponseValue, CommandFailure>, took: Duration)] = []
    for request in requests {
      let begin = ContinuousClock.now
      let answer: Result<HTTPResponseValue, CommandFailure>
      do throws(CommandFailure) {
        answer = .success(try await send(request))
      } catch {
        answer = .failure(error)
      }
      answers.append((answer, ContinuousClock.now - begin))
    }
    return answers
  }

  /// Sends requests one after the other, whatever becomes of those before.
  func send(_ requests: [HTTPRequestValue]) async -> [Result<HTTPResponseValue, CommandFailure>] {
    await timed(requests).map(\.answer)
  }
}

/// A transport over the network, to one server.
///
/// A server may stand elsewhere than its addresses say, behind a tunnel or on a loopback port: requests go to the
/// origin given, with the paths of the configuration.
struct RelocatedTransport: DoctorTransport {
  private let origin: String
  private let host: String
  private let transport = CurlTransport(plainHTTP: .loopback)

  /// - Parameter address: scheme, host and port of the server, https or on this machine http; what stands behind them
  ///   is not used.
  init?(address: String) {
    guard let components = try? URIComponents(parsing: address), let host = components.host,
      PlainHTTP.loopback.permits(components)
    else { return nil }
    origin = "\(components.scheme)://\(host)" + (components.port.map { ":\($0)" } ?? "")
    self.host = host
  }

  /// Where a request to another origin goes; nil if its address can't be read.
  func relocated(_ url: String) -> String? {
    guard let components = try? URIComponents(parsing: url) else { return nil }
    return origin + components.path + (components.query.map { "?" + $0 } ?? "")
  }

  func send(_ request: HTTPRequestValue) async throws(CommandFailure) -> HTTPResponseValue {
    let message = try message(request)
    do throws(CurlFailure) {
      return try await transport.answer(message)
    } catch {
      throw failure(error)
    }
  }

  func timed(
    _ requests: [HTTPRequestValue]
  ) async -> [(answer: Result<HTTPResponseValue, CommandFailure>, took: Duration)] {
    var answers: [(answer: Result<HTTPResponseValue, CommandFailure>, took: Duration)] = []
    var rest = requests[...]
    while let first = rest.first {
      // Large requests go alone, the others together.
      let together = rest.prefix { $0.body.count <= CurlTransport.longestBody }
      guard !together.isEmpty else {
        let begin = ContinuousClock.now
        do throws(CommandFailure) {
          answers.append((.success(try await send(first)), ContinuousClock.now - begin))
        } catch {
          answers.append((.failure(error), ContinuousClock.now - begin))
        }
        rest = rest.dropFirst()
        continue
      }
      do throws(CommandFailure) {
        let messages = try together.map(message)
        answers += await transport.answers(messages).map { ($0.answer.mapError(failure), $0.took) }
      } catch {
        answers += together.map { _ in (.failure(error), .zero) }
      }
      rest = rest[together.endIndex...]
    }
    return answers
  }

  func agrees(to offer: TLSOffer) async -> Bool? {
    guard origin.utf8.starts(with: "https:".utf8) else { return nil }
    return await transport.connects(to: origin + "/", with: offer.settings)
  }

  private func message(_ request: HTTPRequestValue) throws(CommandFailure) -> HTTPRequestValue {
    guard let url = relocated(request.url) else { throw .invalid("an address can't be read") }
    // No server expects a GET with a body.
    let body = request.method == "GET" ? [] : request.body
    return HTTPRequestValue(method: request.method, url: url, headers: request.headers, body: body)
  }

  private func failure(_ error: CurlFailure) -> CommandFailure {
    .invalid("no answer from \(host): \(error.text)")
  }
}
