import PureCrypto
import PureJOSETestSupport
import Testing

@Suite("P-256 keys") struct P256KeyTests {
  static let privateKey = "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"
  static let x = "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
  static let y = "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
  static let p = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"
  static let n = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"

  func code(_ body: () throws -> Void) -> CryptoError.Code? {
    do {
      try body()
      return nil
    } catch let error as CryptoError {
      return error.code
    } catch {
      return nil
    }
  }

  @Test func encodingsOfAPublicKey() throws {
    let key = try P256PublicKey(x: hex(Self.x), y: hex(Self.y))
    #expect(key.x == (try hex(Self.x)))
    #expect(key.y == (try hex(Self.y)))
    #expect(key.x963Representation == (try hex("04" + Self.x + Self.y)))
    #expect(key.compressedRepresentation == (try hex("03" + Self.x)))
    #expect(try P256PublicKey(x963Representation: key.x963Representation) == key)
    #expect(try P256PublicKey(compressedRepresentation: key.compressedRepresentation) == key)
    #expect(try P256PublicKey(compressedRepresentation: hex("02" + Self.x)) != key)
    #expect(try P256PublicKey(compressedRepresentation: hex("02" + Self.x)).x == key.x)
  }

  /// KEY-2, KEY-3: 32 bytes exactly, below p, on the curve, not infinity.
  static let invalid: [(String, String)] = [
    ("", ""), ("00" + x, y), (x, "00" + y), (String(x.dropFirst(2)), y), (x, String(y.dropLast(2))),
    (String(repeating: "0", count: 64), String(repeating: "0", count: 64)), (x, x), (y, x), (p, y), (x, p),
    (String(repeating: "f", count: 64), String(repeating: "f", count: 64)),
    // x = 5 + p and the y of x = 5: the residues are those of a point, the integers are not canonical.
    (
      "ffffffff00000001000000000000000000000001000000000000000000000004",
      "459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248fbcc"
    ),
  ]

  @Test(arguments: invalid)
  func invalidCoordinates(_ x: String, _ y: String) throws {
    let x = try hex(x)
    let y = try hex(y)
    #expect(code { _ = try P256PublicKey(x: x, y: y) } == .invalidPublicKey)
    #expect(code { _ = try P256PublicKey(x963Representation: [4] + x + y) } == .invalidPublicKey)
  }

  /// x = 5 is on the curve, so the non-canonical 5 + p above was refused for its form.
  @Test func theCanonicalTwinIsValid() throws {
    let five = String(repeating: "0", count: 63) + "5"
    let key = try P256PublicKey(compressedRepresentation: hex("02" + five))
    #expect(key.y == (try hex("459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248fbcc")))
    #expect(key.compressedRepresentation == (try hex("02" + five)))
    #expect(key.x963Representation.count == 65)
  }

  @Test(arguments: [0x00, 0x01, 0x02, 0x03, 0x05, 0x06, 0x07, 0x08, 0x84, 0xff] as [UInt8])
  func otherPointForms(_ form: UInt8) throws {
    #expect(code { _ = try P256PublicKey(x963Representation: [form] + hex(Self.x + Self.y)) } == .invalidPublicKey)
    if form != 2 && form != 3 {
      #expect(code { _ = try P256PublicKey(compressedRepresentation: [form] + hex(Self.x)) } == .invalidPublicKey)
    }
    #expect(code { _ = try P256PublicKey(x963Representation: [form]) } == .invalidPublicKey)
  }

  @Test func wrongLengths() throws {
    for count in 0...140 where count != 65 {
      let bytes = [UInt8](repeating: 4, count: count)
      #expect(code { _ = try P256PublicKey(x963Representation: bytes) } == .invalidPublicKey)
    }
    for count in 0...70 where count != 33 {
      let bytes = [UInt8](repeating: 2, count: count)
      #expect(code { _ = try P256PublicKey(compressedRepresentation: bytes) } == .invalidPublicKey)
    }
    for count in 0...70 where count != 32 {
      let bytes = [UInt8](repeating: 1, count: count)
      #expect(code { _ = try P256PrivateKey(rawRepresentation: bytes) } == .invalidPrivateKey)
    }
  }

  @Test func compressedPointWithoutARoot() throws {
    // Of x = 0 … 40, about half are on the curve. Those that are not are refused; those that are have both roots.
    var valid = 0
    for x: UInt8 in 0...40 {
      let even = [2] + [UInt8](repeating: 0, count: 31) + [x]
      let odd = [3] + [UInt8](repeating: 0, count: 31) + [x]
      if let key = try? P256PublicKey(compressedRepresentation: even) {
        valid += 1
        let other = try P256PublicKey(compressedRepresentation: odd)
        #expect(key.x == other.x && key != other)
        #expect(key.compressedRepresentation == even && other.compressedRepresentation == odd)
      } else {
        #expect(code { _ = try P256PublicKey(compressedRepresentation: odd) } == .invalidPublicKey)
      }
    }
    #expect((10...31).contains(valid))
    #expect(code { _ = try P256PublicKey(compressedRepresentation: [2] + hex(Self.p)) } == .invalidPublicKey)
  }

  /// KEY-4.
  @Test(arguments: [
    String(repeating: "0", count: 64), n, "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632552",
    String(repeating: "f", count: 64),
  ])
  func privateKeyOutOfRange(_ d: String) throws {
    let d = try hex(d)
    #expect(code { _ = try P256PrivateKey(rawRepresentation: d) } == .invalidPrivateKey)
    #expect(code { _ = try P256PrivateKey(rawRepresentation: SecretBytes(copying: d)) } == .invalidPrivateKey)
  }

  @Test func smallestAndLargestPrivateKey() throws {
    let one = try P256PrivateKey(rawRepresentation: [UInt8](repeating: 0, count: 31) + [1])
    #expect(
      one.publicKey.x == (try hex("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296")))
    let last = try P256PrivateKey(
      rawRepresentation: hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550"))
    #expect(last.publicKey.x == one.publicKey.x)
    #expect(last.publicKey != one.publicKey)
  }

  @Test func rawRepresentationBothWays() throws {
    let key = try P256PrivateKey(rawRepresentation: hex(Self.privateKey))
    #expect(key.publicKey.x == (try hex(Self.x)))
    #expect(try key.rawRepresentation.withUnsafeBytes { Array($0) } == hex(Self.privateKey))
    #expect(try P256PrivateKey(rawRepresentation: key.rawRepresentation).publicKey == key.publicKey)
  }

  @Test func freshKeysDiffer() {
    let keys = (0..<20).map { _ in P256PrivateKey().publicKey }
    #expect(Set(keys).count == 20)
  }

  @Test func generatorDecidesTheKey() {
    var first = Counter()
    var second = Counter()
    #expect(P256PrivateKey(using: &first).publicKey == P256PrivateKey(using: &second).publicKey)
    #expect(P256PrivateKey(using: &first).publicKey != P256PrivateKey().publicKey)
  }

  private struct Counter: RandomNumberGenerator {
    var state: UInt64 = 0
    mutating func next() -> UInt64 {
      state += 1
      return state
    }
  }

  /// KEY-2: coordinates and shared secrets that begin with a zero byte keep their width in every encoding.
  @Test func leadingZerosStay() throws {
    var missing: Set = ["x", "y", "z"]
    let peer = try P256PrivateKey(rawRepresentation: hex(Self.privateKey))
    var d: UInt16 = 1
    while !missing.isEmpty && d < 20_000 {
      let key = try P256PrivateKey(
        rawRepresentation: [UInt8](repeating: 0, count: 30) + [UInt8(d >> 8), UInt8(d & 0xff)])
      let publicKey = key.publicKey
      let z = try key.sharedSecret(with: peer.publicKey)
      if publicKey.x[0] == 0 { missing.remove("x") }
      if publicKey.y[0] == 0 { missing.remove("y") }
      if z.withUnsafeBytes({ $0[0] == 0 }) { missing.remove("z") }
      if publicKey.x[0] == 0 || publicKey.y[0] == 0 {
        #expect(publicKey.x.count == 32 && publicKey.y.count == 32)
        #expect(publicKey.x963Representation.count == 65)
        #expect(try P256PublicKey(x963Representation: publicKey.x963Representation) == publicKey)
        #expect(try P256PublicKey(compressedRepresentation: publicKey.compressedRepresentation) == publicKey)
        #expect(try P256PublicKey(derRepresentation: publicKey.derRepresentation) == publicKey)
        #expect(try P256PublicKey(pemRepresentation: publicKey.pemRepresentation) == publicKey)
      }
      #expect(z.withUnsafeBytes { $0.count } == 32)
      d += 1
    }
    #expect(missing.isEmpty)
  }

  /// KEY-7: nothing that prints a key shows d.
  @Test func descriptionsShowNoSecret() throws {
    let key = try P256PrivateKey(rawRepresentation: hex(Self.privateKey))
    var dumped = ""
    dump(key, to: &dumped)
    for text in ["\(key)", String(describing: key), String(reflecting: key), dumped] {
      #expect(!text.lowercased().contains("c9afa9"))
      #expect(!text.contains("201"))
    }
  }
}
