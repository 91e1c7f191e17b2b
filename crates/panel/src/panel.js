// What the panel does beyond plain pages and forms: the theme, news of changes, and keys. Everything works without it.
"use strict";
(() => {
  const root = document.documentElement;
  const kept = (() => { try { return localStorage; } catch { return null; } })();
  const theme = kept && kept.getItem("apostille-theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;

  const is_dark = () => root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;

  const offer_theme = () => {
    const button = document.querySelector("button.theme");
    if (!button) return;
    const tell = () => button.setAttribute("aria-pressed", String(is_dark()));
    button.hidden = false;
    tell();
    button.addEventListener("click", () => {
      root.dataset.theme = is_dark() ? "light" : "dark";
      if (kept) kept.setItem("apostille-theme", root.dataset.theme);
      tell();
    });
  };

  // Whoever writes is not interrupted, and nothing that was typed is lost: the page only says that there is news.
  const listen = () => {
    const path = document.body.dataset.live;
    if (!path || !window.EventSource) return;
    const live = new EventSource(path);
    live.addEventListener("change", () => {
      if (document.getElementById("news")) return;
      const news = document.createElement("p");
      news.id = "news";
      news.setAttribute("role", "status");
      const link = document.createElement("a");
      link.href = location.href;
      link.textContent = "Reload";
      news.append("Memories changed since this page was made. ", link);
      document.body.append(news);
    });
    const tell = (words) => {
      const line = document.getElementById("gone") || document.createElement("p");
      line.id = "gone";
      line.setAttribute("role", "alert");
      line.textContent = words;
      document.body.append(line);
    };
    const untell = () => { const line = document.getElementById("gone"); if (line) line.remove(); };
    live.addEventListener("open", untell);
    // The browser goes on trying while there is hope; whether there is a server, and whether it still knows us, is asked once.
    live.addEventListener("error", () => {
      if (document.getElementById("gone") && live.readyState !== EventSource.CLOSED) return;
      fetch(location.href, { method: "HEAD", cache: "no-store" }).then(
        (reply) => { if (reply.status === 401) tell("Your session has ended; what you type here is not kept."); else untell(); },
        () => tell("The server is gone; what you type here is not kept."),
      );
    });
    addEventListener("pagehide", () => live.close());
  };

  // Whoever wonders when that was is told in the time of their own clock.
  const tell_times = () => document.querySelectorAll("time[datetime*=T]").forEach((it) => {
    const at = new Date(it.dateTime);
    if (!Number.isNaN(at.getTime())) it.title = at.toLocaleString();
  });

  // A menu closes when somebody goes elsewhere.
  const close_menus = () => {
    const menu = document.querySelector("details.whose");
    if (!menu) return;
    addEventListener("click", (event) => { if (!menu.contains(event.target)) menu.open = false; });
    addEventListener("keydown", (event) => { if (event.key === "Escape") menu.open = false; });
  };

  // Whoever has the cursor in a field types, and means no key by it.
  const is_field = (it) => Boolean(it && it.closest && it.closest("input, textarea, select, [contenteditable], dialog"));
  const is_typing = (event) => event.altKey || event.ctrlKey || event.metaKey || event.isComposing
    || is_field(event.target) || is_field(document.activeElement);

  const keys = () => {
    const waiting = [...document.querySelectorAll(".waiting")];
    let at = -1;
    // What is taller than the window is read from its beginning.
    const show = (it) => it.scrollIntoView({ block: it.offsetHeight > innerHeight - 200 ? "start" : "nearest" });
    const go = (to, focus = true) => {
      if (!waiting.length) return;
      at = Math.max(0, Math.min(waiting.length - 1, to));
      waiting.forEach((it, n) => it.classList.toggle("here", n === at));
      if (focus) { waiting[at].focus({ preventScroll: true }); show(waiting[at]); }
    };
    const said = /^#w-(\d+)$/.exec(location.hash);
    if (waiting.length) go(said ? said[1] - 1 : 0, Boolean(said));
    const hint = document.getElementById("has-keys");
    if (hint) hint.hidden = false;
    waiting.forEach((it, n) => it.addEventListener("focusin", () => { if (n !== at) go(n, false); }));
    const press = (key) => {
      const control = at >= 0 && waiting[at].querySelector(`[data-key="${key}"]`);
      if (!control) return;
      if (control.tagName === "DETAILS") {
        control.open = true;
        const first = control.querySelector("textarea, input:not([type=hidden]), button");
        if (first) first.focus();
      } else if (control.tagName === "INPUT") control.focus();
      else control.click();
    };
    const help = document.getElementById("keys");
    addEventListener("keydown", (event) => {
      if (event.key === "Escape" && at >= 0 && waiting[at].contains(event.target)) { waiting[at].focus(); return; }
      if (is_typing(event)) return;
      const search = document.querySelector("input[type=search]");
      switch (event.key) {
        case "?": if (help && help.showModal) help.showModal(); break;
        case "/": if (search) search.focus(); break;
        case "j": case "ArrowDown": if (waiting.length) go(at + 1); else return; break;
        case "k": case "ArrowUp": if (waiting.length) go(at - 1); else return; break;
        case "a": case "e": case "m": case "r": if (at >= 0) press(event.key); else return; break;
        case "u": { const undo = document.querySelector('[data-key="u"]'); if (undo) undo.click(); else return; break; }
        default: return;
      }
      event.preventDefault();
    });
  };

  const begin = () => { offer_theme(); tell_times(); listen(); close_menus(); keys(); };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin); else begin();
})();
