import JOSE
import PureJOSETestSupport
import Testing

@testable import PlatformSSOKit

@Suite("Profiles that are binary, or signed")
struct ProfileContainerTests {
  /// What Python's plistlib writes of ``settings``.
  private static let binary = """
    YnBsaXN0MDDXAQIDBAUGBwgjJCUmJxNeUGF5bG9hZENvbnRlbnRfEBJQYXlsb2FkRGlzcGxheU5hbWVfEBFQYXlsb2FkSWRlbnRpZmllclxQYXls
    b2FkU2NvcGVbUGF5bG9hZFR5cGVbUGF5bG9hZFVVSUReUGF5bG9hZFZlcnNpb26hCdkKAwUGBwsMDQ4PEBESExQfICFfEBNFeHRlbnNpb25JZGVu
    dGlmaWVyW1BsYXRmb3JtU1NPXlRlYW1JZGVudGlmaWVyVFR5cGVUVVJMc18QFGNvbS5leGFtcGxlLm1hYy5zc29lXxATY29tLmV4YW1wbGUuc3Nv
    LnNzb18QF2NvbS5hcHBsZS5leHRlbnNpYmxlc3NvXxAkM0QwRTRDMEEtMEIxRi00Qzg0LTlFNTYtNkUzRjZBNEE5QzAyEAHVFRYXGBkaGxwdHl8Q
    HkFjY2Vzc0tleVJlYWRlckdyb3VwSWRlbnRpZmllcl8QHUFjY2Vzc0tleVRlcm1pbmFsSWRlbnRpdHlVVUlEXxAUQXV0aGVudGljYXRpb25NZXRo
    b2ReTG9naW5GcmVxdWVuY3lfEBNVc2VTaGFyZWREZXZpY2VLZXlzTxAQAAECAwQFBgcICQoLDA0OD18QJDNEMEU0QzBBLTBCMUYtNEM4NC05RTU2
    LTZFM0Y2QTRBOUMwM1hQYXNzd29yZBEcIAlaQUJDREUxMjM0NVhSZWRpcmVjdKEiXxAYaHR0cHM6Ly9pZHAuZXhhbXBsZS5jb20vbxASAEEAbgBt
    AGUAbABkAHUAbgBnACAAZgD8AHIAIABhAGwAbABlXxAPY29tLmV4YW1wbGUuc3NvVlN5c3RlbV1Db25maWd1cmF0aW9uXxAkM0QwRTRDMEEtMEIx
    Ri00Qzg0LTlFNTYtNkUzRjZBNEE5QzAxAAgAFwAmADsATwBcAGgAdACDAIUAmACuALoAyQDOANMA6gEAARoBQQFDAU4BbwGPAaYBtQHLAd4CBQIO
    AhECEgIdAiYCKAJDAmoCfAKDApEAAAAAAAACAQAAAAAAAAAoAAAAAAAAAAAAAAAAAAACuA==
    """

  /// The same, signed by OpenSSL with forms of indefinite length.
  private static let signed = """
    MIAGCSqGSIb3DQEHAqCAMIACAQExDTALBglghkgBZQMEAgEwgAYJKoZIhvcNAQcBoIAkgASCAyhicGxpc3QwMNcBAgMEBQYHCCMkJSYnE15QYXls
    b2FkQ29udGVudF8QElBheWxvYWREaXNwbGF5TmFtZV8QEVBheWxvYWRJZGVudGlmaWVyXFBheWxvYWRTY29wZVtQYXlsb2FkVHlwZVtQYXlsb2Fk
    VVVJRF5QYXlsb2FkVmVyc2lvbqEJ2QoDBQYHCwwNDg8QERITFB8gIV8QE0V4dGVuc2lvbklkZW50aWZpZXJbUGxhdGZvcm1TU09eVGVhbUlkZW50
    aWZpZXJUVHlwZVRVUkxzXxAUY29tLmV4YW1wbGUubWFjLnNzb2VfEBNjb20uZXhhbXBsZS5zc28uc3NvXxAXY29tLmFwcGxlLmV4dGVuc2libGVz
    c29fECQzRDBFNEMwQS0wQjFGLTRDODQtOUU1Ni02RTNGNkE0QTlDMDIQAdUVFhcYGRobHB0eXxAeQWNjZXNzS2V5UmVhZGVyR3JvdXBJZGVudGlm
    aWVyXxAdQWNjZXNzS2V5VGVybWluYWxJZGVudGl0eVVVSURfEBRBdXRoZW50aWNhdGlvbk1ldGhvZF5Mb2dpbkZyZXF1ZW5jeV8QE1VzZVNoYXJl
    ZERldmljZUtleXNPEBAAAQIDBAUGBwgJCgsMDQ4PXxAkM0QwRTRDMEEtMEIxRi00Qzg0LTlFNTYtNkUzRjZBNEE5QzAzWFBhc3N3b3JkERwgCVpB
    QkNERTEyMzQ1WFJlZGlyZWN0oSJfEBhodHRwczovL2lkcC5leGFtcGxlLmNvbS9vEBIAQQBuAG0AZQBsAGQAdQBuAGcAIABmAPwAcgAgAGEAbABs
    AGVfEA9jb20uZXhhbXBsZS5zc29WU3lzdGVtXUNvbmZpZ3VyYXRpb25fECQzRDBFNEMwQS0wQjFGLTRDODQtOUU1Ni02RTNGNkE0QTlDMDEACAAX
    ACYAOwBPAFwAaAB0AIMAhQCYAK4AugDJAM4A0wDqAQABGgFBAUMBTgFvAY8BpgG1AcsB3gIFAg4CEQISAh0CJgIoAkMCagJ8AoMCkQAAAAAAAAIB
    AAAAAAAAACgAAAAAAAAAAAAAAAAAAAK4AAAAAAAAoIIBfzCCAXswggEhoAMCAQICFFymNccxZ3cnIfpHIXBCiyt5BFU5MAoGCCqGSM49BAMCMBMx
    ETAPBgNVBAMMCFByb2ZpbGVzMB4XDTI2MTEyOTIyNTIwNFoXDTM2MTEyNjIyNTIwNFowEzERMA8GA1UEAwwIUHJvZmlsZXMwWTATBgcqhkjOPQIB
    BggqhkjOPQMBBwNCAARNbSlNo6/FafBEm9lWfsprf2ppLEN1FrLwyK/68BL4ovROu8w/rWprfQbKZx/CL53eWYl21/S/XwAHHA6SGlAXo1MwUTAd
    BgNVHQ4EFgQU6NbHhfx9RKN+eChj1jViVhjxTc4wHwYDVR0jBBgwFoAU6NbHhfx9RKN+eChj1jViVhjxTc4wDwYDVR0TAQH/BAUwAwEB/zAKBggq
    hkjOPQQDAgNIADBFAiEAueXnL+YfDcy7SZYyFppGPaboO/03O+IH5mC3ot4j5awCIDNG+aBrDT9EOA+QFdcT4DEp92NzsqGNfsCKE6kPl1sQMYIB
    fDCCAXgCAQEwKzATMREwDwYDVQQDDAhQcm9maWxlcwIUXKY1xzFndych+kchcEKLK3kEVTkwCwYJYIZIAWUDBAIBoIHkMBgGCSqGSIb3DQEJAzEL
    BgkqhkiG9w0BBwEwHAYJKoZIhvcNAQkFMQ8XDTI2MTEyOTIyNTIwNFowLwYJKoZIhvcNAQkEMSIEINNvFG9f1ntKkdUErEu6Icar1K/y0l3GeKRP
    eyy0VN36MHkGCSqGSIb3DQEJDzFsMGowCwYJYIZIAWUDBAEqMAsGCWCGSAFlAwQBFjALBglghkgBZQMEAQIwCgYIKoZIhvcNAwcwDgYIKoZIhvcN
    AwICAgCAMA0GCCqGSIb3DQMCAgFAMAcGBSsOAwIHMA0GCCqGSIb3DQMCAgEoMAoGCCqGSM49BAMCBEYwRAIgdsOpt1p1KnIu2rV8TRgTotaIV2qT
    ZA+aVAZb+s4bUQACIEqz7PuMScb6/6n6WIl+oxhiIHtyagtl24EetiRr/vk1AAAAAAAA
    """

  private static func octets(_ text: String) throws -> [UInt8] {
    try Base64.decode(text.split(whereSeparator: \.isWhitespace).joined())
  }

  /// The same settings, as XML.
  private static func settings() throws -> ExtensibleSSOProfile {
    var profile = ExtensibleSSOProfile(
      extensionIdentifier: "com.example.mac.ssoe", teamIdentifier: "ABCDE12345", urls: ["https://idp.example.com/"],
      authenticationMethod: .password)
    try profile.set("LoginFrequency", to: .integer(7200))
    try profile.set("AccessKeyReaderGroupIdentifier", to: .data(Array(0..<16)))
    try profile.set("AccessKeyTerminalIdentityUUID", to: .string("3D0E4C0A-0B1F-4C84-9E56-6E3F6A4A9C03"))
    return profile
  }

  /// A message of RFC 5652 with forms of definite length, and no signers.
  private static func message(_ content: [UInt8]) -> [UInt8] {
    func element(_ tag: UInt8, _ octets: [UInt8]) -> [UInt8] {
      let length = octets.count
      let size: [UInt8] = length < 128 ? [UInt8(length)] : [0x82, UInt8(length >> 8), UInt8(length & 0xFF)]
      return [tag] + size + octets
    }
    let name: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07]
    let inner = element(0x30, element(0x06, name + [1]) + element(0xA0, element(0x04, content)))
    let data = element(0x30, element(0x02, [1]) + element(0x31, []) + inner + element(0x31, []))
    return element(0x30, element(0x06, name + [2]) + element(0xA0, data))
  }

  @Test("A profile is the same in XML, binary and signed, also in pieces")
  func forms() throws {
    let settings = try Self.settings()
    let xml = try Array(settings.configurationProfile(identifier: "com.example.sso", displayName: "x").utf8)
    for octets in [
      xml, try Self.octets(Self.binary), try Self.octets(Self.signed), Self.message(xml),
      Self.message(try Self.octets(Self.binary)),
    ] {
      let profile = try ExtensibleSSOProfile(configurationProfile: octets)
      #expect(profile == settings)
      #expect(profile.findings(inConfigurationProfile: true) == [])
    }
    let value = try PropertyListValue(profile: Self.octets(Self.binary))
    #expect(value["PayloadDisplayName"] == .string("Anmeldung für alle") && value["PayloadVersion"] == .integer(1))
  }

  @Test("Cut, changed and made to refer to itself, it is refused and traps nothing")
  func hostile() throws {
    for octets in [try Self.octets(Self.binary), try Self.octets(Self.signed)] {
      for position in octets.indices {
        _ = try? ExtensibleSSOProfile(configurationProfile: Array(octets.prefix(position)))
        for change: UInt8 in [0x01, 0x0F, 0x80, 0xFF] {
          var changed = octets
          changed[position] ^= change
          _ = try? ExtensibleSSOProfile(configurationProfile: changed)
        }
      }
    }
    /// A list whose objects are these, the first of which is its root.
    func list(_ objects: [[UInt8]], offsetSize: UInt8 = 1) -> [UInt8] {
      var octets = Array("bplist00".utf8)
      var offsets: [UInt8] = []
      for object in objects {
        offsets.append(UInt8(octets.count))
        octets += object
      }
      let table = UInt8(octets.count)
      return octets + offsets + [0, 0, 0, 0, 0, 0, offsetSize, 1] + [0, 0, 0, 0, 0, 0, 0, UInt8(objects.count)]
        + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, table]
    }
    func error(_ octets: [UInt8]) -> ErrorCode? {
      do throws(JOSEError) {
        _ = try PropertyListValue(profile: octets)
        return nil
      } catch { return error.code }
    }
    #expect(error(list([[0x09]])) == nil)
    #expect(error(list([[0xA1, 0]])) == .limitExceeded)
    // 2¹⁶ values of 17 objects, each an array of the next one twice, and 8¹⁶ of as many.
    let chain = (1...16).map { [0xA2, UInt8($0), UInt8($0)] as [UInt8] }
    #expect(error(list(chain + [[0x08]])) == .limitExceeded || error(list(chain + [[0x08]])) == nil)
    let eightfold = (1...16).map { [0xA8] + [UInt8](repeating: UInt8($0), count: 8) }
    #expect(error(list(eightfold + [[0x08]])) == .limitExceeded)
    for objects: [[UInt8]] in [
      [], [[0x14]], [[0x10]], [[0x80, 1]], [[0x41]], [[0x51, 0xFF]], [[0x61, 0xD8, 0x00]], [[0xA1, 9]],
      [[0xD1, 1, 1], [0x09]],
      [[0x5F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]],
      [[0x6F, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]],
      [[0xD2, 1, 1, 2, 2], [0x51, 0x61], [0x09]],
    ] { #expect(error(list(objects)) == .malformed, "\(objects)") }
    // 15ⁿ times the same 100 octets of data: 15³ are 330 KB and are read, 15⁴ values 5 MB, and 15⁵ too many.
    let data = [0x4F, 0x10, 100] + [UInt8](repeating: 0, count: 100)
    func shared(_ depth: UInt8) -> ErrorCode? {
      error(list((1...depth).map { [0xAF, 0x10, 15] + [UInt8](repeating: $0, count: 15) } + [data]))
    }
    #expect(shared(3) == nil && shared(5) == .limitExceeded)
    // Few values, and each of them long: 400 times 30,000 octets are 12 MB.
    let long = [0x4F, 0x11, 0x75, 0x30] + [UInt8](repeating: 0, count: 30_000)
    let many = [0xAF, 0x11, 0x01, 0x90] + [UInt8](repeating: 1, count: 400)
    let table = 8 + many.count + long.count
    func wide(_ number: Int) -> [UInt8] { [UInt8(number >> 16), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)] }
    let trailer: [UInt8] = [0, 0, 0, 0, 0, 0, 3, 1] + [0, 0, 0, 0, 0, 0, 0, 2] + [0, 0, 0, 0, 0, 0, 0, 0]
    let whole = Array("bplist00".utf8) + many + long + wide(8) + wide(8 + many.count) + trailer
    #expect(error(whole + [0, 0, 0, 0, 0] + wide(table)) == .limitExceeded)
    #expect(error(list([[0x09]], offsetSize: 0)) == .malformed && error(list([[0x09]], offsetSize: 9)) == .malformed)
  }
}
