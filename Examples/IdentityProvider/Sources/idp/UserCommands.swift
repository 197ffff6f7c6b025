import ArgumentParser
import Foundation
import IdentityProvider
import JOSE

/// Users.
struct UserCommands: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "Add users, list them and change them.",
    subcommands: [Add.self, Change.self, Password.self, List.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Add a user. The password is read from standard input.")

    @Argument(help: "What the user types to log in.") var username: String
    @Option(help: "The email address.") var email: String
    @Option(help: "The full name.") var name: String?
    @Option(help: "A file with further claims, as a JSON object: given_name, address and so on.") var claims: String?
    @Flag(help: "The user administers the provider.") var admin = false
    @OptionGroup var options: FolderOptions

    func run() async throws {
      let password = try UserCommands.newPassword(username: username, email: email)
      let more = try claims.map(UserCommands.read) ?? [:]
      let user = try await options.provider().addUser(
        username, email: email, name: name, claims: more, password: password, isAdmin: admin)
      print(user.id)
    }
  }

  struct Password: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give a user another password, from standard input. All logins and other ways to log in end.")

    @Argument(help: "What the user types to log in.") var username: String
    @Flag(help: "Second factor and passkeys stay: they are the user's for certain.") var keepFactors = false
    @OptionGroup var options: FolderOptions

    func run() async throws {
      var change = UserChange()
      change.password = try UserCommands.newPassword(username: username, email: "")
      (change.removesSecondFactor, change.removesPasskeys) = (!keepFactors, !keepFactors)
      try await UserCommands.apply(change, to: username, options)
    }
  }

  struct Change: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Change a user. What isn't named stays.")

    @Argument(help: "What the user types to log in.") var username: String
    @Option(help: "The email address.") var email: String?
    @Option(help: "A file with claims, as a JSON object, in place of all before, the name among them.")
    var claims: String?
    @Flag(inversion: .prefixedNo, help: "The user administers the provider.") var admin: Bool?
    @Flag(help: "Take the second factor away, which ends all logins.") var removeSecondFactor = false
    @Flag(help: "Take passkeys and linked accounts away, which ends all logins.") var removePasskeys = false
    @OptionGroup var options: FolderOptions

    func run() async throws {
      var change = UserChange()
      (change.email, change.isAdmin, change.claims) = try (email, admin, claims.map(UserCommands.read))
      (change.removesSecondFactor, change.removesPasskeys) = (removeSecondFactor, removePasskeys)
      try await UserCommands.apply(change, to: username, options)
    }
  }

  private static func read(_ file: String) throws -> JSONObject {
    try JSONObject(parsing: Data(contentsOf: URL(fileURLWithPath: file)))
  }

  private static func apply(_ change: UserChange, to username: String, _ options: FolderOptions) async throws {
    let provider = try await options.provider()
    guard let user = try await provider.users.user(named: username) else {
      throw ValidationError("There is no user of this name.")
    }
    try await provider.change(user, change)
  }

  /// A line of standard input, which must be what the account page would take, too.
  private static func newPassword(username: String, email: String) throws -> String {
    guard let password = readLine(strippingNewline: true) else {
      throw ValidationError("Standard input has to bring a password, as one line.")
    }
    try PasswordRules.check(password, username: username, email: email)
    return password
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the users.")

    @OptionGroup var options: FolderOptions

    func run() async throws {
      for user in try await options.provider().users.users(limit: .max) {
        print("\(user.username)\t\(user.email)\t\(user.isEnabled ? "enabled" : "disabled")\t\(user.id)")
      }
    }
  }
}
