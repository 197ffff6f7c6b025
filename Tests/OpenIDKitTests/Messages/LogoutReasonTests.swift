import OpenIDKit
import Testing

@Suite struct LogoutReasonTests {
  @Test func `a reason in an administrator's words forges no line of a log`() {
    #expect(LogoutReason("lost\r\n2026 login of\u{0} bob\u{1b}[2J").description == "lost2026 login of bob[2J")
    #expect(LogoutReason("verloren – Zoë 🔑").description == "verloren – Zoë 🔑")
  }
}
