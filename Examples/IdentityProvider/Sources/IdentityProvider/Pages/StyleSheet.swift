import Hummingbird
import NIOCore

/// The pages' one style sheet and one script.
extension Provider {
  func addStyleRoutes(to router: Router<ProviderContext>) {
    router.get("/provider.css") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "text/css; charset=utf-8", .cacheControl: "max-age=3600"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: PackageResources.provider_css)))
    }
    router.get("/passkey.js") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "text/javascript; charset=utf-8", .cacheControl: "max-age=3600"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: PackageResources.passkey_js)))
    }
    router.get("/") { _, _ in Response.redirect(to: "/account") }
    router.get("/favicon.ico") { _, _ in Response(status: .noContent) }
  }
}
