/// The generator of RFC 6979: HMAC_DRBG, instantiated with a private key and a digest.
///
/// Additional data makes its output unpredictable as well (§3.6). Then a fault or a repeated digest doesn't repeat a
/// nonce, and a broken random number generator does no harm: the nonce is still as good as the deterministic one.
///
/// Timing: depends on lengths only.
/// Source: RFC 6979 §3.2, SP 800-90A §10.1.2.
struct HMACDRBG<Function: SHA2Function>: ~Copyable {
  /// HMAC with the key K.
  private var code: HMACSHA2<Function>
  /// V.
  private var value: Function.Digest

  /// RFC 6979 §3.2, steps b to g.
  /// - Parameter seed: int2octets(x) ‖ bits2octets(h1) ‖ k′: the private key and the digest mod n, each as long
  ///   as n; additional data of any length.
  @inline(__always) @_specialize(where Function == SHA2.SHA256)
  init(seed: UnsafeRawBufferPointer) {
    let byteCount = Function.digestByteCount
    let (code, value) = withUnsafeTemporaryAllocation(byteCount: 2 &* byteCount, alignment: 16) { room in
      // b, c: V = 01 01 … 01, K = 00 00 … 00
      let ones = UnsafeMutableRawBufferPointer(rebasing: room[..<byteCount])
      let zeros = UnsafeMutableRawBufferPointer(rebasing: room[byteCount...])
      ones.initializeMemory(as: UInt8.self, repeating: 1)
      zeros.initializeMemory(as: UInt8.self, repeating: 0)
      let v = UnsafeRawBufferPointer(ones)
      // d: K = HMAC_K(V ‖ 00 ‖ int2octets(x) ‖ bits2octets(h1) ‖ k′)
      var code = HMACSHA2<Function>(anyKey: UnsafeRawBufferPointer(zeros))
      HMACDRBG.rekey(&code, v, 0x00, seed)
      // e: V = HMAC_K(V)
      var value = HMACDRBG.authenticate(v, code)
      // f: K = HMAC_K(V ‖ 01 ‖ int2octets(x) ‖ bits2octets(h1) ‖ k′)
      value.withBytes { $0.withUnsafeBytes { HMACDRBG.rekey(&code, $0, 0x01, seed) } }
      // g: V = HMAC_K(V)
      value = value.withBytes { $0.withUnsafeBytes { HMACDRBG.authenticate($0, code) } }
      return (code, value)
    }
    self.code = code
    self.value = value
  }

  /// Steps h.1 and h.2: fills `output` with T.
  @inline(__always) @_specialize(where Function == SHA2.SHA256)
  mutating func generate(into output: UnsafeMutableRawBufferPointer) {
    var offset = 0
    while offset < output.count {
      // V = HMAC_K(V), T = T ‖ V
      value = value.withBytes { $0.withUnsafeBytes { HMACDRBG.authenticate($0, code) } }
      let count = min(Function.digestByteCount, output.count &- offset)
      value.withBytes { value in
        value.withUnsafeBytes { value in
          UnsafeMutableRawBufferPointer(rebasing: output[offset..<(offset &+ count)])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: value[..<count]))
        }
      }
      offset &+= count
    }
  }

  /// What step h.3 does after a candidate that can't be used: K = HMAC_K(V ‖ 00), V = HMAC_K(V).
  @inline(__always)
  mutating func update() {
    value.withBytes {
      $0.withUnsafeBytes { HMACDRBG.rekey(&code, $0, 0x00, UnsafeRawBufferPointer(start: nil, count: 0)) }
    }
    value = value.withBytes { $0.withUnsafeBytes { HMACDRBG.authenticate($0, code) } }
  }

  /// Overwrites K and V.
  @inline(__always) @_specialize(where Function == SHA2.SHA256)
  mutating func erase() {
    HMACDRBG.erase(&code)
    wipe(&value)
  }

  /// K ← HMAC_K(V ‖ separator ‖ seed).
  @inline(__always)
  private static func rekey(
    _ code: inout HMACSHA2<Function>, _ value: UnsafeRawBufferPointer, _ separator: UInt8,
    _ seed: UnsafeRawBufferPointer
  ) {
    code.update(value)
    withUnsafeBytes(of: separator) { code.update($0) }
    code.update(seed)
    var key = code.finalize()
    erase(&code)
    code = key.withBytes { $0.withUnsafeBytes { HMACSHA2(anyKey: $0) } }
    wipe(&key)
  }

  @inline(__always)
  private static func authenticate(_ value: UnsafeRawBufferPointer, _ code: HMACSHA2<Function>) -> Function.Digest {
    var code = code
    code.update(value)
    let digest = code.finalize()
    erase(&code)
    return digest
  }

  /// Overwrites a code in progress, which holds what its key was hashed to. It is a value without references.
  @inline(__always)
  private static func erase(_ code: inout HMACSHA2<Function>) {
    withUnsafeMutableBytes(of: &code) { wipe($0) }
  }
}
