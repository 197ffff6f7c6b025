import PureJOSETestSupport
import Testing

@testable import PureCrypto

@Suite("ML-DSA")
struct MLDSATests {
  private static let sets: [MLDSAParameterSet] = [.mlDSA44, .mlDSA65, .mlDSA87]

  @Test(
    "what is signed verifies; each hedged signature is another one, deterministic ones are the same", arguments: sets)
  func roundTrip(set: MLDSAParameterSet) throws {
    let key = MLDSASigningKey(set)
    let publicKey = try MLDSAVerificationKey(set, rawRepresentation: key.publicKey.rawRepresentation)
    #expect(publicKey == key.publicKey && publicKey != MLDSASigningKey(set).publicKey)
    let message = testBytes(count: 100)
    let context = testBytes(count: 255, seed: 2)
    var signatures: Set<[UInt8]> = []
    for _ in 0..<10 {
      let signature = try key.signature(for: message, context: context)
      #expect(signature.count == set.signatureByteCount)
      #expect(publicKey.isValidSignature(signature, for: message, context: context))
      #expect(!publicKey.isValidSignature(signature, for: message))
      #expect(!publicKey.isValidSignature(signature, for: message, context: Array(context.dropLast())))
      #expect(!publicKey.isValidSignature(signature, for: message.dropLast(), context: context))
      signatures.insert(signature)
    }
    #expect(signatures.count == 10)
    let mu = try publicKey.externalMu(for: message)
    let fixed = try key.signature(for: message, deterministically: true)
    #expect(try key.signature(externalMu: mu, deterministically: true) == fixed)
    #expect(publicKey.isValidSignature(fixed, externalMu: mu) && publicKey.isValidSignature(fixed, for: message))
    let again = try MLDSASigningKey(set, seed: key.seed)
    #expect(try again.signature(for: message, deterministically: true) == fixed)
  }

  @Test("a changed signature is refused, wherever the change is", arguments: sets)
  func changes(set: MLDSAParameterSet) throws {
    let key = MLDSASigningKey(set)
    let message = testBytes(count: 50)
    let signature = try key.signature(for: message)
    let hints = signature.count - set.maximumHintCount - set.rowCount
    for place in Array(stride(from: 0, to: hints, by: 41)) + Array(hints..<signature.count) {
      var changed = signature
      changed[place] ^= 1 << UInt8(place & 7)
      #expect(!key.publicKey.isValidSignature(changed, for: message), "octet \(place)")
    }
    for other in [Array(signature.dropLast()), signature + [0], []] {
      #expect(!key.publicKey.isValidSignature(other, for: message))
    }
  }

  /// Every rule of algorithm 21 by itself.
  @Test("hints have one form", arguments: sets)
  func hintForms(set: MLDSAParameterSet) {
    let (omega, rows) = (set.maximumHintCount, set.rowCount)
    func read(_ places: [UInt8], _ counts: [UInt8]) -> [[Int]]? {
      let bytes = places + [UInt8](repeating: 0, count: omega - places.count) + counts
      var found = [[Int]](repeating: [], count: rows)
      let isRight = bytes.withUnsafeBytes { MLDSAHints.unpackVariableTime($0, set) { found[$0].append($1) } }
      return isRight ? found : nil
    }
    func counts(_ first: UInt8...) -> [UInt8] {
      first + [UInt8](repeating: first.last ?? 0, count: rows - first.count)
    }
    let none = [[Int]](repeating: [], count: rows)
    #expect(read([], counts(0)) == none)
    #expect(read([3, 9, 4], counts(2, 3)) == [[3, 9], [4]] + none.dropFirst(2))
    // A polynomial without hints, and places that fall from one polynomial to the next.
    #expect(read([200, 1], counts(1, 1, 2)) == [[200], [], [1]] + none.dropFirst(3))
    #expect(read([0, 255], counts(2)) == [[0, 255]] + none.dropFirst())
    // The same place twice, and places that fall.
    #expect(read([3, 3], counts(2)) == nil)
    #expect(read([9, 3], counts(2)) == nil)
    // Counts that fall, and pass ω.
    #expect(read([3, 9], counts(2, 1)) == nil)
    #expect(read([3, 9], counts(2, 0)) == nil)
    #expect(read([], counts(UInt8(omega + 1))) == nil)
    #expect(read([], counts(255)) == nil)
    // Something behind the last hint.
    #expect(read([3, 9, 4], counts(2)) == nil)
    #expect(read([3], counts(0)) == nil)
    // All ω.
    let all = Array(UInt8(0)..<UInt8(omega))
    #expect(read(all, counts(UInt8(omega))) == [all.map { Int($0) }] + none.dropFirst())
    #expect(read(all, counts(UInt8(omega - 1))) == nil)
    // One more, whose place would be the first count: it rises too.
    #expect(read(all, counts(UInt8(omega + 1))) == nil)
  }

  @Test("lengths that no key, digest or context has are refused", arguments: sets)
  func lengths(set: MLDSAParameterSet) throws {
    let key = MLDSASigningKey(set)
    let bytes = key.publicKey.rawRepresentation
    for other in [Array(bytes.dropLast()), bytes + [0], []] {
      #expect(throws: CryptoError(.invalidPublicKey, "")) {
        _ = try MLDSAVerificationKey(set, rawRepresentation: other)
      }
    }
    for count in [0, 31, 33] {
      #expect(throws: CryptoError(.invalidPrivateKey, "")) {
        _ = try MLDSASigningKey(set, seed: SecretBytes(copying: testBytes(count: count)))
      }
    }
    let long = testBytes(count: 256)
    #expect(throws: CryptoError(.lengthLimitExceeded, "")) { _ = try key.signature(for: [], context: long) }
    #expect(throws: CryptoError(.lengthLimitExceeded, "")) { _ = try key.publicKey.externalMu(for: [], context: long) }
    // What is signed for these octets as a message is signed for them as a context too, where the length is cut off.
    let signature = try key.signature(for: long)
    #expect(!key.publicKey.isValidSignature(signature, for: [], context: long))
  }

  @Test("a digest of another length is refused, also where the signature is right", arguments: sets)
  func digestLengths(set: MLDSAParameterSet) throws {
    let seed = testBytes(count: 32)
    let key = try MLDSASigningKey(set, seed: SecretBytes(copying: seed))
    let expanded = seed.withUnsafeBytes { MLDSAExpandedKey(set, seed: $0) }
    for count in [63, 64, 65] {
      let mu = testBytes(count: count)
      let signature = mu.withUnsafeBytes { mu in
        [UInt8](repeating: 0, count: 32).withUnsafeBytes { expanded.signature(mu: mu, randomness: $0) }
      }
      #expect(key.publicKey.isValidSignature(signature, externalMu: mu) == (count == 64), "\(count) octets")
      if count == 64 {
        #expect(try key.signature(externalMu: mu, deterministically: true) == signature)
      } else {
        #expect(throws: CryptoError(.lengthLimitExceeded, "")) { _ = try key.signature(externalMu: mu) }
      }
    }
    #expect(throws: CryptoError(.lengthLimitExceeded, "")) { _ = try key.signature(externalMu: []) }
  }

  @Test("a description shows no seed")
  func descriptions() {
    let key = MLDSASigningKey(.mlDSA44)
    for text in ["\(key)", String(reflecting: key)] { #expect(text == "MLDSASigningKey(redacted)") }
    #expect(key.seed.count == 32)
  }
}
