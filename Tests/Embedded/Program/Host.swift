/// The four calls of WASI (preview 1) that the program makes.
@_extern(wasm, module: "wasi_snapshot_preview1", name: "fd_read")
@_extern(c)
private func fd_read(
  _ descriptor: Int32, _ vectors: UnsafeRawPointer, _ vectorCount: Int32, _ byteCount: UnsafeMutablePointer<UInt32>
) -> Int32

@_extern(wasm, module: "wasi_snapshot_preview1", name: "fd_write")
@_extern(c)
private func fd_write(
  _ descriptor: Int32, _ vectors: UnsafeRawPointer, _ vectorCount: Int32, _ byteCount: UnsafeMutablePointer<UInt32>
) -> Int32

@_extern(wasm, module: "wasi_snapshot_preview1", name: "random_get")
@_extern(c)
private func random_get(_ start: UnsafeMutableRawPointer, _ byteCount: UInt32) -> Int32

@_extern(wasm, module: "wasi_snapshot_preview1", name: "proc_exit")
@_extern(c)
private func proc_exit(_ status: Int32)

/// Standard input and output of the program.
enum Host {
  /// All of standard input.
  static func readAll() -> [UInt8] {
    var input: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      var byteCount: UInt32 = 0
      let status = chunk.withUnsafeMutableBytes { buffer in
        var vector = (UInt32(UInt(bitPattern: buffer.baseAddress)), UInt32(buffer.count))
        return fd_read(0, &vector, 1, &byteCount)
      }
      guard status == 0 else { exit(1) }
      if byteCount == 0 { return input }
      input += chunk[..<Int(byteCount)]
    }
  }

  /// Writes to standard output.
  static func write(_ bytes: [UInt8]) {
    var offset = 0
    while offset < bytes.count {
      var byteCount: UInt32 = 0
      let status = bytes.withUnsafeBytes { buffer in
        var vector = (UInt32(UInt(bitPattern: buffer.baseAddress)) + UInt32(offset), UInt32(buffer.count - offset))
        return fd_write(1, &vector, 1, &byteCount)
      }
      guard status == 0 else { exit(1) }
      offset += Int(byteCount)
    }
  }

  /// Ends the program.
  static func exit(_ status: Int32) -> Never {
    proc_exit(status)
    fatalError()
  }
}

/// The random generator that Embedded Swift calls.
@_cdecl("arc4random_buf")
func fillRandomly(_ start: UnsafeMutableRawPointer, _ byteCount: UInt) {
  guard random_get(start, UInt32(truncatingIfNeeded: byteCount)) == 0 else { Host.exit(1) }
}
