// The page of a frontier: sliders choose a request and a budget, and two requests can be laid side by side.
(() => {
  const decide = document.querySelector(".decide");
  if (!decide) return;
  const requests = [...document.querySelectorAll("details.request")];
  const numbers = (text) => (text === undefined ? null : text === "" ? [] : text.split(",").map(Number));
  const rows = requests.map((node) => ({
    node,
    places: { k: +node.dataset.k, a: +node.dataset.a, b: +node.dataset.b, s: +node.dataset.s },
    price: node.dataset.price === undefined ? Infinity : +node.dataset.price,
    beta: numbers(node.dataset.beta),
    alpha: numbers(node.dataset.alpha),
    most: numbers(node.dataset.most),
    title: node.querySelector("summary .asked").textContent,
    badge: node.querySelector("summary .badge"),
  }));
  const labels = {};
  for (const name of ["k", "a", "b", "s"]) labels[name] = decide.dataset[name].split("\n");
  const said = { k: "Clusters", a: "Share that counts", b: "Clusters promised", s: "Largest share" };
  const place = (row) => row.places;
  const rowAt = (p) => rows.findIndex((row) => ["k", "a", "b", "s"].every((name) => place(row)[name] === p[name]));
  const percent = (x) => `${Number((100 * x).toPrecision(3))}%`;

  // What promises at least as much, with as many clusters.
  const asStrict = (one, other) =>
    one.beta !== null && other.beta !== null && one.places.k === other.places.k &&
    one.beta.every((n, g) => n >= other.beta[g] && (other.beta[g] === 0 || one.alpha[g] >= other.alpha[g]) &&
      one.most[g] <= other.most[g]);
  const bestWithin = (budget) => {
    const some = rows.map((row, i) => i).filter((i) => rows[i].price <= budget);
    const betters = (i, j) => asStrict(rows[i], rows[j]) && (i < j || !asStrict(rows[j], rows[i]));
    return some.filter((j) => !some.some((i) => i !== j && betters(i, j)));
  };

  const make = (name, attributes = {}, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };

  // Budgets to choose from: round ones, up to the dearest request.
  const within = document.querySelector(".within");
  const asked = Number(within.dataset.budget);
  const dearest = Math.max(0, ...rows.map((row) => row.price).filter(Number.isFinite));
  const round = [0, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 2, 5, 10, 100, 1000];
  const budgets = [...new Set([...round.filter((b, i) => i === 0 || round[i - 1] < Math.max(dearest, asked)), asked])];
  budgets.sort((a, b) => a - b);

  const state = { row: 0, second: null, budget: asked };
  const controls = make("div", { class: "controls", role: "group", "aria-label": "Choose a request" });
  const sliders = {};
  const slider = (name, text, values, change) => {
    const input = make("input", { type: "range", min: 0, max: values.length - 1, step: 1, "aria-label": text });
    const output = make("span", { class: "value", "aria-hidden": "true" });
    input.addEventListener("input", () => change(+input.value));
    controls.append(make("label", { class: "control" }, make("span", {}, text), output, input));
    sliders[name] = (at) => {
      input.value = at;
      input.setAttribute("aria-valuetext", values[at]);
      output.textContent = values[at];
    };
  };
  for (const name of ["k", "a", "b", "s"]) {
    if (labels[name].length < 2) continue;
    slider(name, said[name], labels[name], (at) => choose(rowAt({ ...rows[state.row].places, [name]: at })));
  }
  slider("budget", "Budget: more than k-means", budgets.map(percent), (at) => {
    state.budget = budgets[at];
    show();
  });

  const pair = make("div", { class: "chosen-pair", "aria-live": "polite" });
  const card = (i, second) => {
    const row = rows[i];
    const title = make("h3", {}, make("span", {}, `Request ${i}`), row.badge.cloneNode(true), make("span", { class: "asked" }, row.title));
    const buttons = make("div", { class: "buttons" });
    const button = (text, act) => {
      const node = make("button", { type: "button" }, text);
      node.addEventListener("click", act);
      buttons.append(node);
    };
    const alone = () => { state.second = null; show(); };
    if (second) button("Put away", alone);
    else if (state.second === null) button("Compare with another", () => { state.second = state.row; show(); });
    else if (state.second === state.row) {
      buttons.append(make("span", { class: "asks" }, "Choose another request in the map"));
      button("Cancel", alone);
    } else button("Swap", () => { [state.row, state.second] = [state.second, state.row]; show(); });
    buttons.append(make("a", { href: `#r${i}`, class: "link" }, "Link to this"));
    if (!second) button("Print this", () => {
      document.body.classList.add("one");
      window.print();
    });
    const body = row.node.querySelector(".body").cloneNode(true);
    // Names of regions are said once on a page.
    for (const node of body.querySelectorAll("[aria-label]")) {
      if (node.getAttribute("role") === "region") node.setAttribute("aria-label", `${node.getAttribute("aria-label")}, chosen`);
    }
    for (const old of body.querySelectorAll("label.filter")) old.remove();
    for (const sort of body.querySelectorAll("button.sort")) sort.replaceWith(...sort.childNodes);
    return make("article", { class: second ? "card second" : "card", "aria-label": `${second ? "Compared" : "Chosen"} request ${i}` }, title, buttons, body);
  };
  window.addEventListener("afterprint", () => document.body.classList.remove("one"));

  const panels = [...decide.querySelectorAll(".panel")];
  decide.prepend(controls);
  decide.append(pair);

  const writeBest = (best) => {
    const list = best.slice(0, 6).map((i) => {
      const link = make("a", { href: `#r${i}`, "data-row": i }, rows[i].title);
      return make("li", {}, link, " ", make("strong", {}, rows[i].badge.textContent));
    });
    const head = list.length
      ? `For ${percent(state.budget)} more than plain k-means, nothing betters these promises:`
      : `Nothing that ${within.dataset.open ? "has an answer" : "was asked for"} can be promised for ${percent(state.budget)} more than plain k-means.`;
    within.replaceChildren(make("p", { class: "head" }, head));
    if (list.length) within.append(make("ul", {}, ...list));
    if (best.length > 6) within.append(make("p", { class: "more" }, `And ${best.length - 6} more, marked ✓ below.`));
    if (within.dataset.open) within.append(make("p", { class: "more" }, within.dataset.open));
  };

  let shownBudget = state.budget;
  const show = () => {
    const { places } = rows[state.row];
    for (const name of ["k", "a", "b", "s"]) if (sliders[name]) sliders[name](places[name]);
    sliders.budget(budgets.indexOf(state.budget));
    for (const panel of panels) panel.hidden = +panel.dataset.k !== places.k || +panel.dataset.s !== places.s;
    const best = bestWithin(state.budget);
    if (shownBudget !== state.budget) writeBest(best);
    shownBudget = state.budget;
    for (const cell of decide.querySelectorAll("td[data-row], .dot")) {
      const i = +cell.dataset.row;
      cell.classList.toggle("chosen", i === state.row);
      cell.classList.toggle("compared", i === state.second);
      if (cell.tagName !== "TD") continue;
      cell.classList.toggle("beyond", Number.isFinite(rows[i].price) && rows[i].price > state.budget);
      const sign = cell.querySelector(".sign.best");
      if (best.includes(i) && !sign) {
        const made = make("span", { class: "sign best", role: "img", "aria-label": "nothing better within the budget" }, "✓");
        cell.querySelector("a").firstElementChild.after(made);
      } else if (!best.includes(i) && sign) sign.remove();
      cell.querySelector("a").toggleAttribute("aria-current", i === state.row);
    }
    for (const drawing of decide.querySelectorAll("svg[data-top]")) {
      const [top, high, low] = ["top", "high", "low"].map((name) => +drawing.dataset[name]);
      const y = low - (low - high) * Math.min(state.budget / top, 1);
      const line = drawing.querySelector(".budget");
      line.setAttribute("y1", y);
      line.setAttribute("y2", y);
    }
    const cards = [card(state.row, false)];
    if (state.second !== null && state.second !== state.row) cards.push(card(state.second, true));
    const left = pair.contains(document.activeElement) ? document.activeElement.textContent : null;
    pair.replaceChildren(...cards);
    if (left !== null) {
      // What was pressed is gone: what is there in its place, else the first, is pressed next.
      const there = [...pair.querySelectorAll(".buttons > :is(a, button)")];
      (there.find((node) => node.textContent === left) ?? there[0]).focus({ preventScroll: true });
    }
    const hash = `#r${state.row}${state.second === null ? "" : `,r${state.second}`};${percent(state.budget)}`;
    if (location.hash !== hash) history.replaceState(null, "", hash);
  };
  const choose = (i) => {
    if (i < 0 || i >= rows.length || !Number.isInteger(i)) return;
    state.row = i;
    show();
  };
  const fromHash = () => {
    const found = /^#r(\d+)(?:,r(\d+))?(?:;([\d.]+)%25|;([\d.]+)%)?$/.exec(location.hash);
    if (!found) return false;
    if (+found[1] >= rows.length) return false;
    state.row = +found[1];
    state.second = found[2] !== undefined && +found[2] < rows.length ? +found[2] : null;
    const budget = Number(found[3] ?? found[4]) / 100;
    if (Number.isFinite(budget)) state.budget = budgets.reduce((a, b) => (Math.abs(b - budget) < Math.abs(a - budget) ? b : a));
    show();
    return true;
  };

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-row]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    choose(+link.dataset.row);
    if (!link.closest(".decide")) pair.scrollIntoView({ block: "start" });
  });
  // Arrows move through the cells of a map.
  decide.addEventListener("keydown", (event) => {
    const cell = event.target.closest?.("table.heat td");
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!cell || !step) return;
    const row = cell.parentElement;
    const lines = [...row.parentElement.rows];
    const next = lines[lines.indexOf(row) + step[0]]?.cells[cell.cellIndex + step[1]]?.querySelector("a");
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
  window.addEventListener("hashchange", fromHash);
  if (!fromHash()) {
    const best = bestWithin(state.budget);
    const dearest = best.reduce((a, b) => (a === null || rows[b].price > rows[a].price ? b : a), null);
    state.row = dearest ?? 0;
    show();
  }
})();
