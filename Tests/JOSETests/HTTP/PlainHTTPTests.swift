import JOSE
import Testing

@Suite("Where requests may go")
struct PlainHTTPTests {
  @Test(
    "https is permitted for every host",
    arguments: [
      "https://a.example", "https://a.example/", "HTTPS://A.EXAMPLE:8443/b?c", "https://127.0.0.1/",
      "https://[2001:db8::1]/",
    ])
  func https(_ url: String) {
    #expect(PlainHTTP.refused.permits(url) && PlainHTTP.loopback.permits(url))
  }

  @Test(
    "http is permitted for loopback hosts by the loopback policy alone",
    arguments: [
      "http://127.0.0.1", "http://127.0.0.1:8080/a", "HTTP://LocalHost/", "http://127.255.255.254/", "http://[::1]/",
      "http://[::1]:8080/",
    ])
  func loopback(_ url: String) {
    #expect(!PlainHTTP.refused.permits(url) && PlainHTTP.loopback.permits(url))
  }

  @Test(
    "every other URL is refused by both policies",
    arguments: [
      "http://a.example/", "http://127.0.0.1.example/", "http://localhost.example/", "http://128.0.0.1/",
      "http://0.0.0.0/",
      "http://127.1/", "http://0127.0.0.1/", "http://127.0.0.256/", "http://127.0.0/", "http://2130706433/",
      "http://[::2]/", "http://[::ffff:127.0.0.1]/", "http://localhost./", "http://user@127.0.0.1/",
      "https://user@a.example/", "https://user:password@a.example/", "https://@a.example/", "https://a.example/#b",
      "http://127.0.0.1/#b", "https://", "https:///a", "https://:443/", "https:a.example", "//a.example/", "/a", "",
      "a.example", "ftp://127.0.0.1/", "file:///etc/passwd", "unix:///x", "https+unix://x/", "httpss://a.example/",
      " https://a.example/", "https://a.example\n", "https://a b.example/", "https://a\\b.example/",
      "https://\u{E9}.example/", "https://a.example:0x50/", "https://a.example:/", "https://a.example:65536/",
      "http://127.0.0.1\u{0}/", "https://a.example/" + String(repeating: "a", count: 8 << 10),
    ])
  func others(_ url: String) {
    #expect(!PlainHTTP.refused.permits(url) && !PlainHTTP.loopback.permits(url))
  }
}
