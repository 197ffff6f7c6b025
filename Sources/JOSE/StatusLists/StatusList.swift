import PureCrypto
import StrictJSON

/// The statuses of many tokens, of 1, 2, 4 or 8 bits each, in the order of their indices.
///
/// ```swift
/// var list = try StatusList(bits: 1, count: 1 << 20)
/// try list.set(.invalid, at: 4711)
/// let token = try list.signed(for: "https://issuer.example/statuslists/1", timeToLive: .seconds(300), with: key)
/// ```
///
/// What is read is decompressed and kept as it is: a million statuses of one bit take 128 KiB.
///
/// Source: draft-ietf-oauth-status-list §4.
public struct StatusList: Hashable, Sendable {
  /// Bits of each status: 1, 2, 4 or 8.
  public let bits: Int
  /// The first status stands in the least significant bits of the first octet.
  private var octets: [UInt8]

  /// A list whose statuses are all ``TokenStatus/valid``.
  ///
  /// - Parameters:
  ///   - bits: of each status: 1, 2, 4 or 8.
  ///   - count: how many statuses there are, at least one; up to the end of an octet. A list says the less of a token
  ///     the more it has.
  /// - Throws: ``ErrorCode/callerMisuse``; ``ErrorCode/limitExceeded`` for a list that is longer than those that are
  ///   read.
  public init(bits: Int, count: Int) throws(JOSEError) {
    guard Self.widths.contains(bits) else {
      throw JOSEError(.callerMisuse, "a status has 1, 2, 4 or 8 bits", name: "bits")
    }
    let exponent = Self.exponent(bits)
    guard count > 0 else { throw JOSEError(.callerMisuse, "a status list has at least one status", name: "count") }
    guard (count - 1) >> exponent < Limits.default.statusListByteCount else {
      throw JOSEError.notReadable("the status list is longer than those that are read", "statusListByteCount")
    }
    (self.bits, octets) = (bits, [UInt8](repeating: 0, count: (count - 1) >> exponent + 1))
  }

  /// Reads the claim `status_list` of a status list's token.
  ///
  /// - Throws: ``ErrorCode/claimInvalid``; ``ErrorCode/limitExceeded`` for a list of more octets than
  ///   ``Limits/statusListByteCount``.
  public init(_ claim: JSONObject, limits: Limits = .default) throws(JOSEError) {
    guard let bits = try? claim.integer("bits"), let width = Int(exactly: bits), Self.widths.contains(width),
      let text = claim["lst"]?.stringValue, let compressed = try? Base64URL.decode(text)
    else { throw Self.invalid }
    do throws(JOSEError) {
      octets = try Zlib.decompress(compressed, byteLimit: limits.statusListByteCount)
    } catch {
      guard error.code == .limitExceeded else { throw Self.invalid }
      throw JOSEError(.limitExceeded, "the status list is too long", name: "statusListByteCount")
    }
    guard !octets.isEmpty else { throw Self.invalid }
    self.bits = width
  }

  /// The claim `status_list`: the statuses compressed as far as they go. How long it takes and gets depends on them:
  /// they are public.
  public var claim: JSONObject {
    ["bits": .number(JSONNumber(Int64(bits))), "lst": .string(Base64URL.encode(Zlib.compress(octets)))]
  }

  /// How many statuses there are. Those that fill the last octet are ``TokenStatus/valid``.
  public var count: Int { octets.count << Self.exponent(bits) }

  /// One status; nil beyond the list, which says nothing of a token.
  public subscript(index: Int) -> TokenStatus? {
    guard index >= 0, index < count else { return nil }
    let (octet, shift) = place(of: index)
    return TokenStatus(rawValue: octets[octet] >> shift & mask)
  }

  /// Changes one status.
  ///
  /// - Throws: ``ErrorCode/callerMisuse`` beyond the list, and for a status that has more bits than the list's.
  public mutating func set(_ status: TokenStatus, at index: Int) throws(JOSEError) {
    guard index >= 0, index < count else {
      throw JOSEError(.callerMisuse, "the index is beyond the status list", name: "index")
    }
    guard status.rawValue <= mask else {
      throw JOSEError(.callerMisuse, "the status has more bits than the list has for one", name: "bits")
    }
    let (octet, shift) = place(of: index)
    octets[octet] = octets[octet] & ~(mask << shift) | status.rawValue << shift
  }

  private static let widths = [1, 2, 4, 8]

  private var mask: UInt8 { UInt8((1 << bits) - 1) }

  /// An octet holds 8 / `bits` statuses, which are 2 to this power.
  private static func exponent(_ bits: Int) -> Int { 3 - bits.trailingZeroBitCount }

  /// Statuses don't reach over the end of an octet, whose bits `bits` divides.
  private func place(of index: Int) -> (octet: Int, shift: Int) {
    let exponent = Self.exponent(bits)
    let last = (1 << exponent) - 1
    return (index >> exponent, (index & last) * bits)
  }

  private static var invalid: JOSEError {
    JOSEError(
      .claimInvalid, "a status list has 1, 2, 4 or 8 bits for each status, and base64url of what zlib has compressed",
      name: "status_list")
  }
}
