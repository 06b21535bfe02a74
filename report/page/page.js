"use strict";
// Tables are sorted by their heads and filtered by a field; a link to a case
// opens what its number stands on.  Without this script everything is there,
// in the order of the report.
(function () {
	const names = new Intl.Collator(document.documentElement.lang,
	    { numeric: true });

	// The first number of a cell: of an interval its lower end.
	function number(row, column) {
		const cell = row.cells[column];
		const text = cell ? cell.textContent : "";
		const found = text.replace(/(\d),(?=\d{3})/g, "$1")
		    .match(/[-+]?\d+(\.\d+)?(e[-+]?\d+)?/i);
		return found ? parseFloat(found[0]) : null;
	}

	function text(row, column) {
		const cell = row.cells[column];
		return cell ? cell.textContent.trim() : "";
	}

	// Rows without a value come last, whichever way the others go.
	function order(a, b, down) {
		if (a.missing !== b.missing)
			return a.missing ? 1 : -1;
		const way = a.missing ? 0 : typeof a.key === "number" ?
		    a.key - b.key : names.compare(a.key, b.key);
		return (down ? -way : way) || a.place - b.place;
	}

	function sortBy(table, head, column) {
		const down = head.getAttribute("aria-sort") === "ascending";
		const numeric = head.classList.contains("num");
		for (const th of table.tHead.rows[0].cells)
			th.removeAttribute("aria-sort");
		head.setAttribute("aria-sort", down ? "descending" : "ascending");
		for (const body of table.tBodies) {
			const rows = Array.from(body.rows, function (row) {
				const key = numeric ? number(row, column) :
				    text(row, column);
				return { row: row, key: key,
					missing: key === null || key === "",
					place: +row.dataset.place };
			});
			rows.sort(function (a, b) {
				return order(a, b, down);
			});
			body.append.apply(body, rows.map(function (r) {
				return r.row;
			}));
		}
	}

	function filter(table, wanted, count) {
		const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
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

	function makeSortable(table) {
		let place = 0;
		for (const body of table.tBodies)
			for (const row of body.rows)
				row.dataset.place = place++;
		Array.from(table.tHead.rows[0].cells).forEach(function (head, k) {
			const button = document.createElement("button");
			button.type = "button";
			while (head.firstChild)
				button.appendChild(head.firstChild);
			head.appendChild(button);
			button.addEventListener("click", function () {
				sortBy(table, head, k);
			});
		});
	}

	for (const box of document.querySelectorAll(".filter")) {
		const table = document.getElementById(box.dataset.of)
		    .querySelector("table");
		const count = box.querySelector("output");
		const field = box.querySelector("input");
		makeSortable(table);
		box.hidden = table.tBodies[0].rows.length < 4;
		field.addEventListener("input", function () {
			filter(table, field.value, count);
		});
		field.addEventListener("keydown", function (e) {
			if (e.key !== "Escape")
				return;
			field.value = "";
			filter(table, "", count);
		});
	}

	// Which link opened the details, to go back to with Escape.
	const openers = new Map();

	function open(target) {
		for (let d = target; d; d = d.parentElement.closest("details"))
			d.open = true;
		target.scrollIntoView();
		target.querySelector("summary").focus({ preventScroll: true });
	}

	function detailsOf(hash) {
		const target = document.getElementById(
		    decodeURIComponent(hash.slice(1)));
		return target && target.tagName === "DETAILS" ? target : null;
	}

	function openHash() {
		const target = detailsOf(location.hash);
		if (target)
			open(target);
	}
	window.addEventListener("hashchange", openHash);
	document.addEventListener("click", function (e) {
		const link = e.target.closest ?
		    e.target.closest("a[href^='#']") : null;
		const target = link ? detailsOf(link.getAttribute("href")) : null;
		if (!target)
			return;
		openers.set(target, link);
		open(target);
	});
	document.addEventListener("keydown", function (e) {
		const details = e.key === "Escape" && e.target.closest ?
		    e.target.closest("details[id]") : null;
		if (!details || !details.open)
			return;
		details.open = false;
		const opener = openers.get(details);
		(opener || details.querySelector("summary")).focus();
	});
	openHash();

	// On paper nothing can be opened.
	let opened = [];
	window.addEventListener("beforeprint", function () {
		opened = Array.from(
		    document.querySelectorAll("details:not([open])"));
		for (const d of opened)
			d.open = true;
	});
	window.addEventListener("afterprint", function () {
		for (const d of opened)
			d.open = false;
		opened = [];
	});
}());
