"use strict";
// Tables are sorted by their heads and filtered by a field; a link to a case
// opens what its number stands on.  Without this script everything is there,
// in the order of the report.
(function () {
	function value(row, column) {
		const cell = row.cells[column];
		const text = cell ? cell.textContent.trim() : "";
		const number = parseFloat(text.replace(/^[^0-9.+-]*/, ""));
		return { text: text, number: number };
	}

	function compare(a, b) {
		const na = Number.isNaN(a.number), nb = Number.isNaN(b.number);
		if (na !== nb)
			return na ? 1 : -1;
		if (na)
			return a.text.localeCompare(b.text);
		return a.number - b.number;
	}

	function sortBy(table, head, column) {
		const down = head.getAttribute("aria-sort") === "ascending";
		for (const th of table.tHead.rows[0].cells)
			th.removeAttribute("aria-sort");
		head.setAttribute("aria-sort", down ? "descending" : "ascending");
		for (const body of table.tBodies) {
			const rows = Array.from(body.rows);
			rows.sort(function (x, y) {
				const a = value(x, column), b = value(y, column);
				const order = compare(a, b);
				const unknown = Number.isNaN(a.number) !==
				    Number.isNaN(b.number);
				return down && !unknown ? -order : order;
			});
			for (const row of rows)
				body.appendChild(row);
		}
	}

	function filter(table, text, count) {
		const words = text.toLowerCase().split(/\s+/).filter(Boolean);
		let shown = 0, all = 0;
		for (const body of table.tBodies)
			for (const row of body.rows) {
				const content = row.textContent.toLowerCase();
				row.hidden = !words.every(function (w) {
					return content.includes(w);
				});
				all++;
				shown += row.hidden ? 0 : 1;
			}
		count.textContent = words.length ? shown + " / " + all : "";
	}

	for (const table of document.querySelectorAll("main table")) {
		const heads = Array.from(table.tHead.rows[0].cells);
		heads.forEach(function (head, column) {
			const button = document.createElement("button");
			button.type = "button";
			while (head.firstChild)
				button.appendChild(head.firstChild);
			head.appendChild(button);
			button.addEventListener("click", function () {
				sortBy(table, head, column);
			});
		});
	}
	for (const box of document.querySelectorAll(".filter")) {
		const table = document.getElementById(box.dataset.of)
		    .querySelector("table");
		const count = box.querySelector("output");
		box.hidden = false;
		box.querySelector("input").addEventListener("input", function (e) {
			filter(table, e.target.value, count);
		});
	}

	function openTarget() {
		const id = decodeURIComponent(location.hash.slice(1));
		const target = id ? document.getElementById(id) : null;
		if (!target || target.tagName !== "DETAILS")
			return;
		target.open = true;
		target.scrollIntoView();
		target.querySelector("summary").focus();
	}
	window.addEventListener("hashchange", openTarget);
	document.addEventListener("click", function (e) {
		const link = e.target.closest ? e.target.closest("a[href^='#']") : null;
		if (link && link.getAttribute("href") === location.hash)
			openTarget();
	});
	openTarget();
	window.addEventListener("beforeprint", function () {
		for (const d of document.querySelectorAll("details"))
			d.open = true;
	});
}());
