import SQLStores

/// The values of a statement in libpq's form: numbers and texts as text, octets in binary form.
struct WireParameters {
  /// All contents, each with a NUL behind it.
  private var contents: [UInt8] = []
  private var places: [Int?] = []
  private var lengths: [Int32] = []
  private var formats: [Int32] = []

  init(_ values: [SQLValue]) {
    for value in values {
      switch value {
      case .null: append(nil)
      case .integer(let number): append(Array("\(number)".utf8))
      case .real(let number): append(Array("\(number)".utf8))
      case .text(let text): append(Array(text.utf8))
      case .octets(let octets): append(octets, format: 1)
      }
    }
  }

  private mutating func append(_ content: [UInt8]?, format: Int32 = 0) {
    places.append(content == nil ? Int?.none : contents.count)
    lengths.append(Int32(clamping: content?.count ?? 0))
    formats.append(format)
    contents += (content ?? []) + [0]
  }

  /// Calls a function with an array of contents, one of lengths and one of formats.
  func withPointers<Result>(
    _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> Result
  ) -> Result {
    contents.withUnsafeBytes { contents in
      let pointers: [UnsafePointer<CChar>?] = places.map { place in
        guard let place, let start = contents.baseAddress else { return nil }
        return (start + place).assumingMemoryBound(to: CChar.self)
      }
      return pointers.withUnsafeBufferPointer { pointers in
        lengths.withUnsafeBufferPointer { lengths in
          formats.withUnsafeBufferPointer { formats in
            body(pointers.baseAddress, lengths.baseAddress, formats.baseAddress)
          }
        }
      }
    }
  }
}
