import Hummingbird

/// The style sheet and the scripts of all pages.
extension Provider {
  func addStyleRoutes(to router: Router<ProviderContext>) {
    router.get("/provider.css") { _, _ in
      Self.document(PackageResources.provider_css, "text/css; charset=utf-8", lifetime: 3600)
    }
    router.get("/passkey.js") { _, _ in
      Self.document(PackageResources.passkey_js, "text/javascript; charset=utf-8", lifetime: 3600)
    }
    router.get("/codes.js") { _, _ in
      Self.document(PackageResources.codes_js, "text/javascript; charset=utf-8", lifetime: 3600)
    }
    router.get("/") { _, _ in Response.redirect(to: "/account") }
    router.get("/favicon.ico") { _, _ in Response(status: .noContent) }
  }
}
