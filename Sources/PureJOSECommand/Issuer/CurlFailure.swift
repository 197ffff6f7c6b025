/// Why the program `curl` brought no answer, each cause in words of its own.
enum CurlFailure: Error, Equatable {
  /// The URL is not one that may be asked.
  case addressNotAllowed
  /// It couldn't be run to its end.
  case notRun(SystemInterface.ProgramFault, program: String)
  /// It ended with this exit code, which is not 0.
  case ended(Int32, secondLimit: Int)
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
    case .ended(let code, let secondLimit): Self.text(of: code, secondLimit) + " (curl \(code))"
    case .malformedAnswer: "what curl wrote is not an HTTP message"
    }
  }

  private static let toInstall =
    "the program curl, which asks the server, is not in PATH: install it, by apt install curl, dnf install curl or "
    + "apk add curl; macOS has it"

  /// What an exit code means, by `man curl`.
  private static func text(of code: Int32, _ secondLimit: Int) -> String {
    switch code {
    case 1: "what answers does not speak HTTP, or this curl was built without https"
    case 2: "curl refuses an option that it is given: a newer one is needed, or --cacert names no file"
    case 3: "curl takes the address for no URL: look for what is not ASCII in it"
    case 5: "the proxy's name has no address: look at the variables HTTPS_PROXY and ALL_PROXY"
    case 6: "the host's name has no address: look at the name, and at the network's DNS"
    case 7:
      "nothing accepts connections there: look at host and port, whether the server runs, and at firewalls; where "
        + "HTTPS_PROXY or ALL_PROXY is set, at that proxy first"
    case 8, 22: "the server's answer is no HTTP: another program listens on that port"
    case 18: "the connection ended before the answer was whole: try again"
    case 16, 92: "the connection by HTTP/2 broke: try again"
    case 28: "there was no whole answer within \(secondLimit) seconds: try again, or look at the network"
    case 35: "TLS could not be agreed on: the port speaks none, or no version that both have"
    case 43, 27: "curl itself failed: try again, or another version of it"
    case 52: "the server closed the connection without an answer"
    case 53, 54, 58, 59, 66: "curl's TLS library is not set up: look at CURL_SSL_BACKEND, and at curl --version"
    case 55: "the connection broke while the request was sent: try again"
    case 56: "the connection broke before the answer was whole, or the proxy refused: try again, or look at HTTPS_PROXY"
    case 51, 60:
      "the server's certificate is not trusted: it is of an authority unknown here, of another name, or not valid now; "
        + "--cacert FILE names the authority to trust"
    case 61: "the answer has an encoding that wasn't requested"
    case 63: "the answer is longer than is read"
    case 77: "the authorities to trust can't be read: look at --cacert, CURL_CA_BUNDLE and SSL_CERT_FILE"
    case 83, 90, 91: "the server's certificate failed a further check: ask who runs the server"
    case 97: "the proxy refused: look at HTTPS_PROXY and ALL_PROXY"
    case 126, 127: "curl can't be started as it is installed: try curl --version"
    default: "curl failed: man curl says why under EXIT CODES"
    }
  }
}
