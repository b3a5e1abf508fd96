"use strict";
document.documentElement.classList.remove("no-js");
for (const filter of document.querySelectorAll(".filter")) {
  const list = document.getElementById(filter.dataset.for);
  const count = document.getElementById(filter.dataset.for + "-count");
  filter.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    for (const other of filter.querySelectorAll("button")) other.setAttribute("aria-pressed", String(other === button));
    list.toggleAttribute("data-filtered", button.dataset.subtopic !== "");
    let shown = 0;
    for (const item of list.children) {
      item.hidden = button.dataset.subtopic !== "" && item.dataset.subtopic !== button.dataset.subtopic;
      if (!item.hidden) shown += 1;
    }
    count.textContent = shown + (shown === 1 ? " document" : " documents");
  });
}
for (const link of document.querySelectorAll(".menu a")) link.addEventListener("click", () => { link.closest("details").open = false; });
let opened = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details.printed:not([open])")];
  for (const each of opened) each.open = true;
});
addEventListener("afterprint", () => { for (const each of opened) each.open = false; });
