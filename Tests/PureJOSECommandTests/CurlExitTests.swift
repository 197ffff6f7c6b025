import Foundation
import JOSE
import PureJOSETestSupport
import Testing

@testable import PureJOSECommand

@Suite("How the program curl ends, and what an error says of it")
struct CurlExitTests {
  private static let standIn = PackageFile.path("Tests/StandIns/curl")
  private static let unknown = "man curl says why"

  /// Exit codes of `man curl` that a request by this command can bring.
  private static let codes: [Int32] = [
    1, 2, 3, 4, 5, 6, 7, 8, 16, 18, 22, 23, 26, 27, 28, 35, 43, 51, 52, 53, 54, 55, 56, 58, 59, 60, 61, 63, 66, 77, 80,
    83, 90, 91, 92, 97, 98, 126, 127,
  ]

  /// What an error says when the stand-in ends with a code.
  private static func text(
    _ code: Int32, host: String = "h", environment: [String: String] = [:]
  ) async -> String {
    var curl = CurlTransport(program: standIn)
    curl.environment = environment
    do throws(CurlFailure) {
      _ = try await curl.answer(HTTPRequestValue(method: "GET", url: "https://\(host)/exit/\(code)"))
      Issue.record("\(code) was an answer")
      return ""
    } catch {
      return error.text
    }
  }

  @Test("each exit that is known has words of its own", arguments: codes)
  func words(code: Int32) async {
    let ending = " (curl \(code))"
    let text = await Self.text(code)
    #expect(text.hasSuffix(ending) && !text.contains(Self.unknown), "\(text)")
    let others = Self.codes.filter { $0 != code }.map { CurlFailure.ended($0, secondLimit: 10).text }
    for other in others { #expect(!other.hasPrefix(text.dropLast(ending.count) + " (curl"), "\(other)") }
  }

  @Test("an exit that isn't known is looked up, and all that are known are tested")
  func unknown() {
    let known = (1...127).filter { !CurlFailure.ended($0, secondLimit: 10).text.contains(Self.unknown) }
    #expect(known == Self.codes)
  }

  @Test(
    "a proxy that the request goes to is named, without credentials",
    arguments: [
      ("HTTPS_PROXY", "http://proxy.test:3128"), ("https_proxy", "proxy.test:3128"),
      ("ALL_PROXY", "socks5h://u:s%40ecret@proxy.test:3128/"), ("all_proxy", "http://u:s/ec@ret@proxy.test:3128"),
      ("HTTPS_PROXY", "u:secret@proxy.test:3128"),
    ])
  func proxy(variable: String, value: String) async {
    for code: Int32 in [5, 7, 56, 97] {
      let text = await Self.text(code, environment: [variable: value, "NO_PROXY": "other.test"])
      #expect(text.contains("the proxy proxy.test:3128 of \(variable)"), "\(text)")
      #expect(!text.contains("ecret") && !text.contains("u:"), "\(text)")
      #expect(text.contains("NO_PROXY"))
    }
    // Whose name has no address, or whose certificate is refused, is the server.
    for code: Int32 in [6, 60] {
      #expect(await Self.text(code, environment: [variable: value]) == CurlFailure.ended(code, secondLimit: 10).text)
    }
  }

  @Test(
    "what shows no host of a proxy is not repeated",
    arguments: ["http://u:p", "//", "a b", "\u{1B}[2J", "u:p/x", "ü", "[::1", "[a]b:1", "a:1:2", "a@", ":1"])
  func hiddenProxy(value: String) async {
    let text = await Self.text(7, environment: ["HTTPS_PROXY": value])
    #expect(text.hasPrefix("the proxy of HTTPS_PROXY, which"), "\(text)")
  }

  @Test("an IP literal is an address too")
  func addressForms() {
    for (value, address) in [
      ("http://[::1]:3128/", "[::1]:3128"), ("u:p@[2001:db8::1]", "[2001:db8::1]"), ("10.0.0.1", "10.0.0.1"),
    ] {
      #expect(CurlProxy(for: "h", environment: ["https_proxy": value])?.address == address)
    }
  }

  @Test("the first variable with a value counts, in curl's order")
  func order() {
    func variable(_ environment: [String: String]) -> String? {
      CurlProxy(for: "h", environment: environment)?.variable
    }
    #expect(variable(["HTTPS_PROXY": "a", "https_proxy": "b", "ALL_PROXY": "c"]) == "https_proxy")
    #expect(variable(["HTTPS_PROXY": "a", "https_proxy": "", "all_proxy": "c"]) == "HTTPS_PROXY")
    #expect(variable(["ALL_PROXY": "a", "all_proxy": "b"]) == "all_proxy")
    #expect(variable(["HTTPS_PROXY": "", "HTTP_PROXY": "b"]) == nil)
  }

  @Test(
    "a server that NO_PROXY excepts is asked itself",
    arguments: [
      ("*", "h.test", true), ("h.test", "h.test", true), ("H.test.", "h.TEST", true), (".test", "h.test", true),
      ("a, test", "h.test", true), ("a b,h.test", "h.test.", true), ("[::1]", "[::1]", true), ("::1", "[::1]", true),
      ("est", "h.test", false), ("i.h.test", "h.test", false), ("", "h.test", false), ("*,a", "h.test", false),
    ])
  func exceptions(list: String, host: String, isExcepted: Bool) {
    for name in ["NO_PROXY", "no_proxy"] {
      let proxy = CurlProxy(for: host, environment: ["HTTPS_PROXY": "p", name: list])
      #expect((proxy == nil) == isExcepted)
    }
  }

  @Test("how curl ended is known where the parent process ignores the signal of ended children")
  func ignoredSignal() async {
    await #expect(processExitsWith: .success) {
      // As after `trap '' CHLD` in a shell.
      signal(SIGCHLD, SIG_IGN)
      let curl = CurlTransport(program: CurlExitTests.standIn)
      for _ in 0..<2 {
        let response = try await curl.answer(HTTPRequestValue(method: "GET", url: "https://h/trailer"))
        #expect(response.body == Array("hi".utf8))
      }
    }
  }
}
