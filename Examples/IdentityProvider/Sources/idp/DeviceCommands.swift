import ArgumentParser
import DeviceLogins
import IdentityProvider

/// Devices.
struct DeviceCommands: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "List devices, revoke their logins, and write the profile for Macs.",
    subcommands: [List.self, Revoke.self, ProfileCommand.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the devices.")

    @OptionGroup var options: FolderOptions

    func run() async throws {
      let provider = try await options.provider()
      for device in try await DeviceLogins(provider).devices(of: nil) {
        let (id, name) = (device.id.visible(asASCII: true), device.name.visible(asASCII: true))
        print("\(id)\t\(device.kind)\t\(name)\t\(device.isActive ? "active" : "revoked")\t\(device.identity ?? "")")
      }
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Revoke a device's logins.")

    @Argument(help: "The device's identifier, as idp device list prints it.") var device: String
    @OptionGroup var options: FolderOptions

    func run() async throws {
      let provider = try await options.provider()
      let logins = try DeviceLogins(provider)
      guard try await logins.revokeDevice(logins.deviceID(shownAs: device) ?? device, of: nil) else {
        throw ValidationError("There is no device with this identifier: idp device list shows all.")
      }
      await provider.audit.record(.init("device.revoked", detail: "command line"))
    }
  }
}
