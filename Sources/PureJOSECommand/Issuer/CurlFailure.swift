/// Why the program `curl` brought no answer, each cause in words of its own.
enum CurlFailure: Error, Equatable {
  /// The URL is not one that may be asked.
  case addressNotAllowed
  /// It couldn't be run to its end.
  case notRun(SystemInterface.ProgramFault, program: String)
  /// It ended with this exit code, which is not 0. The proxy is the one that the request went to, if any.
  case ended(Int32, secondLimit: Int, proxy: CurlProxy? = nil)
  /// It reported an answer, but its output isn't one.
  case malformedAnswer

  /// The cause, and what to do.
  var text: String {
    switch self {
    case .addressNotAllowed: "the address is not an https URL; --plain-http allows http on this machine"
    case .notRun(.notFound, _): Self.toInstall
    case .notRun(.notStarted(let code), let program): "\(program) can't be started: \(FileFault.reason(code))"
    case .notRun(.settingsTooLong, _): "the fields of the request are longer than a pipe to curl takes"
    case .notRun(.outputTooLong, _): "the answer is longer than is read"
    case .notRun(.tookTooLong, _): "curl did not end in its time, and was ended"
    case .notRun(.killed, _): "curl was ended by a signal"
    case .ended(let code, let secondLimit, let proxy):
      (proxy.flatMap { Self.text(of: code, by: $0) } ?? Self.text(of: code, secondLimit)) + " (curl \(code))"
    case .malformedAnswer: "what curl wrote is not an HTTP message"
    }
  }

  private static let toInstall =
    "the program curl, which asks the server, is not in PATH: install it, by apt install curl, dnf install curl or "
    + "apk add curl; macOS has it"

  /// What an exit code means of a request that goes to a proxy; nil where the proxy makes no difference.
  ///
  /// The codes say it in every version of curl; what it writes differs.
  private static func text(of code: Int32, by proxy: CurlProxy) -> String? {
    let remedy = "look at \(proxy.variable), or name the host in NO_PROXY"
    switch code {
    case 5: return "the name of \(proxy.text), which is asked in the server's place, has no address: \(remedy)"
    case 7: return "\(proxy.text), which is asked in the server's place, accepts no connections: \(remedy)"
    case 56: return "\(proxy.text) refused, or the connection through it broke: \(remedy)"
    case 97: return "\(proxy.text) could not be agreed with, or refused: \(remedy)"
    default: return nil
    }
  }

  /// What an exit code means, by `man curl`.
  private static func text(of code: Int32, _ secondLimit: Int) -> String {
    switch code {
    case 1: "what answers does not speak HTTP, or this curl was built without https"
    case 2: "curl refuses an option that it is given: a newer one is needed, or --cacert names no file"
    case 3: "curl takes the address for no URL: look for what is not ASCII in it"
    case 4: "this curl was built without something that the request needs: install another"
    case 5: "the proxy's name has no address: look at the variables HTTPS_PROXY and ALL_PROXY"
    case 6: "the host's name has no address: look at the name, and at the network's DNS"
    case 7: "nothing accepts connections there: look at host and port, whether the server runs, and at firewalls"
    case 8: "the server's answer is not HTTP: another program listens on that port"
    case 16: "HTTP/2 failed in its framing: try again"
    case 18: "the connection ended before the answer was whole: try again"
    case 22: "the server answered with an error"
    case 23: "curl could not pass on the answer: try again"
    case 26: "curl could not read the request: try again"
    case 27: "curl had too little memory"
    case 28: "there was no whole answer within \(secondLimit) seconds: try again, or look at the network"
    case 35: "TLS could not be agreed on: the port doesn't speak it, or no version that both have"
    case 43: "curl failed in itself: try another version of it"
    case 51: "the server's certificate is not for this host: ask who runs the server"
    case 52: "the server closed the connection without an answer"
    case 53: "curl's TLS library is not found: look at CURL_SSL_BACKEND, and at curl --version"
    case 54: "curl's TLS library can't be made the default: look at CURL_SSL_BACKEND, and at curl --version"
    case 55: "the connection broke while the request was sent: try again"
    case 56: "the connection broke before the answer was whole: try again"
    case 58: "a client's certificate can't be used: look at how curl is set up"
    case 59: "curl's TLS library has none of the ciphers that it is told to use: look at how curl is set up"
    case 60:
      "the server's certificate is not trusted: it is of an authority unknown here, of another name, or not valid now; "
        + "--cacert FILE names the authority to trust"
    case 61: "the answer has an encoding that wasn't requested"
    case 63: "the answer is longer than is read"
    case 66: "curl's TLS library can't be started: look at curl --version"
    case 77: "the authorities to trust can't be read: look at --cacert, CURL_CA_BUNDLE and SSL_CERT_FILE"
    case 80: "TLS could not be ended: try again"
    case 83: "the server's certificate is of another issuer than expected: ask who runs the server"
    case 90: "the server's key is not the one that curl is told to expect: ask who runs the server"
    case 91: "the server's certificate has a status that is not good: ask who runs the server"
    case 92: "a stream of HTTP/2 was ended by the server: try again"
    case 97: "the proxy could not be agreed with, or refused: look at HTTPS_PROXY and ALL_PROXY"
    case 98: "the server asks for a client's certificate, which this command doesn't send"
    case 126: "curl may not be started: look at the file's permissions"
    case 127: "curl can't be started as it is installed: try curl --version"
    default: "curl failed: man curl says why under EXIT CODES"
    }
  }
}
