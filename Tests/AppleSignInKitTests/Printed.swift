/// The worked examples of the reference page.
enum Printed {
  static let clientJWK = """
    {"kty":"EC","crv":"P-256","x":"B_ShbGeq3Qm-jhfjVOdkyu7PrtLo-PNA89aJazpCpQA","y":"fephixPmYKyV1mR4LkfLVZUVMSNi-Oms54Q0ckspPTY","d":"BkOLoH25Hwv9De8Dk5y9ZWBy5sMvdnfzQnoxrzs5zpg","kid":"ABC123DEFG"}
    """

  static let p8Base64 = #"""
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgBkOLoH25Hwv9De8Dk5y9ZWBy5sMvdnfzQnoxrzs5zpihRANCAAQH9KFsZ6rdCb6OF+NU52TK7s+u0uj480Dz1olrOkKlAH3qYYsT5mCsldZkeC5Hy1WVFTEjYvjprOeENHJLKT02
    """#

  static let keySet = #"""
    {"keys":[{"kty":"RSA","kid":"SYNTHKEY01","use":"sig","alg":"RS256","n":"z8FZXiBM3P2e6WVUowngY5W4EMkKis8Kpk0ZNsgpmyFLenRZ8dYhst7HhmEsRzd4uef7Td6cDURL6XCOYmP7U-EVeC6dkrTJMopxycEXVYyr1WubRl-asm1_6qH4wcRl5MXNtumbJKhfFiWbHWDvg09CvqiiMVgXnMQzuP-pXhRQFgFpbz3pF_fhQGP5Yh07wiqywl0YRVp4XVp7ZrApjR1MvCO3NyCSmN3qtonpog5ObM86JzcQm9u4LQlS4nT0_FJDSkEde1SlNh1P0yMVTcWiu_1JkwT3on3D5RcVnTQzJN18CRr6i1Zl9z6qBrNVyjYeJ4Abd9vPTLxqJfZA0Q","e":"AQAB"}]}
    """#

  static let authorizeURL = #"""
    https://appleid.apple.com/auth/authorize?response_type=code%20id_token&response_mode=form_post&client_id=com.example.web&redirect_uri=https%3A%2F%2Fwww.example.com%2Fapple%2Fcallback&scope=name%20email&state=st-8d0b7e&nonce=n-5f2c9a
    """#

  static let encodedUser = #"""
    %7B%22name%22%3A%7B%22firstName%22%3A%22Zo%C3%AB+Ann%22%2C%22lastName%22%3A%22O%27Brien%22%7D%2C%22email%22%3A%22synth7user%40privaterelay.appleid.com%22%7D
    """#

  static let tokenF = #"""
    eyJraWQiOiJTWU5USEtFWTAxIiwiYWxnIjoiUlMyNTYifQ.eyJpc3MiOiJodHRwczovL2FwcGxlaWQuYXBwbGUuY29tIiwiYXVkIjoiY29tLmV4YW1wbGUud2ViIiwiZXhwIjoxNzYwMDg2NDAwLCJpYXQiOjE3NjAwMDAwMDAsInN1YiI6IjAwMDAwMC4wMTIzNDU2Nzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZi4wMDAxIiwibm9uY2UiOiJuLTVmMmM5YSIsImNfaGFzaCI6InZVOHNZTnFKb3hRNmU2WWk2ZlJzVEEiLCJlbWFpbCI6InN5bnRoN3VzZXJAcHJpdmF0ZXJlbGF5LmFwcGxlaWQuY29tIiwiZW1haWxfdmVyaWZpZWQiOiJ0cnVlIiwiaXNfcHJpdmF0ZV9lbWFpbCI6InRydWUiLCJhdXRoX3RpbWUiOjE3NTk5OTk5OTUsIm5vbmNlX3N1cHBvcnRlZCI6dHJ1ZX0.cN5zsK3Bps_72EHBkedUcwwUAs1rkk_YSFd7ShvsAlwiUwUFJ5jrkcGZWbp-R0OiSz_DcbWuSlO4dp32V4vXylL4H3GKrAdKiO32ru3EBI5rCKCJYb7x_NzbXz3gx9mITDNmy0PGTf-7IGA2ffBPc2vhoiSEPm989cCy3cOL8juI0Omeaa2JAR5Gmu5uKq9wpIMEaRjuc8kh2121sp31xh98ib-VMWC3h5ozrtCOxMyti4_XFlcYCPoaGgvQyRZFHQQoTXBnt1TA0_H-fW-2vOSx60OC_w_U-0LL1yf5YNEzFuWYOgLPcf8iZ6ggYVmHvkuDGQHaC1aKf6SApPyTUg
    """#

  static let clientSecret = #"""
    eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ.eyJpc3MiOiJURUFNMTIzNDU2IiwiaWF0IjoxNzYwMDAwMDAwLCJleHAiOjE3NjAwMDAzMDAsImF1ZCI6Imh0dHBzOi8vYXBwbGVpZC5hcHBsZS5jb20iLCJzdWIiOiJjb20uZXhhbXBsZS53ZWIifQ.i-wcFFWqksbMeB6qrwInfPqW1Uw2mV2o54VFzc8RAceF4rkOmkPtZ42BRj83ejn-ojlkMGU1aRjAqPi4bDETTA
    """#

  static let tokenT = #"""
    eyJraWQiOiJTWU5USEtFWTAxIiwiYWxnIjoiUlMyNTYifQ.eyJpc3MiOiJodHRwczovL2FwcGxlaWQuYXBwbGUuY29tIiwiYXVkIjoiY29tLmV4YW1wbGUud2ViIiwiZXhwIjoxNzYwMDg2NDAwLCJpYXQiOjE3NjAwMDAwMDAsInN1YiI6IjAwMDAwMC4wMTIzNDU2Nzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZi4wMDAxIiwibm9uY2UiOiJuLTVmMmM5YSIsImF0X2hhc2giOiI1VHZpeGgxQXVXZ09zYUt5UFJfVmZRIiwiZW1haWwiOiJzeW50aDd1c2VyQHByaXZhdGVyZWxheS5hcHBsZWlkLmNvbSIsImVtYWlsX3ZlcmlmaWVkIjp0cnVlLCJpc19wcml2YXRlX2VtYWlsIjp0cnVlLCJhdXRoX3RpbWUiOjE3NTk5OTk5OTUsIm5vbmNlX3N1cHBvcnRlZCI6dHJ1ZX0.ck2QlRFRJcKTS_5uyYWuB8jbJTESu8hRgF00Z0dbHRzTMr0xComS0c0n4Vei2nj1IquUXz0YOASRIfnwE5ilPyYIdQWPa13nbx7vK9iXD36VMU68IY5-rjgRBlidVTMTBtyZqpvBhyrg5vKD3bPWifuIIYm-J3aEe0QoTupY3Q8D8940Lj1CdYMcIBcC01A4M3IUubvuFwtLOu64_HjdT0FKETqM_OF7Spx1ZEDAh5UENYiYacfsRXWlVn3RRrb2WEaywJTmLQYR5nJs0Tymroe87USygvHXyvH_xPK1IcwnMTesbj89LEdNHUBhi_JNxDjzoW6olqt_c51QOATkWQ
    """#

  static let notification = #"""
    eyJraWQiOiJTWU5USEtFWTAxIiwiYWxnIjoiUlMyNTYifQ.eyJpc3MiOiJodHRwczovL2FwcGxlaWQuYXBwbGUuY29tIiwiYXVkIjoiY29tLmV4YW1wbGUuYXBwIiwiZXhwIjoxNzYwMDkwMDEwLCJpYXQiOjE3NjAwMDM2MTAsImp0aSI6InExVzJlM1I0dDVZNnU3SThvOVAwYUEiLCJldmVudHMiOiJ7XCJ0eXBlXCI6XCJjb25zZW50LXJldm9rZWRcIixcInN1YlwiOlwiMDAwMDAwLjAxMjM0NTY3ODlhYmNkZWYwMTIzNDU2Nzg5YWJjZGVmLjAwMDFcIixcImV2ZW50X3RpbWVcIjoxNzYwMDAzNjAwMTIzfSJ9.LsY3m2H5glnY3Cn2rBi_PxnitSfLF2xeka9GDuRXPmdKrbwAi4tg5Mj7TapToaBOqBYG8eSzZOaLgeuHsL6yVi4n1pLWF0YiKEGuMkUJQqtbFctta7Q8MQ8NLBSRvk-GZdKcwiVrloEFz_893FcdRHmXdjx3uYUIeHsGr8dZXeg8AWy260jMcUiHVn415NdLLBUCmmFn13iLwJX5FC2gu5aRcZwRQV6bWzXnBsBh7LLwNAro_Eq0GxrIgPErrZg9Kt6oyPUA7kKmkBctV6qA3Y5LXPv-OdfzmByyH0QmeGLpFOMIelh0SQ5BPwLVhzhq9mzyJ5IsDY-gwZQpxogShw
    """#

  static let p8 = "-----BEGIN PRIVATE KEY-----\n" + p8Lines + "-----END PRIVATE KEY-----\n"

  private static var p8Lines: String {
    var rest = Substring(p8Base64)
    var lines = ""
    while !rest.isEmpty {
      lines += rest.prefix(64) + "\n"
      rest = rest.dropFirst(64)
    }
    return lines
  }
}
