import Dispatch
import JOSE
import PureCrypto

extension CurlTransport {
  /// Sends requests one after the other, with https over one connection if the server keeps it, and waits for the
  /// answers.
  ///
  /// One program sends them all; to start one for each takes longer than most servers need to answer.
  ///
  /// - Returns: each answer, and how long it took.
  func answers(
    _ requests: [HTTPRequestValue]
  ) async -> [(answer: Result<HTTPResponseValue, CurlFailure>, took: Duration)] {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: self.outcomes(of: requests)) }
    }
  }

  private func outcomes(
    of requests: [HTTPRequestValue]
  ) -> [(answer: Result<HTTPResponseValue, CurlFailure>, took: Duration)] {
    // No server can know it, so no answer can hold it.
    let mark = UUIDText.random()
    let urls = requests.compactMap { try? URIComponents(parsing: $0.url) }.filter { plainHTTP.permits($0) }
    guard urls.count == requests.count else {
      return requests.map { _ in (.failure(.addressNotAllowed), .zero) }
    }
    let configurations = zip(requests, urls).map { configuration(of: $0, to: $1, mark) }
    do throws(SystemInterface.ProgramFault) {
      let ended = try SystemInterface.run(
        program, ["-q", "--config", "-"], environment: environment.map { "\($0)=\($1)" }, settings: [],
        input: Array(configurations.joined(separator: "next\n").utf8), byteLimit: byteLimit * requests.count,
        timeLimit: .seconds(secondLimit * requests.count + 5))
      let heads = Self.parts(of: ended.errors, endedBy: mark)
      let bodies = Self.parts(of: ended.output, endedBy: mark)
      return requests.indices.map { index in
        guard index < heads.count, index < bodies.count else { return (.failure(.malformedAnswer), .zero) }
        let notes = heads[index].note.split(separator: " ")
        let code = notes.first.flatMap { Int32($0) } ?? 2
        let took = Duration.seconds(notes.last.flatMap { Double($0) } ?? 0)
        guard code == 0 else {
          return (.failure(.ended(code, secondLimit: secondLimit, proxy: proxy(for: urls[index]))), took)
        }
        guard var response = try? HTTPText.response(Self.header(in: heads[index].octets)) else {
          return (.failure(.malformedAnswer), took)
        }
        response.body = bodies[index].octets
        return (.success(response), took)
      }
    } catch {
      return requests.map { _ in (.failure(.notRun(error, program: program)), .zero) }
    }
  }

  /// Whether a server agrees to a connection with some settings of TLS; nil where it can't be reached, or this curl
  /// can't offer them.
  func connects(to url: String, with settings: [String]) async -> Bool? {
    var lines = [
      "silent", "globoff", "proto = \"=https\"", "max-redirs = 0", "max-time = \(secondLimit)", "head",
      "output = \"/dev/null\"", "url = \(HTTPText.quoted(url))",
    ]
    if let authorities { lines.append("cacert = \(HTTPText.quoted(authorities))") }
    let input = Array((lines + settings).joined(separator: "\n").utf8)
    let code: Int32? = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        let ended = try? SystemInterface.run(
          program, ["-q", "--config", "-"], environment: environment.map { "\($0)=\($1)" }, settings: [],
          input: input, byteLimit: byteLimit, timeLimit: .seconds(secondLimit + 5))
        continuation.resume(returning: ended?.exitCode)
      }
    }
    switch code {
    // Done; nothing came, or an odd answer; a certificate that isn't trusted, which comes after the agreement.
    case 0, 8, 52, 56, 60: return true
    case 35: return false
    default: return nil
    }
  }

  /// The longest body that a line of a configuration takes in every version of curl.
  static let longestBody = 65_536

  private func configuration(of request: HTTPRequestValue, to url: URIComponents, _ mark: String) -> String {
    let isSecure = url.hasScheme("https")
    var lines = [
      "silent", "globoff", "path-as-is", "proto = \"\(isSecure ? "=https" : "=http")\"", "max-redirs = 0",
      "max-time = \(secondLimit)", "max-filesize = \(byteLimit)", "suppress-connect-headers",
      "dump-header = \"/dev/stderr\"",
      #"write-out = "%{stderr}\#(mark)%{exitcode} %{time_total}\n%{stdout}\#(mark)\n""#,
      "header = \"Expect:\"",
    ]
    if !isSecure {
      // On this machine a connection costs less than what some servers wait for on one that is kept: 40 ms for each
      // answer whose header and body they send apart.
      lines += ["noproxy = \"*\"", "header = \"Connection: close\""]
    }
    if let authorities { lines.append("cacert = \(HTTPText.quoted(authorities))") }
    return lines.joined(separator: "\n") + "\n" + HTTPText.curlConfiguration(request)
  }

  /// What stands before each mark, and what stands between it and the end of its line.
  private static func parts(of octets: [UInt8], endedBy mark: String) -> [(octets: [UInt8], note: String)] {
    var parts: [(octets: [UInt8], note: String)] = []
    var rest = octets[...]
    while let range = rest.firstRange(of: mark.utf8) {
      let line = rest[range.upperBound...].prefix { $0 != 0x0A }
      parts.append((Array(rest[..<range.lowerBound]), String(decoding: line, as: UTF8.self)))
      rest = rest[line.endIndex...].dropFirst()
    }
    return parts
  }
}
