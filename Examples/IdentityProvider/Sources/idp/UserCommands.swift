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

    @Argument(help: "The user name, which the user types to log in.") var username: String
    @Option(help: "The email address.") var email: String
    @Option(help: "The full name.") var name: String?
    @Option(help: "A JSON file with further claims: given_name, address and so on.") var claims: String?
    @Flag(help: "Make the user an administrator.") var admin = false
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
      abstract: "Replace a user's password, from standard input. All logins end, and other ways to log in are removed.")

    @Argument(help: "The user name, which the user types to log in.") var username: String
    @Flag(help: "Keep second factor and passkeys, if they are certainly the user's.") var keepFactors = false
    @OptionGroup var options: FolderOptions

    func run() async throws {
      var change = UserChange()
      change.password = try UserCommands.newPassword(username: username, email: "")
      (change.removesSecondFactor, change.removesPasskeys) = (!keepFactors, !keepFactors)
      try await UserCommands.apply(change, to: username, options)
    }
  }

  struct Change: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change a user. Options that aren't given stay as they are.")

    @Argument(help: "The user name, which the user types to log in.") var username: String
    @Option(help: "The email address.") var email: String?
    @Option(help: "A JSON file with claims, which replaces all previous ones, the name included.")
    var claims: String?
    @Flag(inversion: .prefixedNo, help: "Make the user an administrator, or no longer one.") var admin: Bool?
    @Flag(help: "Remove the second factor, which ends all logins.") var removeSecondFactor = false
    @Flag(help: "Remove passkeys and linked accounts, which ends all logins.") var removePasskeys = false
    @Flag(help: "Take the password and codes from everywhere again, after too many wrong ones.") var reopen = false
    @OptionGroup var options: FolderOptions

    func run() async throws {
      var change = UserChange()
      (change.email, change.isAdmin, change.claims) = try (email, admin, claims.map(UserCommands.read))
      (change.removesSecondFactor, change.removesPasskeys) = (removeSecondFactor, removePasskeys)
      change.reopens = reopen
      try await UserCommands.apply(change, to: username, options)
    }
  }

  private static func read(_ file: String) throws -> JSONObject {
    try JSONObject(parsing: Data(contentsOf: URL(fileURLWithPath: file)))
  }

  private static func apply(_ change: UserChange, to username: String, _ options: FolderOptions) async throws {
    let provider = try await options.provider()
    guard let user = try await provider.users.user(named: username) else {
      throw ValidationError("There is no user with this name: idp user list shows all.")
    }
    try await provider.change(user, change)
  }

  /// A password from standard input, which must satisfy the same rules as on the account page.
  private static func newPassword(username: String, email: String) throws -> String {
    guard let password = readLine(strippingNewline: true) else {
      throw ValidationError("Write the password to standard input, as one line.")
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
