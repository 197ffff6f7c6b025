import ArgumentParser

/// The command line.
@main struct IDP: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "idp", abstract: "An OpenID provider for a small company.",
    subcommands: [
      Serve.self, InitCommand.self, DoctorCommand.self, UserCommands.self, ClientCommands.self, DeviceCommands.self,
      KeyCommands.self, Backup.self, MigrateCommand.self,
    ])
}
