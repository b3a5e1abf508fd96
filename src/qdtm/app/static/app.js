"use strict";
// When a part of the page is renewed, the focus goes back to the button that had it, known by its data-key.
let key = null;
addEventListener("focusin", (event) => { key = event.target.closest?.("[data-key]")?.dataset.key ?? null; });
addEventListener("pointerdown", (event) => { if (!event.target.closest?.("[data-key]")) key = null; });
new MutationObserver(() => {
  if (key === null || document.activeElement !== document.body) return;
  document.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}).observe(document.documentElement, { childList: true, subtree: true });
