"use strict";
// Copies recovery codes, or prints their page. Without a script they can be selected, and the browser's menu prints.
(() => {
  const part = document.querySelector("[data-codes]");
  if (!part) return;
  const said = part.querySelector("[data-said]");
  const copy = part.querySelector("[data-copy]");
  const codes = [...document.querySelectorAll(".codes code")].map(code => code.textContent).join("\n");
  copy.hidden = !navigator.clipboard;
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(codes + "\n");
      said.textContent = "Copied.";
    } catch {
      said.textContent = "The browser refused. Select the codes and copy them.";
    }
  });
  part.querySelector("[data-print]").addEventListener("click", () => window.print());
  part.hidden = false;
})();
