"use strict";
// The page says everything without this file; with it, tables sort and filter, and bars tell their numbers.
(() => {
  const order = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  const key = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.v === undefined ? cell.textContent.trim() : Number(cell.dataset.v);
  };

  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return order.compare(String(a), String(b));
  };

  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        // Numbers start with the largest, words with the first.
        const first = head.classList.contains("number") ? "descending" : "ascending";
        const other = first === "ascending" ? "descending" : "ascending";
        const next = head.getAttribute("aria-sort") === first ? other : first;
        for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", next);
        const sign = next === "ascending" ? 1 : -1;
        const rows = [...body.rows].map((row) => [key(row, column), row]);
        rows.sort((a, b) => sign * compare(a[0], b[0]));
        body.append(...rows.map((pair) => pair[1]));
      });
    });
  }

  for (const table of document.querySelectorAll("table[data-filter]")) {
    const rows = [...table.tBodies[0].rows];
    const texts = rows.map((row) => row.textContent.toLowerCase());
    const label = document.createElement("label");
    label.className = "filter";
    const said = document.createElement("span");
    said.textContent = "Show rows with";
    const input = document.createElement("input");
    input.type = "search";
    input.setAttribute("aria-label", `Show rows of “${table.dataset.filter}” with`);
    const found = document.createElement("output");
    label.append(said, input, found);
    table.parentElement.before(label);
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let count = 0;
      rows.forEach((row, i) => {
        row.hidden = !words.every((word) => texts[i].includes(word));
        if (!row.hidden) count += 1;
      });
      found.textContent = words.length ? `${count} of ${rows.length} rows` : "";
    });
  }

  // Paper has nothing to click on: what is folded is unfolded for it.
  window.addEventListener("beforeprint", () => {
    for (const each of document.querySelectorAll("details")) each.open = true;
  });

  // The browser's own hints are slow and small: show them at once, and mark the cluster in every picture.
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true");
  document.body.append(tip);
  const bars = [...document.querySelectorAll(".bar")];
  const mark = (k, on) => {
    for (const bar of bars) if (bar.dataset.k === k) bar.classList.toggle("hot", on);
  };
  for (const bar of bars) {
    const title = bar.querySelector("title");
    const detail = title.textContent;
    bar.addEventListener("pointerenter", () => {
      title.textContent = "";
      tip.textContent = detail;
      tip.hidden = false;
      mark(bar.dataset.k, true);
    });
    bar.addEventListener("pointermove", (event) => {
      const x = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
      const y = event.clientY + 18 + tip.offsetHeight > window.innerHeight
        ? event.clientY - tip.offsetHeight - 10
        : event.clientY + 18;
      tip.style.transform = `translate(${Math.max(x, 8)}px, ${y}px)`;
      tip.style.left = "0";
      tip.style.top = "0";
    });
    bar.addEventListener("pointerleave", () => {
      title.textContent = detail;
      tip.hidden = true;
      mark(bar.dataset.k, false);
    });
  }
})();
