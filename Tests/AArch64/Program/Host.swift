// What the program takes from the C library that it is linked with: no module of Swift's knows it for this target.

@_extern(c, "read")
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ byteCount: UInt) -> Int

@_extern(c, "write")
private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ byteCount: UInt) -> Int

@_extern(c, "_exit")
private func systemExit(_ status: Int32)

@_extern(c, "__real_getauxval")
private func systemAuxiliaryValue(_ type: UInt) -> UInt

@_extern(c, "getenv")
private func systemEnvironment(_ name: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>?

/// Standard input and output of the program.
enum Host {
  /// All of standard input.
  static func readAll() -> [UInt8] {
    var input: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let byteCount = chunk.withUnsafeMutableBytes { systemRead(0, $0.baseAddress, UInt($0.count)) }
      guard byteCount >= 0 else { exit(1) }
      if byteCount == 0 { return input }
      input += chunk[..<byteCount]
    }
  }

  /// Writes to standard output.
  static func write(_ bytes: [UInt8]) {
    var offset = 0
    while offset < bytes.count {
      let byteCount = bytes[offset...].withUnsafeBytes { systemWrite(1, $0.baseAddress, UInt($0.count)) }
      guard byteCount > 0 else { exit(1) }
      offset += byteCount
    }
  }

  /// Ends the program.
  static func exit(_ status: Int32) -> Never {
    systemExit(status)
    fatalError()
  }
}

/// What PureCrypto asks for the processor's abilities: the C library's answer, or none of the abilities of AT_HWCAP
/// (16) if the environment has `WITHOUT_EXTENSIONS`. qemu knows no processor without them. Linked with
/// `--wrap=getauxval`.
@_cdecl("__wrap_getauxval")
func auxiliaryValue(_ type: UInt) -> UInt {
  let name: StaticString = "WITHOUT_EXTENSIONS"
  return type == 16 && systemEnvironment(name.utf8Start) != nil ? 0 : systemAuxiliaryValue(type)
}
