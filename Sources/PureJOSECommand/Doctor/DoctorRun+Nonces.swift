import JOSE
import PlatformSSOKit

extension DoctorRun {
  private static let nonceSource = "Apple, Obtaining a server nonce"

  /// The nonce endpoint, as it should be used and otherwise.
  ///
  /// - Returns: nonces that are to be used once they are old.
  mutating func serverNonces() async throws(CommandFailure) -> RequestNonces {
    let source = Self.nonceSource
    let rule = "200, JSON, text at the key path"
    let requests = (0..<16).map { _ in device.serverNonceRequest() }
    var nonces: [RequestNonces] = []
    do {
      for (request, answer) in zip(requests, await transport.send(requests)) {
        let response = try answer.get()
        nonces.append(try device.requestNonces(from: response, to: request))
        guard nonces.count == 1 else { continue }
        let cache = response.headers.values("Cache-Control").joined(separator: ",").lowercased()
        let isKept = !cache.contains("no-store") && ["max-age", "public", "immutable"].contains { cache.contains($0) }
        record(
          "nonce: not kept on the way", isKept ? .lenient : .right, cache.isEmpty ? "none" : cache,
          rule: "Cache-Control no-store; the answer to a POST is not kept without a word either", source: source)
      }
    } catch {
      record("nonce: given", .wrong, Self.described(error), rule: rule, source: source)
      throw .invalid("no server nonce was given, so nothing else can be asked: \(Self.described(error))")
    }
    record("nonce: given", .right, "given", rule: rule, source: source)
    let texts = nonces.map(\.serverNonce)
    let isFresh = texts.firstOfEach.count == texts.count
    record(
      "nonce: fresh", isFresh ? .right : .wrong, isFresh ? "different" : "the same twice", rule: "each one is new",
      source: source, cause: "nonce")
    let length = texts.map(\.utf8.count).min() ?? 0
    let bits = Self.bits(thatDiffer: texts)
    record(
      "nonce: unpredictable", length >= 22 && bits >= 64 ? .right : .wrong,
      length < 22 ? "\(length) characters" : "about \(bits) bits differ", rule: "128 random bits",
      source: "RFC 4086", cause: "nonce")
    await wrongNonceRequests()
    return nonces[0]
  }

  /// How many bits of texts differ, as far as so few of them can show: those of a counter or a time are few.
  static func bits(thatDiffer texts: [String]) -> Int {
    let octets = texts.map { Array($0.utf8) }
    let length = octets.map(\.count).min() ?? 0
    return (0..<length).reduce(0) { sum, place in
      // Of 2ⁿ letters that are seen in a place, n bits.
      sum + Set(octets.map { $0[place] }).count.binaryLogarithm
    }
  }

  private mutating func wrongNonceRequests() async {
    typealias Change = @Sendable (inout HTTPRequestValue) -> Void
    let changes: [(String, Change)] = [
      ("GET", { $0.method = "GET" }),
      ("no grant_type", { $0.body = [] }),
      ("another grant_type", { $0.body = Array("grant_type=password".utf8) }),
      ("grant_type twice", { $0.body = Array("grant_type=srv_challenge&grant_type=password".utf8) }),
      ("Content-Type JSON", { try? $0.headers.set("Content-Type", "application/json") }),
      ("a body of a megabyte", { $0.body += Array(("&x=" + String(repeating: "a", count: 1 << 20)).utf8) }),
    ]
    let requests = changes.map { _, change in
      var request = device.serverNonceRequest()
      change(&request)
      return request
    }
    for ((name, _), answer) in zip(changes, await transport.send(requests)) {
      let (verdict, observed): (DoctorFinding.Verdict, String) =
        switch answer {
        case .success(let response): Self.judged(response, ifAccepted: .lenient, mayAskAgain: false)
        case .failure(let error): (.wrong, Self.described(error))
        }
      record(
        "nonce: \(name)", verdict, observed, rule: "a form with grant_type=srv_challenge is posted",
        source: Self.nonceSource, cause: "request of a nonce", isMutation: true)
    }
  }

  /// Uses a nonce that has been given long ago.
  mutating func age(_ nonces: RequestNonces) async {
    guard let patience = extent.patience else { return }
    let rule = "a server nonce is good for minutes"
    do {
      try await Task.sleep(for: patience)
      let response = try await transport.send(try made(.login, nonces: nonces).request.httpRequest)
      let (verdict, observed) = Self.judged(response, ifAccepted: .wrong, mayAskAgain: false)
      record("nonce: an old one", verdict, observed, rule: rule, source: Self.nonceSource, isMutation: true)
    } catch {
      record("nonce: an old one", .wrong, Self.described(error), rule: rule, source: Self.nonceSource)
    }
  }
}

extension Int {
  /// ⌊log₂ n⌋ of n ≥ 1, and 0 of 0.
  fileprivate var binaryLogarithm: Int { self < 1 ? 0 : bitWidth - 1 - leadingZeroBitCount }
}
