import PureCrypto

/// A hash function by the name that vector files give it.
enum HashFunction: String {
  case sha256 = "SHA-256"
  case sha384 = "SHA-384"
  case sha512 = "SHA-512"

  init(named name: String) throws(VectorFault) {
    guard let function = HashFunction(rawValue: name) else { throw .notImplemented(name) }
    self = function
  }

  /// The function in the name of what stands on it, such as HMACSHA256.
  init(in name: String, after prefix: String) throws(VectorFault) {
    guard name.hasPrefix(prefix + "SHA"), let function = Self(rawValue: "SHA-\(name.dropFirst(prefix.count + 3))")
    else { throw .notImplemented(name) }
    self = function
  }

  /// The implementation. What is generic over it is a static method of an extension of its protocol.
  var type: any SHA2Function.Type {
    switch self {
    case .sha256: SHA2.SHA256.self
    case .sha384: SHA2.SHA384.self
    case .sha512: SHA2.SHA512.self
    }
  }

  /// The length of its digests.
  var digestByteCount: Int { type.digestByteCount }

  func hash(_ message: [UInt8]) -> [UInt8] { type.octets(of: message) }

  /// The hash of a message that comes piece by piece.
  func hash(pieces: some Sequence<ArraySlice<UInt8>>) -> [UInt8] { type.octets(ofPieces: pieces) }
}

extension SHA2Function {
  fileprivate static func octets(of message: [UInt8]) -> [UInt8] { Array(hash(message)) }

  fileprivate static func octets(ofPieces pieces: some Sequence<ArraySlice<UInt8>>) -> [UInt8] {
    var function = Self()
    for piece in pieces { function.update(piece) }
    return Array(function.finalize())
  }
}
