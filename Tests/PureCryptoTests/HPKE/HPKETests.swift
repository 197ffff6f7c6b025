import PureCrypto
import PureJOSETestSupport
import Synchronization
import Testing

/// The vectors are in TestVectors/hpke.json.
@Suite("HPKE")
struct HPKETests {
  typealias PreSharedKey = (key: SecretBytes, identifier: [UInt8])

  static var preSharedKey: PreSharedKey { (SecretBytes(copying: testBytes(count: 32)), Array("name".utf8)) }

  // MARK: Laws

  private struct Conversation: HPKEKeyTest {
    let suite: HPKE.Ciphersuite
    let psk: PreSharedKey?

    func run<Key: HPKEPrivateKey>(_ makeKey: () -> Key) throws {
      let key = makeKey()
      var sender = try HPKE.Sender(key.publicKey, suite, info: [1, 2], psk: psk)
      var recipient = try HPKE.Recipient(key, sender.encapsulatedKey, suite, info: [1, 2], psk: psk)
      var sealed: [[UInt8]] = []
      for count in suite.aead == .exportOnly ? [] : [0, 1, 15, 16, 17, 100, 1000] {
        let (message, data) = (testBytes(count: count), testBytes(count: count / 2, seed: 3))
        let ciphertext = try sender.seal(message, authenticating: data)
        let next = try sender.seal(message, authenticating: data)
        #expect(ciphertext.count == count + 16 && ciphertext != next)
        // The second of a pair is too early at first, and the first too late afterwards.
        for wrong in [next] + sealed {
          #expect(throws: CryptoError(.authenticationFailed, "")) {
            try recipient.open(wrong, authenticating: data)
          }
        }
        #expect(try recipient.open(ciphertext, authenticating: data) == message)
        #expect(throws: CryptoError(.authenticationFailed, "")) {
          try recipient.open(ciphertext, authenticating: data)
        }
        #expect(try recipient.open(next, authenticating: data) == message)
        sealed.append(next)
      }
      let another = try HPKE.Sender(key.publicKey, suite, info: [1, 2], psk: psk)
      #expect(another.encapsulatedKey != sender.encapsulatedKey)
      for byteCount in [0, 1, 32, 100] {
        let secret = try sender.export(context: [7], byteCount: byteCount).unwipedOctets
        #expect(secret.count == byteCount)
        #expect(try recipient.export(context: [7], byteCount: byteCount).unwipedOctets == secret)
        guard byteCount >= 32 else { continue }
        #expect(try sender.export(context: [8], byteCount: byteCount).unwipedOctets != secret)
        #expect(try another.export(context: [7], byteCount: byteCount).unwipedOctets != secret)
      }
    }
  }

  @Test("What is sealed opens, in order alone, and both sides export the same", arguments: HPKE.Ciphersuite.allKnown)
  func conversations(suite: HPKE.Ciphersuite) throws {
    try Conversation(suite: suite, psk: nil).run(suite.kem)
    try Conversation(suite: suite, psk: Self.preSharedKey).run(suite.kem)
  }

  @Test("Many messages open in their order")
  func manyMessages() throws {
    for suite in [HPKE.Ciphersuite.x25519SHA256AES128GCM, .x25519SHA256ChaChaPoly] {
      let key = X25519PrivateKey()
      var sender = try HPKE.Sender(to: key.publicKey, suite: suite)
      var recipient = try HPKE.Recipient(key, encapsulatedKey: sender.encapsulatedKey, suite: suite)
      var seen: Set<[UInt8]> = []
      for _ in 0..<1000 {
        let ciphertext = try sender.seal([1, 2, 3])
        #expect(seen.insert(ciphertext).inserted)
        #expect(try recipient.open(ciphertext) == [1, 2, 3])
      }
    }
  }

  @Test("The public functions agree with each other, for one message and for several")
  func publicFunctions() throws {
    try judge(P256AgreementPrivateKey(), .p256SHA256AES128GCM)
    try judge(P256AgreementPrivateKey(), .p256SHA256AES256GCM)
    try judge(P384AgreementPrivateKey(), .p384SHA384AES256GCM)
    try judge(P521AgreementPrivateKey(), .p521SHA512AES256GCM)
    for suite in [HPKE.Ciphersuite.x25519SHA256AES128GCM, .x25519SHA256ChaChaPoly] {
      let key = X25519PrivateKey()
      let (encapsulated, ciphertext) = try HPKE.seal([9], to: key.publicKey, suite: suite, info: [1])
      #expect(try HPKE.open(ciphertext, with: key, encapsulatedKey: encapsulated, suite: suite, info: [1]) == [9])
      var recipient = try HPKE.Recipient(key, encapsulatedKey: encapsulated, suite: suite, info: [1])
      #expect(try recipient.open(ciphertext) == [9])
    }
  }

  private func judge<Curve>(
    _ key: ECPrivateKey<Curve, KeyUse.Agreement>, _ suite: HPKE.Ciphersuite
  ) throws {
    let psk = Self.preSharedKey
    let (encapsulated, ciphertext) = try HPKE.seal(
      [9], to: key.publicKey, suite: suite, info: [1], authenticating: [2], preSharedKey: psk)
    let message = try HPKE.open(
      ciphertext, with: key, encapsulatedKey: encapsulated, suite: suite, info: [1], authenticating: [2],
      preSharedKey: psk)
    #expect(message == [9])
    var sender = try HPKE.Sender(to: key.publicKey, suite: suite)
    var recipient = try HPKE.Recipient(key, encapsulatedKey: sender.encapsulatedKey, suite: suite)
    for octet in 0..<5 as Range<UInt8> { #expect(try recipient.open(sender.seal([octet])) == [octet]) }
  }

  // MARK: Tampering

  private struct Tampering: HPKEKeyTest {
    let suite: HPKE.Ciphersuite

    func run<Key: HPKEPrivateKey>(_ makeKey: () -> Key) throws {
      let (key, psk) = (makeKey(), HPKETests.preSharedKey)
      let (message, data) = (testBytes(count: 20), testBytes(count: 5))
      var sender = try HPKE.Sender(key.publicKey, suite, info: [1], psk: psk)
      let (encapsulated, ciphertext) = (sender.encapsulatedKey, try sender.seal(message, authenticating: data))
      let failed = CryptoError(.authenticationFailed, "")

      // One recipient for all: a failure must not count as a message.
      var recipient = try HPKE.Recipient(key, encapsulated, suite, info: [1], psk: psk)
      for place in ciphertext.indices {
        var changed = ciphertext
        changed[place] ^= 0x10
        #expect(throws: failed) { try recipient.open(changed, authenticating: data) }
      }
      for count in 0..<ciphertext.count {
        #expect(throws: failed) { try recipient.open(ciphertext.prefix(count), authenticating: data) }
      }
      #expect(throws: failed) { try recipient.open(ciphertext + [0], authenticating: data) }
      for wrong in [[], data + [0], Array(data.dropLast())] {
        #expect(throws: failed) { try recipient.open(ciphertext, authenticating: wrong) }
      }
      #expect(try recipient.open(ciphertext, authenticating: data) == message)

      var wrongKey = testBytes(count: 32)
      wrongKey[31] ^= 1
      let wrongInputs: [(info: [UInt8], psk: PreSharedKey?)] = [
        ([], psk), ([2], psk), ([1, 0], psk), ([1], nil), ([1], (SecretBytes(copying: wrongKey), psk.identifier)),
        ([1], (SecretBytes(copying: testBytes(count: 32) + [0]), psk.identifier)), ([1], (psk.key, [1])),
      ]
      for (info, psk) in wrongInputs {
        var recipient = try HPKE.Recipient(key, encapsulated, suite, info: info, psk: psk)
        #expect(throws: failed) { try recipient.open(ciphertext, authenticating: data) }
      }
      var other = try HPKE.Recipient(makeKey(), encapsulated, suite, info: [1], psk: psk)
      #expect(throws: failed) { try other.open(ciphertext, authenticating: data) }
      let foreign = try suite.kem.encapsulate(to: makeKey().publicKey).encapsulatedKey
      var another = try HPKE.Recipient(key, foreign, suite, info: [1], psk: psk)
      #expect(throws: failed) { try another.open(ciphertext, authenticating: data) }
      for changed in Self.others(than: suite) {
        var recipient = try HPKE.Recipient(key, encapsulated, changed, info: [1], psk: psk)
        #expect(throws: failed) { try recipient.open(ciphertext, authenticating: data) }
      }
    }

    /// What differs in KDF or AEAD.
    private static func others(than suite: HPKE.Ciphersuite) -> [HPKE.Ciphersuite] {
      HPKE.Ciphersuite.allSealing.filter { $0 != suite && $0.kem == suite.kem }
    }
  }

  @Test(
    "A change of any part is refused and uses up no number",
    arguments: HPKE.Ciphersuite.allSealing.filter { $0.kdf == .hkdfSHA256 } + HPKE.Ciphersuite.allPostQuantum + [
      .init(kem: .x25519, kdf: .shake256, aead: .aes128GCM)
    ])
  func tampering(suite: HPKE.Ciphersuite) throws { try Tampering(suite: suite).run(suite.kem) }

  // MARK: Hostile input

  private struct HostileKeys: HPKEKeyTest {
    let kem: HPKE.KEM

    func run<Key: HPKEPrivateKey>(_ makeKey: () -> Key) throws {
      let suite = HPKE.Ciphersuite(kem: kem, kdf: .hkdfSHA256, aead: .aes128GCM)
      let (key, sound) = (makeKey(), makeKey().publicKey.hpkeSerialization)
      func refuses(_ encapsulated: [UInt8]) {
        #expect(throws: CryptoError(.invalidPublicKey, "")) { _ = try HPKE.Recipient(key, encapsulated, suite) }
      }
      for count in 0...(sound.count + 2) where count != sound.count {
        refuses(Array((sound + [0, 0]).prefix(count)))
      }
      if kem == .x25519 {
        // The points of small order, with and without the bit that doesn't count: RFC 7748 §6.1.
        let small = [
          [UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31),
          try hex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
          try hex("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
          [0xec] + [UInt8](repeating: 0xff, count: 30) + [0x7f], [0xed] + [UInt8](repeating: 0xff, count: 30) + [0x7f],
          [0xee] + [UInt8](repeating: 0xff, count: 30) + [0x7f],
        ]
        for point in small {
          refuses(point)
          refuses(point.dropLast() + [point[31] | 0x80])
          let weak = try X25519PublicKey(rawRepresentation: point)
          #expect(throws: CryptoError(.invalidPublicKey, "")) { _ = try HPKE.Sender(to: weak, suite: suite) }
        }
      } else {
        // Infinity, points that are not on the curve, coordinates beyond the field, other forms.
        let size = sound.count / 2
        refuses([0])
        refuses([UInt8](repeating: 0, count: sound.count))
        refuses([4] + [UInt8](repeating: 0, count: 2 * size))
        refuses([4] + [UInt8](repeating: 0xff, count: 2 * size))
        refuses(sound.dropLast() + [sound[sound.count - 1] ^ 1])
        refuses([2] + sound[1...size])
        for form in [0, 2, 3, 5, 6, 7, 0xff] as [UInt8] { refuses([form] + sound.dropFirst()) }
      }
    }
  }

  @Test("Encapsulated keys that are none are refused", arguments: HPKE.KEM.allOfCurves)
  func hostileKeys(kem: HPKE.KEM) throws { try HostileKeys(kem: kem).run(kem) }

  private struct OtherKeys: HPKEKeyTest {
    let kem: HPKE.KEM

    func run<Key: HPKEPrivateKey>(_ makeKey: () -> Key) throws {
      let key = makeKey()
      for other in HPKE.Ciphersuite.allKnown where other.kem != kem {
        #expect(throws: CryptoError(.unsupportedKey, "")) { _ = try HPKE.Sender(key.publicKey, other) }
        #expect(throws: CryptoError(.unsupportedKey, "")) {
          _ = try HPKE.Recipient(key, key.publicKey.hpkeSerialization, other)
        }
        // Keys of ML-KEM and of hybrids are of one type.
        guard !(key is LatticeKEMPrivateKey && LatticeKEM(rawValue: other.kem.identifier) != nil) else { continue }
        #expect(throws: CryptoError(.unsupportedKey, "")) {
          _ = try Key(deriving: .random(count: 66), for: other.kem)
        }
      }
    }
  }

  @Test("Keys of another curve than the suite's are refused", arguments: HPKE.KEM.allKnown)
  func otherKeys(kem: HPKE.KEM) throws {
    try OtherKeys(kem: kem).run(kem)
    let key = ECPrivateKey<Secp256k1Curve, KeyUse.Agreement>()
    let suite = HPKE.Ciphersuite(kem: kem, kdf: .hkdfSHA256, aead: .aes128GCM)
    #expect(throws: CryptoError(.unsupportedKey, "")) { _ = try HPKE.Sender(to: key.publicKey, suite: suite) }
  }

  @Test("Pre-shared keys are long enough and have a name, and what is hashed is not too long")
  func lengths() throws {
    let (key, suite) = (X25519PrivateKey(), HPKE.Ciphersuite.x25519SHA256AES128GCM)
    let longest = [UInt8](repeating: 1, count: 65_535)
    func outcome(_ info: [UInt8], _ psk: PreSharedKey?) -> CryptoError? {
      do throws(CryptoError) {
        let sender = try HPKE.Sender(to: key.publicKey, suite: suite, info: info, preSharedKey: psk)
        _ = try HPKE.Recipient(
          key, encapsulatedKey: sender.encapsulatedKey, suite: suite, info: info, preSharedKey: psk)
        return nil
      } catch {
        return error
      }
    }
    func random(_ count: Int) -> SecretBytes { .random(count: count) }
    #expect(outcome(longest, (random(32), longest)) == nil)
    #expect(outcome([], (random(65_535), [1])) == nil)
    #expect(outcome(longest + [1], nil)?.code == .lengthLimitExceeded)
    #expect(outcome([], (random(32), longest + [1]))?.code == .lengthLimitExceeded)
    for count in [0, 1, 31, 65_536] { #expect(outcome([], (random(count), [1]))?.code == .invalidKeyLength) }
    #expect(outcome([], (random(32), []))?.code == .invalidKeyLength)
  }

  @Test(
    "Secrets of 0 to 255 digests are exported, and no others",
    arguments: HPKE.Ciphersuite.allKnown.filter { $0.kem == .x25519 })
  func exportedLengths(suite: HPKE.Ciphersuite) throws {
    let key = X25519PrivateKey()
    let sender = try HPKE.Sender(to: key.publicKey, suite: suite)
    let recipient = try HPKE.Recipient(key, encapsulatedKey: sender.encapsulatedKey, suite: suite)
    let limit = suite.kdf == .shake256 ? 65_535 : 255 * suite.kdf.digestByteCount
    for count in [0, 1, 31, 32, 33, 255, 256, limit - 1, limit] {
      let secret = try sender.export(context: [], byteCount: count).unwipedOctets
      #expect(secret.count == count)
      #expect(try recipient.export(context: [], byteCount: count).unwipedOctets == secret)
    }
    for count in [limit + 1, 65_536, 65_537, 1 << 32, Int.max, -1, Int.min] {
      #expect(throws: CryptoError(.invalidKeyLength, "")) { try sender.export(context: [], byteCount: count) }
      #expect(throws: CryptoError(.invalidKeyLength, "")) { try recipient.export(context: [], byteCount: count) }
    }
  }

  @Test("A suite that only exports refuses to seal and open messages")
  func exportOnly() throws {
    let (key, suite) = (
      X25519PrivateKey(), HPKE.Ciphersuite(kem: .x25519, kdf: .hkdfSHA512, aead: .exportOnly)
    )
    var sender = try HPKE.Sender(to: key.publicKey, suite: suite)
    var recipient = try HPKE.Recipient(key, encapsulatedKey: sender.encapsulatedKey, suite: suite)
    #expect(throws: CryptoError(.usageLimitReached, "")) { try sender.seal([]) }
    for count in [16, 17] {
      #expect(throws: CryptoError(.usageLimitReached, "")) {
        try recipient.open([UInt8](repeating: 0, count: count))
      }
    }
    #expect(throws: CryptoError(.usageLimitReached, "")) { try HPKE.seal([1], to: key.publicKey, suite: suite) }
  }

  @Test(
    "The last number is 2⁶⁴ − 2, and no number comes twice",
    arguments: [HPKE.AEAD.aes128GCM, .aes256GCM, .chaCha20Poly1305])
  func lastNumber(aead: HPKE.AEAD) throws {
    let (key, suite) = (X25519PrivateKey(), HPKE.Ciphersuite(kem: .x25519, kdf: .hkdfSHA256, aead: aead))
    let number = UInt64.max - 2
    var sender = try HPKE.Sender(key.publicKey, suite, sequenceNumber: number)
    var recipient = try HPKE.Recipient(key, sender.encapsulatedKey, suite, sequenceNumber: number)
    var ciphertexts: [[UInt8]] = []
    for _ in 0..<2 { ciphertexts.append(try sender.seal([1])) }
    for ciphertext in ciphertexts { #expect(try recipient.open(ciphertext) == [1]) }
    for _ in 0..<3 {
      #expect(throws: CryptoError(.usageLimitReached, "")) { try sender.seal([1]) }
      #expect(throws: CryptoError(.usageLimitReached, "")) { try recipient.open(ciphertexts[0]) }
    }
    // Exports need no number.
    #expect(try sender.export(context: [], byteCount: 32).count == 32)
  }

  #if DEBUG
    @Test("What a side derives is wiped with it", arguments: [HPKE.KDF.hkdfSHA256, .shake256])
    func wipes(kdf: HPKE.KDF) throws {
      let (key, ephemeral) = (X25519PrivateKey(), X25519PrivateKey())
      let suite = HPKE.Ciphersuite(kem: .x25519, kdf: kdf, aead: .chaCha20Poly1305)
      let sharedSecret = try suite.kem.encapsulate(to: key.publicKey, ephemeral: ephemeral).sharedSecret
      let schedule = try HPKE.KeySchedule(
        kem: suite.kem.identifier, kdf: kdf, aead: suite.aead, sharedSecret: sharedSecret, info: [],
        preSharedKey: nil)
      let wiped = Mutex<[[UInt8]]>([])
      let observer = SecretEvents(
        drawing: { _ in false }, wiping: { memory in wiped.withLock { $0.append(Array(memory)) } })
      try SecretEvents.$observer.withValue(observer) {
        var sender = try HPKE.Sender(
          to: key.publicKey, ephemeral: ephemeral, suite: suite, info: [], preSharedKey: nil)
        var recipient = try HPKE.Recipient(key, encapsulatedKey: sender.encapsulatedKey, suite: suite)
        #expect(try recipient.open(sender.seal([1])) == [1])
      }
      let all = wiped.withLock { $0 }
      for secret in [sharedSecret, schedule.key, schedule.baseNonce, schedule.exporterSecret] {
        #expect(all.count { $0 == secret.unwipedOctets } >= 2)
      }
    }
  #endif

  // MARK: One stage

  /// Source: draft-ietf-hpke-pq-04, test vectors.
  @Test("SHAKE256 derives in one stage what the draft says")
  func oneStage() throws {
    let suite = HPKE.Ciphersuite(kem: .p384, kdf: .shake256, aead: .aes256GCM)
    let ephemeral = try P384AgreementPrivateKey(
      deriving: SecretBytes(
        copying: try hex(
          "df490f3d80254f2485bc8abd4225c0834ab1982ce844a6b4"
            + "a3390bbe9f348b0a82ca464297bfccfa8b2ceaac6b43e6bc")), for: suite.kem)
    let key = try P384AgreementPrivateKey(
      deriving: SecretBytes(
        copying: try hex(
          "1569d065e398456987a4a76e7117d97767cc8aecef8efeba"
            + "a3ad5aee78d44f5fab347ee19307e6804ff32d8b15a3fbe1")), for: suite.kem)
    let info = Array("4f6465206f6e2061204772656369616e2055726e".utf8)
    let sharedSecret = try suite.kem.encapsulate(to: key.publicKey, ephemeral: ephemeral).sharedSecret
    let schedule = try HPKE.KeySchedule(
      kem: suite.kem.identifier, kdf: suite.kdf, aead: suite.aead, sharedSecret: sharedSecret, info: info,
      preSharedKey: nil)
    #expect(
      Hex.encode(sharedSecret.unwipedOctets)
        == "8207f0a43f67bf912e327f0893e5a3b14314c38eaa8604229de4c033c6589e3bbe28b513aac127e85b4830c63daf572f")
    #expect(
      Hex.encode(schedule.key.unwipedOctets) == "3ac9e7e6bcbc65ae622fa26565263221985bdaf6277dcee0c883759ac297cc1a")
    #expect(Hex.encode(schedule.baseNonce.unwipedOctets) == "3e5d5affb035edaa9a181e27")
    #expect(
      Hex.encode(schedule.exporterSecret.unwipedOctets)
        == "2cb29d9cd269212ebe4453fee3c3382f0ad11a3236a330ff91fd062fa2ea2f2f"
        + "f02a8e3136ce38b2c053b11f05996965e33e636880296accc652cd39349cb736")
    var sender = try HPKE.Sender(
      to: key.publicKey, ephemeral: ephemeral, suite: suite, info: info, preSharedKey: nil)
    let message = Array("4265617574792069732074727574682c20747275746820626561757479".utf8)
    #expect(
      Hex.encode(try sender.seal(message, authenticating: "Count-0".utf8))
        == "01b56453319ac535a38bc1a82ea4236f670f431cfd51e908e23e088eaa1b199e37c898661a288f24750f87d1b1d8e16b"
        + "38fd3ee9159eda205336ccde14a2e6d38e9940441c5d86d5151d")
    #expect(
      Hex.encode(try sender.export(context: "pseudorandom0".utf8, byteCount: 32).unwipedOctets)
        == "874efb72c977692c78f6052d686b44c6d1592547988e969d9f09c646ac537b33")
  }

  @Test("The key schedule of the draft's hybrid comes out")
  func hybridSchedule() throws {
    let sharedSecret = try hex("d9994083f7879bfd2333bab88dad36c0473eb67daeabb4f7d4e4dca56c63ddb4")
    let schedule = try HPKE.KeySchedule(
      kem: 0x647a, kdf: .shake256, aead: .chaCha20Poly1305, sharedSecret: SecretBytes(copying: sharedSecret),
      info: Array("4f6465206f6e2061204772656369616e2055726e".utf8), preSharedKey: nil)
    #expect(
      Hex.encode(schedule.key.unwipedOctets) == "fde2cb86e35b2adbc0730e09b87aff8e71703975b90512c9d5b9816bc26b2719")
    #expect(Hex.encode(schedule.baseNonce.unwipedOctets) == "cebe8333792f645648e6188e")
    #expect(
      Hex.encode(schedule.exporterSecret.unwipedOctets)
        == "ce13bbb4db2f720aa4fa0778afadacc0a7c03f2658548119c3584998bc672c29"
        + "e455a5fe5d82f8f12b974af8fab4dfffe048495ff0d02851a8d6be4105e4d039")
    #expect("\(schedule)" == "KeySchedule(redacted)")
  }
}
