"use strict";
// When a part of the page is renewed, the focus goes back to the button that had it, known by its data-key.
let key = null;
addEventListener("focusin", (event) => { key = event.target.closest?.("[data-key]")?.dataset.key ?? null; });
addEventListener("pointerdown", (event) => { if (!event.target.closest?.("[data-key]")) key = null; });
// Names for what the widgets leave without one.
const NAMES = { ".q-uploader__input": "Choose files", ".q-loading-bar": "Loading" };
new MutationObserver(() => {
  for (const [css, name] of Object.entries(NAMES))
    for (const element of document.querySelectorAll(`${css}:not([aria-label])`)) element.setAttribute("aria-label", name);
  if (key === null || document.activeElement !== document.body) return;
  document.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}).observe(document.documentElement, { childList: true, subtree: true });

// Ranges: two fields in an element with data-range. They say "settled" when nobody has moved them for a moment, and
// what shows them follows at once: the chosen part of a histogram, the band over a timeline.
let waiting = 0;
function settle(range, moment) {
  clearTimeout(waiting);
  waiting = setTimeout(() => range.dispatchEvent(new Event("settled", { bubbles: true })), moment);
}

addEventListener("input", (event) => {
  const range = event.target.closest?.("[data-range]");
  if (!range) return;
  const [low, high] = range.querySelectorAll("input");
  if (low.type === "range" && +low.value > +high.value) event.target.value = (event.target === low ? high : low).value;
  draw();
  settle(range, low.type === "range" ? 150 : 500);
});

function draw() {
  document.querySelectorAll("[data-histogram]").forEach(drawChosen);
  document.querySelectorAll("[data-timeline]").forEach(drawBand);
}

function drawChosen(histogram) {
  const [low, high] = [...histogram.querySelectorAll("[data-range] input")].map((input) => +input.value);
  const chosen = histogram.querySelector("#chosen rect");
  chosen.setAttribute("x", 100 * low);
  chosen.setAttribute("width", 100 * (high - low));
  const said = histogram.querySelector("output"), now = `${low.toFixed(2)} to ${high.toFixed(2)}`;
  if (said.textContent !== now) said.textContent = now;  // the observer below would hear it
}

function periods(timeline) {
  const { width, places, starts, ends } = timeline.querySelector("[data-brush]").dataset;
  const x = places.split(" ").map((place) => place / width);
  return { x, starts: starts.split(" "), ends: ends.split(" ") };
}

function drawBand(timeline) {
  const [first, last] = [...timeline.querySelectorAll("[data-range] input")].map((input) => input.value);
  const { x, starts, ends } = periods(timeline);
  const from = first ? ends.findIndex((end) => end >= first) : 0;
  const to = last ? starts.findLastIndex((start) => start <= last) : x.length - 1;
  const band = timeline.querySelector(".band");
  band.hidden = !(first || last) || from < 0 || to < from;
  if (band.hidden) return;
  const half = (i, j) => (x[j] === undefined ? 0.02 : Math.abs(x[i] - x[j]) / 2);
  band.style.left = `${100 * (x[from] - half(from, from - 1))}%`;
  band.style.width = `${100 * (x[to] + half(to, to + 1) - x[from] + half(from, from - 1))}%`;
}

let brushed = null;
function periodAt(event) {
  const { x } = periods(brushed.timeline), box = brushed.area.getBoundingClientRect();
  const at = (event.clientX - box.left) / box.width;
  return x.reduce((best, place, i) => (Math.abs(place - at) < Math.abs(x[best] - at) ? i : best), 0);
}

function brushTo(event) {
  const at = periodAt(event), { starts, ends } = periods(brushed.timeline);
  brushed.from ??= at;
  const [first, last] = brushed.timeline.querySelectorAll("[data-range] input");
  first.value = starts[Math.min(brushed.from, at)];
  last.value = ends[Math.max(brushed.from, at)];
  draw();
}

addEventListener("pointerdown", (event) => {
  const area = event.target.closest?.("[data-brush]");
  if (!area || event.button !== 0) return;
  brushed = { area, timeline: area.closest("[data-timeline]"), from: null };
  area.setPointerCapture(event.pointerId);
  brushTo(event);
});
addEventListener("pointermove", (event) => { if (brushed) brushTo(event); });
addEventListener("pointerup", () => {
  if (brushed) settle(brushed.timeline.querySelector("[data-range]"), 0);
  brushed = null;
});
addEventListener("pointercancel", () => { brushed = null; });

// What was opened stays open when a part of the page is renewed, and what shows a range shows it again.
const opened = new Set();
addEventListener("toggle", (event) => {
  const name = event.target.dataset?.stays;
  if (name && event.target.isConnected) opened[event.target.open ? "add" : "delete"](name);
}, true);
new MutationObserver(() => {
  opened.forEach((name) => document.querySelector(`details[data-stays="${CSS.escape(name)}"]`)?.setAttribute("open", ""));
  if (!brushed) draw();
}).observe(document.documentElement, { childList: true, subtree: true });

// What the address names after # comes later than the page does: go there once it is there, unless somebody has
// begun to do something else, and again while what stands above it still comes.
let goal = decodeURIComponent(location.hash.slice(1));
for (const act of ["wheel", "pointerdown", "keydown", "touchstart"]) addEventListener(act, () => { goal = ""; });
setTimeout(() => { goal = ""; }, 20000);
new MutationObserver(() => {
  const place = goal && document.getElementById(goal);
  if (!place) return;
  place.scrollIntoView({ block: "start", behavior: "instant" });
  (place.matches("li") ? place.querySelector("a.title") : place.querySelector("input"))?.focus({ preventScroll: true });
}).observe(document.documentElement, { childList: true, subtree: true });

// A row of small buttons is one stop of the tab key; arrow keys go along it.
addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const all = step ? [...(event.target.closest?.("[data-arrows]")?.querySelectorAll("button") ?? [])] : [];
  const next = all[all.indexOf(event.target) + step];
  if (!next || event.ctrlKey || event.altKey || event.metaKey) return;
  event.target.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
  event.preventDefault();
});

// Back and forth between the states of a page that are in its address.
addEventListener("popstate", () => {
  const follow = document.querySelector("[data-popstate]");
  if (!follow) return;
  follow.dataset.value = location.search;
  follow.click();
});

// Keys: the element that names a key in aria-keyshortcuts is pressed, first one of the document in focus, then
// any of the page. Never while somebody types, nor with Ctrl, Alt or Meta; who does not want them turns them off.
const TYPED = "input, textarea, select, [contenteditable], [role=combobox], .q-menu";
const documents = () => [...document.querySelectorAll("ol.documents > li")];
const inFocus = () => document.activeElement.closest?.("ol.documents > li") ?? null;
const keysAreOff = () => localStorage.getItem("keys") === "off";

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.defaultPrevented) return;
  if (event.target.closest?.(TYPED)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (document.querySelector("dialog[open], .q-dialog__backdrop")) return;
  if (event.key === "?") return void (showKeys() && event.preventDefault());
  if (!keysAreOff() && (pressed(event) || stepped(event))) event.preventDefault();
});

function pressed(event) {
  const wanted = `[aria-keyshortcuts~="${CSS.escape(event.key)}"]:not([hidden])`;
  const found = inFocus()?.querySelector(wanted) ?? document.querySelector(wanted);
  if (!found) return false;
  const field = found.matches(TYPED) ? found : found.querySelector(TYPED);
  if (field) field.focus();
  else if (!event.repeat) found.click();
  return true;
}

function stepped(event) {
  const by = { j: 1, n: 1, k: -1, p: -1 }[event.key];
  if (!by) return false;
  return "jk".includes(event.key) ? toDocument(by) : toMark(by);
}

function toDocument(by) {
  const all = documents(), at = all.indexOf(inFocus());
  const next = all[at < 0 ? 0 : at + by]?.querySelector("a.title") ?? (by > 0 ? document.querySelector("[data-act=more]") : null);
  next?.focus();
  next?.scrollIntoView({ block: "center" });
  return next != null;
}

function showKeys() {
  const dialog = document.getElementById("shortcuts");
  if (!dialog) return false;
  dialog.querySelector("#use-keys").checked = !keysAreOff();
  dialog.showModal();
  return true;
}

addEventListener("click", (event) => { if (event.target.closest?.("[data-shortcuts]")) showKeys(); });
addEventListener("change", (event) => {
  if (event.target.id === "use-keys") localStorage.setItem("keys", event.target.checked ? "on" : "off");
});

// The reader: a document that is new on the page is shown from its beginning, or where the passage stands that
// makes it relevant if that is further down; n and p go from there along the words and passages that are marked.
const MARKED = "mark.mc, mark.m2, mark.m3, [data-begins], .reason";
let read = null, at = null;

function toMark(by) {
  const all = [...document.querySelectorAll(`#reader-text :is(${MARKED})`)];
  const marks = all.filter((each) => !each.matches(".reason:not([data-begins])") || each === all.find((e) => e.matches(".reason")));
  const next = marks[marks.includes(at) ? marks.indexOf(at) + by : by > 0 ? 0 : marks.length - 1];
  if (next) goTo(next);
  return marks.length > 0;
}

function goTo(mark) {
  at?.classList.remove("at");
  at = mark;
  mark.classList.add("at");
  mark.tabIndex = -1;
  mark.focus({ preventScroll: true });
  mark.scrollIntoView({ block: "center" });
}

new MutationObserver(() => {
  const text = document.getElementById("reader-text");
  if (!text || text.dataset.row === read) return;
  read = text.dataset.row;
  scrollTo({ top: 0, behavior: "instant" });
  at = text.querySelector(".reason");
  if (at && at.getBoundingClientRect().bottom > innerHeight) at.scrollIntoView({ block: "center", behavior: "instant" });
}).observe(document.documentElement, { childList: true, subtree: true });

// What is selected in the text of the reader, as characters of it: a block knows where it begins. Characters
// are counted as Python counts them, not by halves of those that take two.
function placeOf(node, offset) {
  const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
  const block = element.closest?.("#reader-text .block");
  if (!block) return null;
  const before = document.createRange();
  before.setStart(block, 0);
  before.setEnd(node, offset);
  return Number(block.dataset.start) + [...before.toString()].length;
}

function endOfText() {
  const last = document.querySelector("#reader-text .block:last-of-type");
  return placeOf(last, last.childNodes.length);
}

document.addEventListener("selectionchange", () => {
  const button = document.querySelector("[data-selection]");
  const range = getSelection().rangeCount ? getSelection().getRangeAt(0) : null;
  if (!button) return;
  const start = range && !range.collapsed ? placeOf(range.startContainer, range.startOffset) : null;
  const end = start === null ? null : placeOf(range.endContainer, range.endOffset) ?? endOfText();
  button.hidden = !(end > start);
  button.dataset.value = button.hidden ? "" : `${start}-${end}`;
});
addEventListener("mousedown", (event) => { if (event.target.closest?.("[data-selection]")) event.preventDefault(); });
