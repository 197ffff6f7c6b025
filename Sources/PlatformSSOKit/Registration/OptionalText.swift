/// Text that may be absent, such as a tenant's name: compared as bytes.
struct OptionalText: Hashable {
  private let octets: [UInt8]?

  init(_ name: String?) {
    octets = name.map { Array($0.utf8) }
  }
}
