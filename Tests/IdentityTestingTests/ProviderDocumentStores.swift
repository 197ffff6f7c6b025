import JOSE
import NativeSSOKit
import PlatformSSOKit
import AppleSignInKit
import StrictJSON
import OpenIDKit

/// Devices as bytes, beside columns.
actor DeviceByteStore: DeviceRegistry, DocumentKeeping {
  private var table: DocumentTable<RegisteredDevice>

  init(_ fault: DocumentFault? = nil) { table = DocumentTable(fault) }

  func device(id: String, tenant: String?) throws -> RegisteredDevice? {
    try table.value(id) { try StrictJSONDecoder().decode(RegisteredDevice.self, from: $0) }
  }

  func device(signingKeyID: KeyIdentifier) throws -> RegisteredDevice? {
    guard let known = table.all.first(where: { $0.signingKey.keyID == signingKeyID }) else { return nil }
    return try device(id: known.id, tenant: known.tenant)
  }

  func save(_ device: RegisteredDevice) throws -> Bool {
    if table.fault == .neverHeals { _ = try self.device(id: device.id, tenant: device.tenant) }
    if table.fault == .losesOthers, (try? self.device(id: device.id, tenant: device.tenant)) == nil, table.all.count > 1
    {
      table.removeAll()
    }
    table.put(device.id, device, try StrictJSONEncoder().encode(device))
    return true
  }

  func replace(_ known: RegisteredDevice, by device: RegisteredDevice) throws -> Bool {
    guard try self.device(id: known.id, tenant: known.tenant) == known else { return false }
    return try save(device)
  }

  func remove(id: String, tenant: String?) -> Bool {
    guard table.columns(id) != nil else { return false }
    table.remove(id)
    return true
  }

  func rewrite(_ change: @Sendable (_ document: [UInt8]) -> [UInt8]) { table.rewrite(change) }
}
