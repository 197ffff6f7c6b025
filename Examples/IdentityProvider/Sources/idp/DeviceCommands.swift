import ArgumentParser
import DeviceLogins
import IdentityProvider

/// Devices.
struct DeviceCommands: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "List devices and take their logins away, and let Macs in.",
    subcommands: [List.self, Revoke.self, ProfileCommand.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the devices.")

    @OptionGroup var options: FolderOptions

    func run() async throws {
      let provider = try await options.provider()
      for device in try await DeviceLogins(provider).devices(of: nil) {
        print("\(device.id)\t\(device.kind)\t\(device.name)\t\(device.isActive ? "active" : "revoked")")
      }
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Take a device's logins away.")

    @Argument(help: "The device, as the list names it.") var device: String
    @OptionGroup var options: FolderOptions

    func run() async throws {
      let provider = try await options.provider()
      guard try await DeviceLogins(provider).revokeDevice(device, of: nil) else {
        throw ValidationError("There is no such device.")
      }
      await provider.audit.record(.init("device.revoked", detail: "command line"))
    }
  }
}
