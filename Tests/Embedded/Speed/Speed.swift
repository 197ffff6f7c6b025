import PureCrypto

/// What is measured works on: a message of any length, and a key. The engine calls one function at a time.
private nonisolated(unsafe) var message: [UInt8] = []
private nonisolated(unsafe) var key: AESGCM?

/// Makes a message of `byteCount` octets, and a key.
@_cdecl("prepare")
@_expose(wasm, "prepare")
func prepare(_ byteCount: UInt32) {
  message = [UInt8](repeating: 7, count: Int(byteCount))
  key = try? AESGCM(key: [UInt8](repeating: 1, count: 32))
}

/// The first octet of a digest.
@_cdecl("sha256")
@_expose(wasm, "sha256")
func sha256() -> UInt32 { SHA2.SHA256.hash(message).withUnsafeBytes { UInt32($0[0]) } }

/// The first octet of a digest.
@_cdecl("sha512")
@_expose(wasm, "sha512")
func sha512() -> UInt32 { SHA2.SHA512.hash(message).withUnsafeBytes { UInt32($0[0]) } }

/// The first octet of an authentication tag.
@_cdecl("aes256gcm")
@_expose(wasm, "aes256gcm")
func aes256gcm() -> UInt32 {
  guard let key, let box = try? key.seal(message) else { Host.exit(1) }
  return UInt32(box.authenticationTag[0])
}
