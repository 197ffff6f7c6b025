/// A tenant's name, compared as bytes; or none.
struct Tenant: Hashable {
  private let octets: [UInt8]?

  init(_ name: String?) {
    octets = name.map { Array($0.utf8) }
  }
}
