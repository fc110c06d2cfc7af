// The script of the dashboard: it moves fragments made on the server to their
// places, sends forms without leaving the page, and shows times as people do.
// Everything works without it too, but for the live part.
"use strict";

const $ = (selector, from = document) => from.querySelector(selector);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];

// fragment makes nodes of HTML that the server has rendered.
function fragment(html) {
  const t = document.createElement("template");
  t.innerHTML = html;
  dress(t.content);
  return t.content;
}

// Making a format takes longer than using it.
const formats = {
  exact: new Intl.DateTimeFormat([], { dateStyle: "medium", timeStyle: "medium" }),
  today: new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit" }),
  before: new Intl.DateTimeFormat([], { dateStyle: "medium", timeStyle: "short" }),
};

// dress shows times in the reader's own zone. A page has hundreds: only what
// would read otherwise is touched.
function dress(root) {
  const today = new Date().toDateString();
  for (const t of all("time", root)) {
    const at = new Date(t.dateTime);
    if (isNaN(at)) continue;
    let text;
    if ("due" in t.dataset) text = within(at - Date.now());
    else if ("since" in t.dataset) text = span(Date.now() - at);
    else if ("exact" in t.dataset) text = formats.exact.format(at);
    else text = (at.toDateString() === today ? formats.today : formats.before).format(at);
    if (t.textContent !== text) t.textContent = text;
    if (!t.title && !("exact" in t.dataset)) t.title = formats.exact.format(at);
  }
}

// span is how long something goes on.
function span(ms) {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor(s / 60) % 60} min`;
}

function within(ms) {
  const s = Math.round(ms / 1000);
  if (s < 0) return "now";
  if (s < 60) return `in ${s} s`;
  if (s < 3600) return `in ${Math.floor(s / 60)} min`;
  if (s < 48 * 3600) return `in ${Math.floor(s / 3600)} h`;
  return `in ${Math.floor(s / 86400)} days`;
}

// replace puts new content into a part, and keeps what the reader has opened
// or is writing there.
const late = new Map();
const shown = new Map();
function replace(el, html) {
  if (shown.get(el) === html) {
    late.delete(el);
    return;
  }
  const active = document.activeElement;
  if (active && active !== el && el.contains(active) && active.matches("input, textarea, select, button")) {
    late.set(el, html); // not under the reader's hands; a button may be half pressed
    return;
  }
  late.delete(el);
  shown.set(el, html);
  const open = new Set(all("details[open][data-keep]", el).map((d) => d.dataset.keep));
  const written = filledIn(el);
  const at = el.contains(active) ? active.closest("a")?.getAttribute("href") : null;
  el.replaceChildren(fragment(html));
  if (at) all("a", el).find((a) => a.getAttribute("href") === at)?.focus({ preventScroll: true });
  for (const d of all("details[data-keep]", el)) if (open.has(d.dataset.keep)) d.open = true;
  for (const [field, name] of fields(el)) if (written.has(name)) field.value = written.get(name);
}

// fields are the inputs of the forms in a part, each with a name that it has
// again after the part is replaced.
function fields(el) {
  return all("form", el).flatMap((form) => {
    const about = `${form.getAttribute("action")} ${form.elements.question?.value ?? ""}`;
    return all('input:not([type="hidden"], [type="checkbox"], [type="file"]), textarea, select:not([multiple], [data-submit])', form)
      .map((field) => [field, `${about} ${field.name}`]);
  });
}

// filledIn is what the reader has written and not sent.
function filledIn(el) {
  const chosen = (select) => [...select.options].find((o) => o.defaultSelected)?.value ?? select.options[0]?.value;
  return new Map(fields(el)
    .filter(([field]) => field.value !== (field.options ? chosen(field) : field.defaultValue))
    .map(([field, name]) => [name, field.value]));
}
document.addEventListener("focusout", () => setTimeout(() => {
  for (const [el, html] of [...late]) replace(el, html);
}, 0));

// The end is that of the conversation: on a narrow screen more stands below.
function atEnd() {
  return $(".talk").getBoundingClientRect().bottom <= window.innerHeight + 160;
}
function toEnd() {
  $(".talk").scrollIntoView({ block: "end" });
}

// showItems puts what came at once into the page, which is measured once.
function showItems(list) {
  const follow = atEnd();
  for (const { id, html } of list) showItem(id, fragment(html));
  if (follow) toEnd();
}

function showItem(id, now) {
  const old = document.getElementById(id);
  if (!old) {
    $("#items").append(now);
    $("#nothing")?.remove();
    return;
  }
  const open = old.open;
  old.replaceWith(now);
  const el = document.getElementById(id);
  if (open !== undefined && el) el.open = open;
}

// stream follows a page; it says so when the line is broken.
function stream(url, events) {
  const link = $("#link");
  let last = "";
  let source;
  let watch;
  const alive = () => {
    clearTimeout(watch);
    link.textContent = "";
    watch = setTimeout(again, 45000);
  };
  const again = () => {
    source.close();
    link.textContent = "connection lost, trying again …";
    clearTimeout(watch);
    watch = setTimeout(connect, 500 + Math.random() * 4500);
  };
  const connect = () => {
    source = new EventSource(last ? `${url}&after=${last}` : url);
    source.onerror = again;
    source.addEventListener("ping", alive);
    for (const [name, take] of Object.entries(events)) {
      source.addEventListener(name, (e) => {
        alive();
        if (e.lastEventId) last = e.lastEventId;
        take(JSON.parse(e.data));
      });
    }
    watch = setTimeout(again, 10000);
  };
  connect();
}

function followSession(el) {
  const { session, from, after } = el.dataset;
  stream(`/sessions/${session}/live?from=${from}&start=${after}`, {
    items: showItems,
    parts: ({ title, parts }) => {
      document.title = `${title} · Blaise`;
      for (const [name, html] of Object.entries(parts)) {
        const part = $(`[data-part="${name}"]`);
        if (part) replace(part, html);
      }
    },
  });
  toEnd();
  watchEarlier();
}

function followList(el) {
  stream(el.dataset.list, {
    list: ({ html, waits }) => {
      replace(el, html);
      document.title = (waits ? `(${waits}) ` : "") + "Sessions · Blaise";
    },
  });
}

function fail(html) {
  $("#errors").replaceChildren(fragment(html));
  $("#errors").scrollIntoView({ block: "nearest" });
}

async function send(form, submitter) {
  const data = new FormData(form, submitter);
  const sent = new Map(all("textarea", form).map((field) => [field, field.value]));
  const buttons = all("button", form);
  buttons.forEach((b) => { b.disabled = true; });
  try {
    const answer = await fetch(form.action, { method: "POST", body: data, headers: { "Blaise-Fragment": "1" } });
    if (!answer.ok) {
      fail(await answer.text());
      return;
    }
    $("#errors").replaceChildren();
    const to = answer.headers.get("Blaise-Location");
    if (to && to !== location.pathname) {
      location.assign(to);
      return;
    }
    const written = [...sent].filter(([field, text]) => field.value !== text).map(([field]) => [field, field.value]);
    form.reset();
    for (const [field, text] of written) field.value = text; // meanwhile, and not sent yet
    const label = $("[data-files]", form);
    if (label) label.textContent = "Attach files";
    if (form.elements.key) form.elements.key.value = crypto.randomUUID();
    form.closest("details")?.removeAttribute("open");
    document.activeElement?.blur?.();
    if (form.id === "say") $("#text").focus();
  } catch {
    fail('<div class="failure" role="alert"><strong>Blaise does not answer.</strong><p>What to do: try again; what you wrote is still here.</p></div>');
  } finally {
    buttons.forEach((b) => { b.disabled = false; });
  }
}

// Files are dropped or pasted into the message, beside those that were chosen.
function attach(form, files) {
  const input = form.elements.files;
  const all = new DataTransfer();
  for (const f of [...input.files, ...files]) all.items.add(f);
  input.files = all.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}
function hasFiles(e) {
  return [...(e.dataTransfer?.types ?? [])].includes("Files");
}
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (e) => {
    const form = e.target.closest?.("#say");
    if (!form || !hasFiles(e)) return;
    e.preventDefault();
    form.classList.toggle("over-drop", kind === "dragover");
    if (kind === "drop") attach(form, e.dataTransfer.files);
  });
}
document.addEventListener("paste", (e) => {
  const form = e.target.closest?.("#say");
  if (form && e.clipboardData?.files.length) {
    e.preventDefault();
    attach(form, e.clipboardData.files);
  }
});

document.addEventListener("submit", (e) => {
  if (!e.target.matches("form[data-fetch]")) return;
  e.preventDefault();
  send(e.target, e.submitter);
});

document.addEventListener("change", (e) => {
  const label = e.target.parentElement?.querySelector("[data-files]");
  if (label) label.textContent = e.target.files.length ? `${e.target.files.length} attached` : "Attach files";
  if (e.target.matches("[data-submit]")) e.target.form.requestSubmit();
});

// Of the agents' inputs those of the chosen one are shown, and sent.
function showInputs() {
  const agent = $("[data-agents]")?.value;
  for (const set of all("[data-inputs]")) set.hidden = set.disabled = set.dataset.inputs !== agent;
}
addEventListener("pageshow", showInputs); // a browser that goes back has chosen again
document.addEventListener("change", (e) => { if (e.target.matches("[data-agents]")) showInputs(); });

document.addEventListener("keydown", (e) => {
  if (e.key === "Enter" && (e.ctrlKey || e.metaKey) && e.target.matches("textarea")) {
    e.preventDefault();
    e.target.form.requestSubmit();
  }
});

// Keys for those who do not reach for the mouse; none while something is
// written.
function step(by) {
  const rows = all(".row, .item").map((r) => $(":scope > summary", r) ?? r);
  if (!rows.length) return;
  const at = rows.indexOf(document.activeElement);
  const to = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(Math.max(at + by, 0), rows.length - 1)];
  if (!to.matches("a, summary")) to.tabIndex = -1;
  to.focus();
  to.scrollIntoView({ block: "nearest" });
}
const keys = {
  j: () => step(1),
  k: () => step(-1),
  "/": () => ($("input[type=search]") ?? $("#text"))?.focus(),
  m: () => $("#text")?.focus(),
  n: () => location.assign("/new"),
  s: () => location.assign("/"),
  "?": () => $("#keys").showModal(),
};
document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || !keys[e.key]) return;
  if (e.target.closest("input, textarea, select, dialog")) return;
  e.preventDefault();
  keys[e.key]();
});

// What came before is fetched when the reader comes near it. It goes into a part
// of its own, which the browser lays out only where it is to be seen.
async function readBack(more) {
  if (more.dataset.asked) return;
  more.dataset.asked = "yes";
  near.unobserve(more);
  const answer = await fetch(more.href, { headers: { "Blaise-Fragment": "1" } });
  const html = await answer.text();
  if (!answer.ok) {
    delete more.dataset.asked;
    fail(html);
    return;
  }
  const below = document.documentElement.scrollHeight - window.scrollY;
  const part = document.createElement("div");
  part.className = "part";
  part.append(fragment(html));
  const next = $(".earlier", part);
  next?.remove();
  $("#items").prepend(part);
  $("#earlier").replaceChildren(...(next ? [next] : []));
  window.scrollTo(0, document.documentElement.scrollHeight - below);
  watchEarlier();
}
const near = new IntersectionObserver((list) => {
  for (const { target, isIntersecting } of list) if (isIntersecting) readBack(target);
}, { rootMargin: "1500px 0px 0px" });
function watchEarlier() {
  const more = $("[data-earlier]");
  if (more) near.observe(more);
}
document.addEventListener("click", (e) => {
  const more = e.target.closest("[data-earlier]");
  if (!more) return;
  e.preventDefault();
  readBack(more);
});

dress(document);
setInterval(() => dress(document.body), 10000);
const doing = $("#activity");
if (doing) setInterval(() => dress(doing), 1000);
const session = $("[data-session]");
if (session) followSession(session);
const list = $("[data-list]");
if (list) followList(list);
