"use strict";
// Carries challenges to the authenticator and its answers back into forms: nothing else on these pages needs a script.
(() => {
  if (!window.PublicKeyCredential || !navigator.credentials) return;

  const octets = text => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), c => c.charCodeAt(0));
  const text = buffer =>
    btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

  const send = (form, fields) => {
    for (const [name, value] of Object.entries(fields)) form.elements[name].value = value;
    form.submit();
  };

  const say = (form, message) => {
    const line = form.querySelector("[data-problem]");
    line.textContent = message;
    line.hidden = !message;
  };

  const register = async (form, options) => {
    const credential = await navigator.credentials.create({
      publicKey: {
        challenge: octets(options.challenge), rp: options.rp, pubKeyCredParams: [{ type: "public-key", alg: -7 }],
        user: { id: octets(options.user.id), name: options.user.name, displayName: options.user.displayName },
        excludeCredentials: options.exclude.map(id => ({ type: "public-key", id: octets(id) })), timeout: 120000,
        authenticatorSelection: { residentKey: "required", userVerification: "required" }, attestation: "none",
      },
    });
    send(form, {
      attestation: text(credential.response.attestationObject), client: text(credential.response.clientDataJSON),
    });
  };

  const logIn = async (form, options, more) => {
    const credential = await navigator.credentials.get({
      ...more,
      publicKey: { challenge: octets(options.challenge), rpId: options.rp.id, userVerification: "required", timeout: 300000 },
    });
    const response = credential.response;
    send(form, {
      credential: text(credential.rawId), authenticator: text(response.authenticatorData),
      client: text(response.clientDataJSON), signature: text(response.signature),
      user: response.userHandle ? text(response.userHandle) : "",
    });
  };

  for (const form of document.querySelectorAll("form[data-passkey]")) {
    const options = JSON.parse(form.dataset.passkey);
    const act = options.user ? register : logIn;
    form.hidden = false;
    form.addEventListener("submit", event => {
      event.preventDefault();
      say(form, "");
      act(form, options).catch(() => say(form, "This didn't work, or was cancelled."));
    });
  }
})();
