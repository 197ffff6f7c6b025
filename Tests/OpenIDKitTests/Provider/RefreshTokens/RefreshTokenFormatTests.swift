import IdentityTesting
import JOSE
import PureCrypto
import PureJOSETestSupport
import Testing

@testable import OpenIDKit

/// How a token is written, and what is none.
@Suite struct RefreshTokenFormatTests {
  @Test func `S-P02 the format's vectors`() throws {
    let family = try #require(RefreshTokenFamily.ID(octets: hex("00112233445566778899aabbccddeeff")))
    let format = try RefreshTokenFormat(key: Array(0...31))
    let vectors = [
      (
        "rt1.ABEiM0RVZneImaq7zN3u_w.1.IVB_61tuENYCV9mPexqhTDpb-8mDhcY0hnjunNnhLQo",
        "9aa4534d186f5285b23afcc90ce0ba7772b146402dfcc28c74c1014b3671c0a3"
      ),
      (
        "rt1.ABEiM0RVZneImaq7zN3u_w.2.dAsrxMVqxnL7dmWwE2TfxZFpFgoDmxta6sVuhjMlYuY",
        "aa3ee73818cea950ea40dadd302228055d5f191557862db30199703a77123786"
      ),
      (
        "rt1.ABEiM0RVZneImaq7zN3u_w.3.rwFl3F2V134fo9zj3WnL0G-d5Olm87av24q5Yg3n_UA",
        "9c5b5670f15ea313490b9654665980276ec0c6433704a355f1e8242734cd6821"
      ),
    ]
    for (index, vector) in vectors.enumerated() {
      let generation = UInt64(index + 1)
      #expect(format.token(of: family, generation: generation) == vector.0)
      #expect(format.parse(vector.0) == .init(family: family, generation: generation))
      #expect(Hex.encode(SHA2.SHA256.hash(vector.0.utf8)) == vector.1)
    }
    #expect(throws: OpenIDError.self) { try RefreshTokenFormat(key: [UInt8](repeating: 1, count: 31)) }
  }

  @Test func `S-N04 another client's name revokes nothing`() async throws {
    let provider = try Provider()
    let first = try await provider.issue()
    #expect(await failure { _ = try await provider.redeem(first, client: "app-b") }?.code == .invalidGrant)
    _ = try await provider.redeem(first)
    provider.clock.advance(60)
    #expect(await failure { _ = try await provider.redeem(first, client: "app-b") }?.code == .invalidGrant)
    #expect(try await provider.family(first)?.status == .active)
  }

  @Test func `S-N05 malformed tokens, wrong MACs and generations to come revoke nothing`() async throws {
    let provider = try Provider()
    let first = try await provider.issue()
    let family = try #require(try await provider.family(first))
    let other = try RefreshTokenFormat(key: Array(1...32))
    let parts = first.split(separator: ".")
    let unknown = try #require(RefreshTokenFamily.ID(octets: Array(0..<16)))
    var hostile = [
      "", "rt1", "rt1...", "rt2.\(parts[1]).1.\(parts[3])", first + "A", String(first.dropLast()), first + ".x",
      "rt1.\(parts[1]).2.\(parts[3])", "rt1.\(parts[1]).01.\(parts[3])", "rt1.\(parts[1]).+1.\(parts[3])",
      "rt1.\(parts[1]).0.\(parts[3])", "rt1.\(parts[1]).99999999999999999999.\(parts[3])", "rt1.AAAA.1.\(parts[3])",
      other.token(of: family.id, generation: 1), provider.format.token(of: family.id, generation: 2),
      provider.format.token(of: family.id, generation: .max), provider.format.token(of: unknown, generation: 1),
      String(repeating: "a", count: 100_000),
    ]
    for index in first.utf8.indices {
      var bytes = Array(first.utf8)
      bytes[first.utf8.distance(from: first.utf8.startIndex, to: index)] ^= 1
      hostile.append(String(decoding: bytes, as: UTF8.self))
    }
    for token in hostile {
      #expect(await failure { _ = try await provider.redeem(token) }?.code == .invalidGrant)
    }
    #expect(try await provider.redeem(first).grant.generation == 2)
  }

  @Test func `the key of refresh tokens can be changed`() async throws {
    let (old, new) = ([UInt8](0...31), [UInt8](1...32))
    let store = MemoryRecordStore()
    let clock = VirtualClock()
    func service(_ format: RefreshTokenFormat) throws -> RefreshTokenService {
      try RefreshTokenService(format: format, sessions: EndlessSessions(), records: store, clock: clock.wall)
    }
    func redeem(_ service: RefreshTokenService, _ token: String) async throws -> String {
      try await service.redeem(RefreshRedemption(refreshToken: token, clientID: "app-a")) { _ in }.refreshToken
    }
    let before = try service(RefreshTokenFormat(key: old))
    let first = try await before.issue(Provider.grant).refreshToken
    let during = try service(RefreshTokenFormat(key: new, previousKeys: [old]))
    let second = try await redeem(during, first)
    let after = try service(RefreshTokenFormat(key: new))
    _ = try await redeem(after, second)
    let stale = try await before.issue(Provider.grant).refreshToken
    #expect(await failure { _ = try await redeem(after, stale) }?.code == .invalidGrant)
    #expect(await failure { _ = try RefreshTokenFormat(key: new, previousKeys: [[1]]) }?.code == .settingInvalid)
  }
}
