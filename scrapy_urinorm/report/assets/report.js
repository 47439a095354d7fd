"use strict";
// Every text from the data reaches the page as a text node; no markup is ever made of it.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  // what stands there is for readers without script
  for (const box of document.querySelectorAll("main div[id$='-box']")) box.replaceChildren();
  const PAGE = 25;
  const PROPOSALS = 8;
  const number = new Intl.NumberFormat("en");
  const OUTCOMES = [["pages", "new pages", "--new"], ["duplicates", "duplicates", "--duplicate"],
    ["redirects", "redirects", "--redirect"], ["errors", "errors", "--error"]];

  function el(name, attributes, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (key === "onclick") node.addEventListener("click", value);
      else node.setAttribute(key, value === true ? "" : value);
    }
    for (const child of children.flat(4)) {
      if (child === null || child === undefined) continue;
      node.append(child instanceof Node ? child : String(child));
    }
    return node;
  }

  const figure = (value) => (typeof value === "number" ? number.format(value) : value ?? "");
  const percent = (value) => (value === null || value === undefined ? "" : `${+(100 * value).toFixed(value < 0.1 ? 1 : 0)} %`);
  const share = (part, whole) => (whole ? part / whole : 0);
  function octets(count) {
    let unit = 0;
    while (count >= 1000 && unit < 4) { count /= 1000; unit += 1; }
    return `${unit && count < 100 ? count.toFixed(1) : Math.round(count)} ${["B", "kB", "MB", "GB", "TB"][unit]}`;
  }

  function say(text) { $("said").textContent = text; }

  // ------------------------------------------------------------------ addresses

  function url(text, marked) {
    const shown = el("bdi", { class: "url" }, marked || text);
    if (!/^https?:\/\/[!-~]+$/.test(text) || text.includes("\\u")) return shown;
    return [shown, " ", el("a", { href: text, target: "_blank", rel: "noreferrer noopener", "aria-label": "open" }, "↗")];
  }

  function pieces(text) { return text.match(/[?&;][^?&;=]*=?|[^?&;=/]+|[/=]/g) || []; }

  function marks(text, other) {
    const mine = pieces(text), theirs = pieces(other);
    let start = 0;
    while (start < mine.length && start < theirs.length && mine[start] === theirs[start]) start += 1;
    let end = 0;
    while (end < mine.length - start && end < theirs.length - start
      && mine[mine.length - 1 - end] === theirs[theirs.length - 1 - end]) end += 1;
    const middle = mine.slice(start, mine.length - end).join("");
    return [mine.slice(0, start).join(""), middle ? el("mark", {}, middle) : null, mine.slice(mine.length - end).join("")];
  }

  function pair(a, b, verdict, tone) {
    return el("div", { class: "pair" },
      el("div", {}, url(a, marks(a, b))), el("div", {}, url(b, marks(b, a))),
      verdict ? el("div", { class: `verdict ${tone || ""}` }, verdict) : null);
  }

  // `words` in backticks, as the learner writes them
  const said = (text) => text.split(/`([^`]*)`/).map((part, n) => (n % 2 ? el("code", {}, el("bdi", {}, part)) : part));
  const many = (count, one, more) => `${figure(count)} ${count === 1 ? one : more || `${one}s`}`;
  const alike = (value) => (value === null || value === undefined ? "" : `, ${percent(value)} alike`);

  // ------------------------------------------------------------------ tables

  function table(box, name, rows, columns, order, detail) {
    if (!rows.length) { box.append(el("p", { class: "empty" }, "Nothing found.")); return; }
    const id = box.id.replace("-box", "");
    const state = { key: order || columns[0].key, down: true, text: "", shown: PAGE };
    const body = el("tbody");
    const search = el("input", { type: "search", id: `${id}-search`, placeholder: "Search", "aria-label": `Search ${name}`,
      autocomplete: "off", spellcheck: "false" });
    const count = el("span", { class: "count", role: "status" });
    const more = el("button", { type: "button", class: "more", onclick: () => { state.shown += 4 * PAGE; draw(); } }, "Show more");
    const heads = columns.map((column) => {
      const label = column.label;
      const head = el("th", { scope: "col", class: column.num ? "num" : null });
      head.append(column.key ? el("button", { type: "button", onclick: () => sort(column) }, label) : label);
      return head;
    });
    const texts = rows.map((row) => JSON.stringify(row).toLowerCase());
    let order_ = rows.map((_, n) => n);

    function value(row, column) { return column.sort ? column.sort(row) : row[column.key]; }
    function sort(column) {
      state.down = state.key === column.key ? !state.down : Boolean(column.num);
      state.key = column.key;
      arrange();
      draw();
      say(`${name} sorted by ${column.label}, ${state.down ? "descending" : "ascending"}`);
    }
    function arrange() {
      const column = columns.find((one) => one.key === state.key);
      if (!column) return;
      order_.sort((a, b) => {
        const x = value(rows[a], column) ?? -1, y = value(rows[b], column) ?? -1;
        const found = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
        return (state.down ? -found : found) || a - b;
      });
    }
    function draw() {
      const wanted = state.text.toLowerCase().split(/\s+/).filter(Boolean).map((word) => JSON.stringify(word).slice(1, -1));
      const found = order_.filter((n) => wanted.every((word) => texts[n].includes(word)));
      body.replaceChildren(...found.slice(0, state.shown).flatMap((n) => {
        const below = detail ? detail(rows[n]) : null;
        const row = el("tr", { class: below ? "split" : null }, columns.map((column) =>
          el("td", { class: [column.num ? "num" : "", column.wide ? "wide" : ""].join(" ").trim() || null },
            column.show ? column.show(rows[n]) : figure(rows[n][column.key]))));
        return below ? [row, el("tr", {}, el("td", { colspan: columns.length }, below))] : [row];
      }));
      heads.forEach((head, n) => {
        if (columns[n].key === state.key) head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
        else head.removeAttribute("aria-sort");
      });
      count.textContent = found.length === rows.length ? many(rows.length, "row") : `${figure(found.length)} of ${many(rows.length, "row")}`;
      more.hidden = found.length <= state.shown;
    }
    search.addEventListener("input", () => { state.text = search.value; state.shown = PAGE; draw(); });
    search.addEventListener("keydown", (event) => { if (event.key === "Escape") { search.value = ""; state.text = ""; draw(); } });
    const csv = el("button", { type: "button", class: "csv", onclick: () => save(`${id}.csv`, columns, order_.map((n) => rows[n])) }, "CSV");
    csv.setAttribute("aria-label", `Save ${name} as CSV`);
    box.append(el("div", { class: "tools" }, search, count, csv),
      el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `${name}, table` },
        el("table", { id: `${id}-table` }, el("caption", { class: "sr" }, name), el("thead", {}, el("tr", {}, heads)), body)), more);
    if (order === null) state.key = null;
    arrange();
    draw();
  }

  function save(name, columns, rows) {
    // a text that begins like a formula would be one in a spreadsheet
    const cell = (value) => {
      const text = Array.isArray(value) ? value.map((one) => one.url ?? one).join(" ") : String(value ?? "");
      return `"${(/^[=+\-@\t\r]/.test(text) && typeof value !== "number" ? `'${text}` : text).replaceAll('"', '""')}"`;
    };
    const lines = [columns.map((column) => cell(column.label)), ...rows.map((row) => columns.map((column) =>
      cell(column.csv ? column.csv(row) : row[column.key] ?? (column.sort ? column.sort(row) : ""))))];
    const link = el("a", { href: URL.createObjectURL(new Blob([lines.map((line) => `${line.join()}\r\n`).join("")], { type: "text/csv" })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    say(`Saved ${name}`);
  }

  // ------------------------------------------------------------------ charts

  const charts = [];
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function bars(box, label, labels, series, options) {
    const canvas = el("canvas", { role: "img", "aria-label": label, tabindex: "-1" });
    const holder = el("div", { class: "chart" }, canvas);
    box.append(holder);
    if (options.horizontal) holder.style.height = `${Math.max(7, 2 * labels.length + 4)}rem`;
    const chart = new Chart(canvas, {
      type: "bar",
      data: { labels, datasets: series.map(([name, values, paint]) => ({ label: name, data: values, backgroundColor: () => colour(paint), borderWidth: 0, barPercentage: options.horizontal ? 0.8 : 1, categoryPercentage: options.horizontal ? 0.9 : 0.96 })) },
      options: {
        animation: false, maintainAspectRatio: false, responsive: true,
        indexAxis: options.horizontal ? "y" : "x",
        interaction: { mode: "index", intersect: false, axis: options.horizontal ? "y" : "x" },
        plugins: { colors: { enabled: false }, legend: { position: "bottom", labels: { boxWidth: 14, boxHeight: 14 } },
          tooltip: { callbacks: { title: (items) => items[0]?.label ?? "" } } },
        scales: { x: { stacked: true, title: { display: Boolean(options.x), text: options.x }, ticks: { maxRotation: 0, autoSkipPadding: 14, precision: 0 } },
          y: { stacked: true, title: { display: Boolean(options.y), text: options.y }, ticks: { precision: 0 } } },
      },
    });
    chart.paint = () => {
      chart.options.color = colour("--text");
      for (const axis of Object.values(chart.options.scales)) {
        axis.ticks = { ...axis.ticks, color: colour("--soft") };
        axis.grid = { color: colour("--line") };
        if (axis.title) axis.title.color = colour("--soft");
      }
      if (options.horizontal) chart.options.scales.y.ticks.callback = (_, n) => cut(labels[n]);
      chart.update("none");
    };
    chart.paint();
    charts.push(chart);
    return chart;
  }

  const cut = (text) => (text.length > 42 ? `${text.slice(0, 24)}…${text.slice(-16)}` : text);

  function drop(box) {
    for (const chart of charts.filter((one) => box.contains(one.canvas))) {
      charts.splice(charts.indexOf(chart), 1);
      chart.destroy();
    }
    box.replaceChildren();
  }

  function curve() {
    const box = $("curve-box");
    const kinds = [["by_requests", "By requests"], ["by_minutes", "By time"]].filter(([name]) => data[name] && data[name].rows.length);
    if (!kinds.length) { box.append(el("p", { class: "empty" }, "Nothing to draw.")); return; }
    const holder = el("div", { class: "box" });
    const buttons = kinds.map(([name, label]) => el("button", { type: "button", "aria-pressed": "false", onclick: () => draw(name) }, label));
    const show = el("details", {}, el("summary", {}, "The same as a table"));
    function draw(name) {
      kinds.forEach(([kind], n) => buttons[n].setAttribute("aria-pressed", String(kind === name)));
      drop(holder);
      const { step, rows, start } = data[name];
      const labels = rows.map((_, n) => (name === "by_requests" ? figure(n * step) : clock(start + 60 * step * n, rows.length * step)));
      const x = name === "by_requests" ? `requests, ${figure(step)} a bar` : `time (UTC), ${step === 1 ? "a minute" : `${figure(step)} minutes`} a bar`;
      bars(holder, "New pages, duplicates, redirects and errors over the crawl", labels,
        OUTCOMES.map(([, label, colour], n) => [label, rows.map((row) => row[n]), colour]), { x, y: "responses" });
      show.replaceChildren(el("summary", {}, "The same as a table"), el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Over the crawl, table" },
        el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, x), OUTCOMES.map(([, label]) => el("th", { scope: "col", class: "num" }, label)))),
          el("tbody", {}, rows.map((row, n) => el("tr", {}, el("td", {}, labels[n]), row.map((value) => el("td", { class: "num" }, figure(value)))))))));
    }
    if (kinds.length > 1) box.append(el("div", { class: "tools" }, ...buttons));
    box.append(holder, show);
    draw(kinds[0][0]);
  }

  function clock(seconds, minutes) {
    const text = new Date(1000 * seconds).toISOString();
    return minutes > 2880 ? text.slice(5, 16).replace("T", " ") : text.slice(11, 16);
  }

  // ------------------------------------------------------------------ where

  function where() {
    const box = $("where-box");
    const counts = [["requests", "requests"], ["pages", "new pages"], ["duplicates", "duplicates"], ["redirects", "redirects"],
      ["errors", "errors"], ["avoidable", "rules avoid"], ["left_over", "still wasted"]].map(([key, label]) => ({ key, label, num: true }));
    const wasted = { key: "wasted_bytes", label: "wasted", num: true, show: (row) => octets(row.wasted_bytes) };
    const outcomes = (rows) => OUTCOMES.map(([key, label, colour]) => [label, rows.map((row) => row[key]), colour]);
    const avoided = data.crawl && Object.keys(data.crawl.rules).length
      ? Object.entries(data.crawl.rules).map(([rule, avoided]) => ({ rule, avoided })).sort((a, b) => b.avoided - a.avoided)
      : data.rules;
    const tabs = [
      { id: "hosts", label: "By host", rows: data.hosts, name: (row) => row.host, series: outcomes,
        columns: [{ key: "host", label: "host", show: (row) => url(row.host) }, ...counts, wasted] },
      { id: "patterns", label: "By path", rows: data.patterns, name: (row) => (data.hosts.length > 1 ? row.host : "") + row.pattern, series: outcomes,
        columns: [{ key: "host", label: "host", show: (row) => url(row.host) }, { key: "pattern", label: "path", show: (row) => url(row.pattern) }, ...counts, wasted] },
      { id: "names", label: "By parameter", rows: data.parameters, name: (row) => row.name,
        series: (rows) => [["contents", rows.map((row) => row.contents), "--new"], ["repeats", rows.map((row) => Math.max(0, row.told - row.contents)), "--duplicate"]],
        note: "The table of parameters stands further down." },
      { id: "acts", label: "By rule", rows: [...avoided].sort((a, b) => b.avoided - a.avoided), name: (row) => row.rule + (row.name ? ` ${row.name}` : ""),
        series: (rows) => [["requests avoided", rows.map((row) => row.avoided), "--new"]],
        note: "The rules stand further down, with examples." },
    ];
    const list = el("div", { role: "tablist", "aria-label": "Where" });
    const panels = tabs.map((tab) => el("div", { role: "tabpanel", id: `${tab.id}-panel`, "aria-labelledby": `${tab.id}-tab`, class: "box", hidden: true }));
    const buttons = tabs.map((tab, n) => el("button", { type: "button", role: "tab", id: `${tab.id}-tab`, "aria-controls": `${tab.id}-panel`, onclick: () => open(n) }, tab.label));
    list.append(...buttons);
    list.addEventListener("keydown", (event) => {
      const now = buttons.indexOf(document.activeElement);
      const next = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: tabs.length - 1 }[event.key];
      if (next === undefined || now < 0) return;
      event.preventDefault();
      open((next + tabs.length) % tabs.length);
      buttons[(next + tabs.length) % tabs.length].focus();
    });
    function open(n) {
      buttons.forEach((button, m) => { button.setAttribute("aria-selected", String(m === n)); button.tabIndex = m === n ? 0 : -1; });
      panels.forEach((panel, m) => { panel.hidden = m !== n; });
      const tab = tabs[n], panel = panels[n];
      if (panel.childElementCount) return;
      const rows = tab.rows.slice(0, 12);
      if (!rows.length) { panel.append(el("p", { class: "empty" }, "Nothing found.")); return; }
      bars(panel, `${tab.label}: the largest`, rows.map(tab.name), tab.series(rows), { horizontal: true });
      if (tab.columns) {
        const inner = el("div", { id: `${tab.id}-box` });
        panel.append(inner);
        table(inner, tab.label, tab.rows, tab.columns, "requests");
      } else panel.append(el("p", { class: "hint" }, tab.note));
    }
    box.append(list, ...panels);
    open(0);
  }

  // ------------------------------------------------------------------ rules

  function suspicious() {
    const box = $("suspicious-box");
    table(box, "Suspicious merges", data.suspicious, [
      { key: "key", label: "one key, different pages", wide: true, show: (row) => [
        url(row.key), row.unsteady ? el("div", { class: "note" }, "Some of these pages also change from one visit to the next.") : null] },
      { key: "rules", label: "by", show: (row) => row.rules.map((rule) => el("div", {}, el("bdi", {}, rule))) },
      { key: "urls", label: "addresses", num: true },
      { key: "requests", label: "requests", num: true },
      { key: "lost", label: "pages lost", num: true },
      { key: "least", label: "least alike", num: true, show: (row) => percent(row.least) },
    ], null, (row) => el("details", { open: row === data.suspicious[0] },
      el("summary", {}, `Compare ${row.members.length} of ${many(row.urls, "address", "addresses")}`),
      row.members.slice(1).map((member) => pair(row.members[0].url, member.url, `${member.outcome}${alike(member.alike)}`, member.outcome))));
  }

  function rules() {
    table($("rules-box"), "Rules", data.rules, [
      { key: "rule", label: "rule", wide: true, show: (row) => [
        el("b", {}, row.rule), row.name ? [" ", el("bdi", { class: "url" }, row.name)] : null,
        el("div", { class: "note" }, row.scope, row.source ? ` (${row.source})` : "")] },
      { key: "changed", label: "changed", num: true },
      { key: "avoided", label: "avoids", num: true },
      { key: "agrees", label: "agree", num: true },
      { key: "differs", label: "differ", num: true, show: (row) => el("span", { class: row.differs ? "differs" : null }, figure(row.differs)) },
      { key: "undecided", label: "unsure", num: true },
      { key: "risk", label: "risk", num: true, show: (row) => (row.risk === null ? "–" : percent(row.risk)) },
    ], null, examples);
  }

  function examples(row) {
    const found = ["differs", "agrees", "undecided"].flatMap((kind) => row.examples[kind].map((one) => [kind, one]));
    if (!found.length) return null;
    return el("details", {}, el("summary", {}, many(found.length, "example")),
      found.map(([kind, one]) => pair(one.a, one.b, kind + alike(one.alike), kind)));
  }

  function copier(text, label) {
    const button = el("button", { type: "button", class: "copy", onclick: async () => {
      const done = await copy(text);
      button.textContent = done ? "Copied" : "Press Ctrl+C";
      say(done ? "Copied" : "Could not copy");
      setTimeout(() => { button.textContent = label; }, 2000);
    } }, label);
    return button;
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = el("textarea", { class: "sr", "aria-hidden": "true" });
      area.value = text;
      const focused = document.activeElement;
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      focused?.focus();
      return done;
    }
  }

  function proposals() {
    const box = $("proposals-box");
    const found = data.proposals;
    if (!found) { box.append(el("p", { class: "empty" }, "Not asked for.")); return; }
    if (!found.rules.length) { box.append(el("p", { class: "empty" }, "The learner found nothing that the rules do not do already.")); return; }
    if (found.toml) {
      box.append(el("div", { class: "tools" }, copier(found.toml, "Copy all safe rules"),
        el("span", { class: "count" }, many(found.rules.filter((rule) => rule.active).length, "rule"))));
    }
    const sheet = el("div", { class: "sheet" });
    const more = el("button", { type: "button", class: "more", onclick: () => draw(found.rules.length) }, "Show all");
    function draw(count) {
      sheet.append(...found.rules.slice(sheet.childElementCount, count).map(proposal));
      more.hidden = found.rules.length <= count;
    }
    box.append(sheet, more);
    draw(PROPOSALS);
  }

  function proposal(rule) {
    const about = [`${figure(rule.saved)} fewer requests`, `${figure(rule.agrees)} agree`, `${figure(rule.differs)} differ`];
    if (rule.risk !== null) about.push(`risk ${percent(rule.risk)}`);
    return el("article", { class: "proposal-row" },
      el("div", {},
        el("div", { class: "row" }, el("h3", {}, el("bdi", {}, rule.site), ": ", rule.rule),
          el("span", { class: rule.active ? "tag proposal" : "tag look" }, rule.active ? "safe by evidence" : "look first")),
        el("p", {}, said(rule.why)), el("p", {}, about.join(" · "))),
      el("div", { class: "rule-text" }, el("pre", { tabindex: "0" }, rule.toml), copier(rule.toml, "Copy")),
      rule.examples.length + rule.counterexamples.length ? el("details", {}, el("summary", {}, "Examples"),
        rule.examples.map(([a, b]) => pair(a, b, "agrees", "agrees")), rule.counterexamples.map(([a, b]) => pair(a, b, "differs", "differs"))) : null);
  }

  // ------------------------------------------------------------------ the rest

  function groups() {
    table($("groups-box"), "Pages with most addresses", data.groups, [
      { key: "members", label: "addresses of one page", wide: true, sort: (row) => row.members[0], show: (row) => [url(row.members[0]),
        el("details", {}, el("summary", {}, `${row.members.length} of ${many(row.urls, "address", "addresses")}`),
          el("ul", { class: "list" }, row.members.map((one) => el("li", {}, url(one, marks(one, row.members[0]))))))] },
      { key: "differ", label: "differ in", show: (row) => row.differ.map((name) => [el("bdi", { class: "url name" }, name), " "]), sort: (row) => row.differ.join() },
      { key: "urls", label: "addresses", num: true },
      { key: "requests", label: "requests", num: true },
      { key: "left", label: "left", num: true },
      { key: "bytes", label: "bytes", num: true, show: (row) => octets(row.bytes) },
    ], "requests");
  }

  function parameters() {
    table($("parameters-box"), "Parameters", data.parameters, [
      { key: "name", label: "parameter", show: (row) => [el("b", {}, el("bdi", { class: row.name.length > 24 ? "url" : "url name" }, row.name)), el("div", { class: "note" }, row.site)] },
      { key: "verdict", label: "verdict", show: (row) => [el("span", { class: `tag ${row.verdict.split(" ")[0]}` }, row.verdict), row.share === null ? null : el("div", { class: "note" }, percent(row.share)), row.rule ? el("div", { class: "note" }, `proposal: ${row.rule}`) : null] },
      { key: "requests", label: "requests", num: true },
      { key: "values", label: "values", num: true },
      { key: "contents", label: "contents", num: true },
      { key: "distinct", label: "distinct", num: true, sort: (row) => share(row.contents, row.told), show: (row) => (row.told ? percent(Math.min(1, share(row.contents, row.told))) : "") },
      { key: "compared", label: "same pages", num: true, show: (row) => (row.compared ? `${figure(row.same)} of ${figure(row.compared)}` : "–") },
      { key: "dropped", label: "rules drop", num: true },
      { key: "example", label: "example", wide: true, show: (row) => url(row.example) },
    ], "requests", (row) => (row.pair ? el("details", {}, el("summary", {}, "Two pages that differ"), pair(row.pair[0], row.pair[1])) : null));
  }

  function traps() {
    const kinds = new Map(data.traps.map((row) => [row.kind, row.advice]));
    if (kinds.size) {
      $("traps-box").append(el("dl", { class: "verdicts" }, [...kinds].map(([kind, advice]) =>
        el("div", {}, el("dt", {}, el("span", { class: "tag look" }, kind)), el("dd", {}, said(advice))))));
    }
    table($("traps-box"), "Crawl traps", data.traps, [
      { key: "kind", label: "sign", show: (row) => el("span", { class: "tag look" }, row.kind) },
      { key: "host", label: "where", wide: true, show: (row) => [url(row.host), row.detail ? el("div", { class: "note" }, el("bdi", {}, row.detail)) : null, el("ul", { class: "list" }, row.examples.map((one) => el("li", {}, url(one))))] },
      { key: "requests", label: "requests", num: true },
      { key: "pages", label: "new pages", num: true },
      { key: "duplicates", label: "duplicates", num: true },
      { key: "avoidable", label: "rules avoid", num: true },
    ], "requests", (row) => (row.toml ? el("div", { class: "rule-text" }, el("pre", { tabindex: "0" }, row.toml), copier(row.toml, "Copy")) : null));
  }

  // ------------------------------------------------------------------ themes

  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const stored = () => { try { return localStorage.getItem("urinorm-theme"); } catch { return null; } };
  function paint(theme) {
    root.dataset.theme = theme;
    $("theme").textContent = theme === "dark" ? "Light" : "Dark";
    $("theme").setAttribute("aria-label", theme === "dark" ? "Light theme" : "Dark theme");
    $("theme").hidden = false;
    for (const chart of charts) chart.paint();
  }
  paint(stored() || (dark.matches ? "dark" : "light"));
  dark.addEventListener("change", () => { if (!stored()) paint(dark.matches ? "dark" : "light"); });
  $("theme").addEventListener("click", () => {
    const theme = root.dataset.theme === "dark" ? "light" : "dark";
    try { localStorage.setItem("urinorm-theme", theme); } catch { /* a page from disk may have no storage */ }
    paint(theme);
  });
  document.addEventListener("keydown", (event) => {
    // as on many sites: / goes to the search of the table in view
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) return;
    const searches = [...document.querySelectorAll("input[type=search]")].filter((one) => one.offsetParent);
    const near = searches.find((one) => one.getBoundingClientRect().top > 60) || searches.at(-1);
    if (near) { event.preventDefault(); near.focus(); }
  });

  // paper has no theme, no scrolling and nothing to click
  let opened = [];
  addEventListener("beforeprint", () => {
    root.dataset.screen = root.dataset.theme;
    paint("light");
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const one of opened) one.open = true;
    for (const chart of charts) chart.resize(Math.min(chart.width, 640), chart.height);
  });
  addEventListener("afterprint", () => {
    for (const one of opened) one.open = false;
    for (const chart of charts) chart.resize();
    paint(root.dataset.screen);
  });

  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  traps();
  curve();
  where();
  suspicious();
  rules();
  proposals();
  groups();
  parameters();
  root.dataset.ready = "true";
})();
