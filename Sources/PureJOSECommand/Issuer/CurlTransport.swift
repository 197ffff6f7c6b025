import Dispatch
import JOSE
import PureCrypto

/// Carries requests by the system's program `curl`: the command has no TLS of its own.
///
/// No shell, no settings of the user (`-q`), no redirect, no cookie. The URL stands behind `--`. What may be secret is
/// not among the arguments, which other users of the machine can see: fields come by a pipe, the body by standard
/// input.
struct CurlTransport: Sendable {
  /// The program: a name in `PATH`, or a path.
  var program = "curl"
  /// Whether requests may go to this machine without TLS.
  var plainHTTP = PlainHTTP.refused
  /// A file in PEM with the authorities to trust in place of the system's.
  var authorities: String?
  /// How long a request may take.
  var secondLimit = 10
  /// How long the body of an answer may be.
  var byteLimit = 1 << 20
  /// The variables that it gets.
  var environment = Self.inherited

  /// Sends a request, and waits for the answer.
  func answer(_ request: HTTPRequestValue) async throws(CurlFailure) -> HTTPResponseValue {
    let outcome: Result<HTTPResponseValue, CurlFailure> = await withCheckedContinuation { continuation in
      // A thread of a queue waits, and none of the few that tasks run on.
      DispatchQueue.global().async { continuation.resume(returning: self.outcome(of: request)) }
    }
    return try outcome.get()
  }

  /// The arguments for a request whose options are in a pipe.
  func arguments(for url: URIComponents) -> [String] {
    var arguments = [
      // This one counts only as the first.
      "-q", "--silent", "--globoff", "--path-as-is", "--proto", url.hasScheme("https") ? "=https" : "=http",
      "--max-redirs", "0", "--max-time", "\(secondLimit)", "--max-filesize", "\(byteLimit)",
      "--suppress-connect-headers", "--dump-header", "/dev/stderr", "--config", "/dev/fd/3",
    ]
    // What goes to this machine goes to no proxy.
    if !url.hasScheme("https") { arguments += ["--noproxy", "*"] }
    if let authorities { arguments += ["--cacert", authorities] }
    return arguments + ["--", url.text]
  }

  private func outcome(of request: HTTPRequestValue) -> Result<HTTPResponseValue, CurlFailure> {
    guard let url = try? URIComponents(parsing: request.url), plainHTTP.permits(url) else {
      return .failure(.addressNotAllowed)
    }
    var head = request
    head.body = []
    // Without the empty field, a longer body would wait for the server's 100.
    var options = HTTPText.curlOptions(head) + "header = \"Expect:\"\n"
    if !request.body.isEmpty { options += "data-binary = \"@-\"\n" }
    do throws(SystemInterface.ProgramFault) {
      let ended = try SystemInterface.run(
        program, arguments(for: url), environment: environment.map { "\($0)=\($1)" }, settings: Array(options.utf8),
        input: request.body, byteLimit: byteLimit,
        // curl ends itself before.
        timeLimit: .seconds(secondLimit + 5))
      guard ended.exitCode == 0 else {
        return .failure(.ended(ended.exitCode, secondLimit: secondLimit, proxy: proxy(for: url)))
      }
      // A trailer follows the header there, and is passed over, as is what a loader of libraries may say before.
      guard var response = try? HTTPText.response(Self.header(in: ended.errors)) else {
        return .failure(.malformedAnswer)
      }
      response.body = ended.output
      return .success(response)
    } catch {
      return .failure(.notRun(error, program: program))
    }
  }

  /// What follows the first line that begins as a header does.
  static func header(in errors: [UInt8]) -> [UInt8] {
    let name = "HTTP/".utf8
    let start = errors.indices.first { place in
      (place == 0 || errors[place - 1] == 0x0A) && errors[place...].starts(with: name)
    }
    return Array(errors[(start ?? errors.count)...])
  }

  /// By what `curl` finds proxies and authorities. It gets no more, such as the name of a file for TLS's secrets.
  private static let variables = [
    "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy", "CURL_CA_BUNDLE", "SSL_CERT_FILE",
    "SSL_CERT_DIR", "CURL_SSL_BACKEND", "HOME", "LD_LIBRARY_PATH",
  ]

  private static var inherited: [String: String] {
    var values: [String: String] = [:]
    for name in variables { values[name] = OperatingSystem.environmentVariable(name) }
    return values
  }

  /// What is asked in the place of a URL's server.
  func proxy(for url: URIComponents) -> CurlProxy? {
    guard url.hasScheme("https"), let host = url.host else { return nil }
    return CurlProxy(for: host, environment: environment)
  }
}

extension Arguments {
  /// What carries requests to the issuer of `--issuer`, as `--cacert` and `--plain-http` say.
  func curl(to issuer: String) throws(CommandFailure) -> CurlTransport {
    let curl = CurlTransport(plainHTTP: has("plain-http") ? .loopback : .refused, authorities: self["cacert"])
    guard (try? IssuerMetadata.url(of: issuer, kind: .openID, plainHTTP: curl.plainHTTP)) != nil else {
      throw .usage(
        "--issuer is an https URL without query and fragment"
          + (curl.plainHTTP == .loopback ? ", or an http one on this machine" : ""))
    }
    return curl
  }
}
