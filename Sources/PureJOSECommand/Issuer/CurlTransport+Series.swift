import Dispatch
import JOSE
import PureCrypto

extension CurlTransport {
  /// Sends requests one after the other, with https over one connection if the server keeps it, and waits for the
  /// answers.
  ///
  /// One program sends them all; to start one for each takes longer than most servers need to answer.
  func answers(_ requests: [HTTPRequestValue]) async -> [Result<HTTPResponseValue, CurlFailure>] {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: self.outcomes(of: requests)) }
    }
  }

  private func outcomes(of requests: [HTTPRequestValue]) -> [Result<HTTPResponseValue, CurlFailure>] {
    // No server can know it, so no answer can hold it.
    let mark = UUIDText.random()
    let urls = requests.compactMap { try? URIComponents(parsing: $0.url) }.filter { plainHTTP.permits($0) }
    guard urls.count == requests.count else { return requests.map { _ in .failure(.addressNotAllowed) } }
    let configurations = zip(requests, urls).map { configuration(of: $0, to: $1, mark) }
    do throws(SystemInterface.ProgramFault) {
      let ended = try SystemInterface.run(
        program, ["-q", "--config", "-"], environment: environment.map { "\($0)=\($1)" }, settings: [],
        input: Array(configurations.joined(separator: "next\n").utf8), byteLimit: byteLimit * requests.count,
        timeLimit: .seconds(secondLimit * requests.count + 5))
      let heads = Self.parts(of: ended.errors, endedBy: mark)
      let bodies = Self.parts(of: ended.output, endedBy: mark)
      return requests.indices.map { index in
        guard index < heads.count, index < bodies.count else { return .failure(.malformedAnswer) }
        let code = Int32(heads[index].note) ?? 2
        guard code == 0 else {
          return .failure(.ended(code, secondLimit: secondLimit, proxy: proxy(for: urls[index])))
        }
        guard var response = try? HTTPText.response(Self.header(in: heads[index].octets)) else {
          return .failure(.malformedAnswer)
        }
        response.body = bodies[index].octets
        return .success(response)
      }
    } catch {
      return requests.map { _ in .failure(.notRun(error, program: program)) }
    }
  }

  /// The longest body that a line of a configuration takes in every version of curl.
  static let longestBody = 65_536

  private func configuration(of request: HTTPRequestValue, to url: URIComponents, _ mark: String) -> String {
    let isSecure = url.hasScheme("https")
    var lines = [
      "silent", "globoff", "path-as-is", "proto = \"\(isSecure ? "=https" : "=http")\"", "max-redirs = 0",
      "max-time = \(secondLimit)", "max-filesize = \(byteLimit)", "suppress-connect-headers",
      "dump-header = \"/dev/stderr\"", #"write-out = "%{stderr}\#(mark)%{exitcode}\n%{stdout}\#(mark)\n""#,
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
