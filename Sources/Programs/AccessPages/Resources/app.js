// What the pages do better with a script. Without it, they work. It stores nothing and does not touch the clipboard.

const $ = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// 1. Search as one types: the results are those of the same form, sent in the background.

const form = $("form[data-live]");
let request, timer;

async function search() {
  const fields = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
  const isPost = form.method === "post";
  const address = new URL(form.action);
  if (!isPost) address.search = fields;
  request?.abort();
  request = new AbortController();
  try {
    const options = isPost ? { method: "post", body: fields } : {};
    const answer = await fetch(address, { ...options, signal: request.signal, headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const results = $("#results", page);
    // Anything else than results (the keychain is locked, the session ended) is a page of its own.
    if (!answer.ok || !results) return location.assign(isPost ? "/items" : address);
    // Somebody who went on to a result while its search was under way stays on it.
    const focused = $("#results").contains(document.activeElement) && document.activeElement.getAttribute("href");
    $("#results").replaceWith(results);
    if (focused) $(`a[href="${CSS.escape(focused)}"]`, results)?.focus();
    history.replaceState(null, "", answer.url);
    $("#announcement").textContent = $("[data-summary]", results)?.textContent ?? "";
    selection();
  } catch (error) {
    if (error.name !== "AbortError") form.submit();
  }
}

if (form) {
  const later = (delay) => {
    $("#results").ariaBusy = "true";
    clearTimeout(timer);
    timer = setTimeout(search, delay);
  };
  form.addEventListener("input", (event) => { if (!event.isComposing) later(120); });
  form.addEventListener("compositionend", () => later(120));
  form.addEventListener("submit", (event) => { event.preventDefault(); later(0); });
}

// 2. The box in the table's head selects all rows; the bar above says how many are selected.

function selection() {
  const box = $("[data-all]"), bar = $("[data-selected]");
  if (!box || !bar) return;
  const rows = all("input[name=reference]"), count = rows.filter((row) => row.checked).length;
  box.hidden = false;
  box.checked = count > 0 && count === rows.length;
  box.indeterminate = count > 0 && count < rows.length;
  bar.textContent = count ? `${count} selected` : "";
  $("[data-delete]").hidden = count === 0;
}

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-all]")) all("input[name=reference]").forEach((row) => { row.checked = event.target.checked; });
  if (event.target.matches("[data-all], input[name=reference]")) selection();
});
addEventListener("pageshow", selection);
if (location.hash === "#query") $("#query")?.focus();
selection();

// 3. Keys: "/" goes to the search field, Escape clears it and hides a secret, the arrows go from row to row.

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const query = $("#query"), here = document.activeElement;
  const types = here.matches("input:not([type=checkbox], [type=radio]), textarea, select");
  if (event.key === "/" && !types) {
    event.preventDefault();
    if (query) query.select();
    // Not from a form, which would lose what was typed.
    else if ($("#navigation") && !$("form[novalidate]")) location.assign("/items#query");
  } else if (event.key === "Escape" && countdown) {
    location.assign($(".reveal a.primary").href);
  } else if (event.key === "Escape" && here === query && query.value) {
    event.preventDefault();
    query.value = "";
    query.dispatchEvent(new Event("input", { bubbles: true }));
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    const links = all(".list tbody th > a"), at = links.indexOf(here), down = event.key === "ArrowDown";
    if (at < 0 && !(here === query && down)) return;
    event.preventDefault();
    (at === 0 && !down && query ? query : links[down ? at + 1 : at - 1])?.focus();
  }
});

// 4. A password that is typed can be looked at.

for (const field of all("input[type=password]")) {
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "button small look", textContent: "Show" });
  button.setAttribute("aria-pressed", "false");
  button.setAttribute("aria-controls", field.id);
  button.addEventListener("click", () => {
    const isShown = field.type === "text";
    field.type = isShown ? "password" : "text";
    button.setAttribute("aria-pressed", String(!isShown));
  });
  field.after(button);
}

// 5. A shown secret: the seconds until the page leaves. The page's own refresh does the leaving.

const started = performance.now();
const left = (seconds) => Math.max(0, Math.ceil(seconds - (performance.now() - started) / 1000));
const countdown = $("[data-countdown]");
if (countdown) setInterval(() => { countdown.textContent = left(+countdown.dataset.countdown); }, 250);
// A page that the browser kept must not show a secret again.
addEventListener("pageshow", (event) => { if (event.persisted && countdown) location.replace($(".reveal a.primary").href); });
