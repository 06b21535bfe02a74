// Tables are sorted, filtered, copied and saved; charts answer the pointer, the
// keyboard and touch; a link to a case opens its details.  Without this script
// everything is there, in the order of the report.
const tools = document.getElementById("tools");
const words = tools.dataset;
const names = new Intl.Collator(document.documentElement.lang,
    { numeric: true });

function make(tag, properties, ...children) {
	const e = Object.assign(document.createElement(tag), properties);
	e.append(...children);
	return e;
}

// --- tables -----------------------------------------------------------------

function isGroup(row) {
	return row.classList.contains("group");
}

// The first number of a cell: of an interval its lower end.
function number(text) {
	const found = text.replace(/(\d),(?=\d{3})/g, "$1")
	    .match(/[-+]?\d+(\.\d+)?(e[-+]?\d+)?/i);
	return found ? parseFloat(found[0]) : "";
}

// Rows without a value come last, whichever way the others go.
function order(a, b, down) {
	if ((a.key === "") !== (b.key === ""))
		return a.key === "" ? 1 : -1;
	const way = a.key === "" ? 0 : typeof a.key === "number" ?
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
		const rows = Array.from(body.rows).filter(r => !isGroup(r))
		    .map(row => {
			const cell = row.cells[column];
			const text = cell ? cell.textContent.trim() : "";
			return { row, place: +row.dataset.place,
			    key: numeric ? number(text) : text };
		});
		rows.sort((a, b) => order(a, b, down));
		body.append(...rows.map(r => r.row));
	}
}

function makeSortable(table) {
	let place = 0;
	for (const row of table.querySelectorAll("tbody tr"))
		row.dataset.place = place++;
	Array.from(table.tHead.rows[0].cells).forEach((head, k) => {
		const button = make("button", { type: "button" },
		    ...head.childNodes);
		head.append(button);
		button.addEventListener("click",
		    () => sortBy(table, head, k));
	});
}

// The table as shown: heads, then the rows that the filter left, each with the
// title of its group.
function content(table) {
	const rows = [Array.from(table.tHead.rows[0].cells,
	    c => c.textContent.trim())];
	const grouped = table.querySelector("tr.group") !== null;
	let group = "";
	if (grouped)
		rows[0].unshift("");
	for (const row of table.querySelectorAll("tbody tr")) {
		const cells = Array.from(row.cells, c => c.textContent.trim());
		if (isGroup(row))
			group = cells[0];
		else if (!row.hidden)
			rows.push(grouped ? [group, ...cells] : cells);
	}
	return rows;
}

// A text that a spreadsheet would run as a formula stays a text.
function harmless(cell) {
	return /^[=@\t]|^[-+](?![\d.]*( ?%)?$)/.test(cell) ? "'" + cell : cell;
}

function asTsv(rows) {
	return rows.map(row => row.map(c => harmless(c).replace(/\s+/g, " "))
	    .join("\t") + "\n").join("");
}

function asCsv(rows) {
	return rows.map(row => row.map(harmless).map(c => /[",\n]/.test(c) ?
	    '"' + c.replace(/"/g, '""') + '"' : c).join(",") + "\r\n").join("");
}

function copyText(text) {
	const field = make("textarea", { value: text });
	document.body.append(field);
	field.select();
	const done = document.execCommand("copy");
	field.remove();
	return done;
}

function addButtons(region, table) {
	const copy = make("button", { type: "button" }, words.copy);
	const save = make("button", { type: "button" }, words.save);
	const said = make("output", {});
	said.setAttribute("aria-live", "polite");
	copy.addEventListener("click", async () => {
		const text = asTsv(content(table));
		try {
			await navigator.clipboard.writeText(text);
		} catch (e) {
			if (!copyText(text))
				return;
		}
		copy.focus();
		said.textContent = words.copied;
	});
	save.addEventListener("click", () => {
		const file = new Blob(["\ufeff" + asCsv(content(table))],
		    { type: "text/csv" });
		const link = make("a", { href: URL.createObjectURL(file),
		    download: region.id + ".csv" });
		link.click();
		URL.revokeObjectURL(link.href);
	});
	region.after(make("p", { className: "buttons" }, copy, save, said));
}

const tables = [];
for (const region of document.querySelectorAll(".data")) {
	const table = region.querySelector("table");
	makeSortable(table);
	addButtons(region, table);
	tables.push(table);
}

// --- the filter, of all tables and details ------------------------------------

const field = tools.querySelector("input");
const count = tools.querySelector("output");

function filter() {
	const wanted = field.value.toLowerCase().split(/\s+/).filter(Boolean);
	const has = text => wanted.every(w => text.includes(w));
	let shown = 0, all = 0;
	for (const table of tables)
		for (const body of table.tBodies) {
			const group = body.querySelector("tr.group");
			const title = group ?
			    group.textContent.toLowerCase() + " " : "";
			let left = 0;
			for (const row of body.rows) {
				if (row === group)
					continue;
				row.hidden = !has(title +
				    row.textContent.toLowerCase());
				all++;
				left += row.hidden ? 0 : 1;
			}
			if (group)
				group.hidden = left === 0;
			shown += left;
		}
	for (const d of document.querySelectorAll(".origins > details"))
		d.hidden = !has(d.querySelector("summary").textContent
		    .toLowerCase());
	count.textContent = wanted.length ? shown + " / " + all : "";
}

field.addEventListener("input", filter);
field.addEventListener("keydown", e => {
	if (e.key === "Escape") {
		field.value = "";
		filter();
	}
});

// --- contents ---------------------------------------------------------------

const heads = document.querySelectorAll("main h2[id]");
const nav = tools.querySelector("nav");
for (const h of Array.from(heads).slice(0, 12))
	nav.append(make("a", { href: "#" + h.id }, h.textContent), " ");
tools.hidden = false;
nav.hidden = heads.length < 2;
tools.querySelector(".filter").hidden =
    tables.every(t => t.querySelectorAll("tbody tr").length < 4);

// --- charts -----------------------------------------------------------------

const tip = make("div", { className: "tip", hidden: true });
tip.setAttribute("role", "status");
document.body.append(tip);
let chosen = null; // the marker that the tip is of

function hideTip() {
	tip.hidden = true;
	if (chosen)
		chosen.classList.remove("on");
	chosen = null;
}

// The marker of another series at the same devices.
function partner(chart, marker, series) {
	return chart.querySelector(".p[data-s='" + series + "'][data-at='" +
	    marker.dataset.at + "']");
}

function ratioText(marker, other) {
	return (marker.dataset.v / other.dataset.v).toPrecision(3);
}

function showTip(marker, group) {
	hideTip();
	chosen = marker;
	marker.classList.add("on");
	const d = marker.dataset;
	const lines = [d.t0, d.t1, d.t2, d.t3, d.t4].filter(Boolean);
	const base = group.base;
	const other = base && base !== d.s && d.v ?
	    partner(marker.ownerSVGElement, marker, base) : null;
	if (other)
		lines.splice(1, 0, ratioText(marker, other) + " " +
		    words.ratio + " " + group.names[base]);
	tip.replaceChildren(...lines.map((text, i) =>
	    make(i ? "div" : "strong", {}, text)));
	tip.hidden = false;
	const at = marker.getBoundingClientRect();
	const size = tip.getBoundingClientRect();
	const width = document.documentElement.clientWidth;
	const left = at.left + at.width / 2 - size.width / 2;
	const top = at.top - size.height - 10;
	tip.style.left = Math.max(4, Math.min(left,
	    width - size.width - 4)) + "px";
	tip.style.top = (top < 4 ? at.bottom + 10 : top) + "px";
}

function markersOf(svg) {
	return Array.from(svg.querySelectorAll(".p:not(.off)"));
}

function middle(marker) {
	const r = marker.getBoundingClientRect();
	return [r.left + r.width / 2, r.top + r.height / 2];
}

// The marker nearest to a place, at most `reach` pixels away.
function nearest(markers, x, y, reach) {
	let best = null, least = reach * reach;
	for (const m of markers) {
		const [mx, my] = middle(m);
		const d = (mx - x) ** 2 + (my - y) ** 2;
		if (d <= least) {
			least = d;
			best = m;
		}
	}
	return best;
}

// Left and right go along a series; up and down through the markers at the same
// place of the axis, or through all where there is only one.
function neighbour(markers, from, key) {
	const along = key === "ArrowLeft" || key === "ArrowRight";
	const places = new Map(markers.map(m => [m, middle(m)]));
	const [x] = places.get(from);
	const above = markers.filter(m => Math.abs(places.get(m)[0] - x) < 0.5);
	const list = along ?
	    markers.filter(m => m.dataset.s === from.dataset.s) :
	    above.length > 1 ? above : markers;
	const axis = along ? 0 : 1;
	list.sort((a, b) => places.get(a)[axis] - places.get(b)[axis] ||
	    a.dataset.s - b.dataset.s);
	const step = key === "ArrowLeft" || key === "ArrowUp" ? -1 : 1;
	return list[list.indexOf(from) + step];
}

function openCase(marker) {
	const target = marker.dataset.case &&
	    document.getElementById(marker.dataset.case);
	if (target)
		open(target);
}

function makeAnswering(svg, group) {
	svg.setAttribute("tabindex", "0");
	svg.setAttribute("role", "application");
	function point(e) {
		const m = nearest(markersOf(svg), e.clientX, e.clientY,
		    e.pointerType === "touch" ? 40 : 24);
		if (m && m !== chosen)
			showTip(m, group);
		else if (!m)
			hideTip();
		return m;
	}
	svg.addEventListener("pointermove", point);
	svg.addEventListener("pointerdown", point);
	svg.addEventListener("pointerleave", e => {
		if (e.pointerType !== "touch")
			hideTip();
	});
	svg.addEventListener("click", e => {
		// A touch shows the tip; a click of the pointer opens.
		if (e.pointerType === "mouse") {
			const m = point(e);
			if (m)
				openCase(m);
		}
	});
	svg.addEventListener("blur", hideTip);
	svg.addEventListener("keydown", e => {
		const markers = markersOf(svg);
		const own = chosen && svg.contains(chosen) ? chosen : null;
		if (e.key === "Escape")
			hideTip();
		else if (e.key === "Enter" && own)
			openCase(own);
		else if (e.key.startsWith("Arrow") && markers.length) {
			const next = own ? neighbour(markers, own, e.key) :
			    markers[0];
			if (next)
				showTip(next, group);
		} else
			return;
		e.preventDefault();
	});
}

// Mark what belongs to a series in the charts of a group.
function mark(group, series, name, on) {
	for (const e of group.box.querySelectorAll(
	    "figure [data-s='" + series + "']"))
		e.classList.toggle(name, on);
}

function highlight(group, series) {
	group.box.classList.toggle("dim", series !== null);
	for (const e of group.box.querySelectorAll(".lit"))
		e.classList.remove("lit");
	if (series !== null)
		mark(group, series, "lit", true);
}

function makeLegend(item, group) {
	const series = item.dataset.s;
	const button = make("button", { type: "button" }, ...item.childNodes);
	function set(on) {
		button.setAttribute("aria-pressed", String(on));
		mark(group, series, "off", !on);
	}
	item.append(button);
	group.names[series] = button.textContent.trim();
	set(+series < 8);
	button.addEventListener("click", () => {
		set(button.getAttribute("aria-pressed") !== "true");
		hideTip();
	});
	for (const event of ["pointerenter", "focus"])
		button.addEventListener(event, () => highlight(group, series));
	for (const event of ["pointerleave", "blur"])
		button.addEventListener(event, () => highlight(group, null));
}

// A table of the speeds of all series over one, by devices.
function compare(group, chart) {
	const markers = Array.from(chart.querySelectorAll(".p[data-v]"));
	const counts = Array.from(new Set(markers.map(m => +m.dataset.at)))
	    .sort((a, b) => a - b);
	group.ratios.replaceChildren();
	if (!group.base)
		return;
	const head = make("tr", {}, make("th", { scope: "col" }),
	    ...counts.map(n => make("th", { scope: "col", className: "num" },
	    n)));
	const rows = group.names.map((name, s) => make("tr", {},
	    make("th", { scope: "row" }, name), ...counts.map(n => {
		const own = markers.find(m => +m.dataset.s === s &&
		    +m.dataset.at === n);
		const other = own && partner(chart, own, group.base);
		return make("td", { className: "num" },
		    other ? ratioText(own, other) : "");
	})));
	group.ratios.append(make("caption", {}, words.compare + " " +
	    group.names[group.base]), make("thead", {}, head),
	    make("tbody", {}, ...rows));
}

function addComparison(group, chart) {
	const select = make("select", {},
	    make("option", { value: "" }, words.nothing),
	    ...group.names.map((name, s) => make("option", { value: s },
	    name)));
	group.ratios = make("table", {});
	const region = make("div", { className: "scroll ratios",
	    hidden: true, tabIndex: 0 }, group.ratios);
	region.setAttribute("role", "group");
	region.setAttribute("aria-label", words.compare);
	select.addEventListener("change", () => {
		group.base = select.value;
		region.hidden = !group.base;
		compare(group, chart);
	});
	group.box.append(make("p", { className: "against" },
	    make("label", {}, words.compare + " ", select)), region);
}

for (const box of document.querySelectorAll(".charts")) {
	const group = { box, names: [], base: "" };
	for (const svg of box.querySelectorAll("figure > svg"))
		makeAnswering(svg, group);
	for (const item of box.querySelectorAll(".key li[data-s]"))
		makeLegend(item, group);
	const chart = box.querySelector("svg");
	if (group.names.length > 1 && chart &&
	    chart.querySelector(".p[data-v]"))
		addComparison(group, chart);
}
window.addEventListener("scroll", hideTip, { passive: true });

// --- details ----------------------------------------------------------------

// Which link opened the details, to go back to with Escape.
const openers = new Map();

function open(target) {
	for (let d = target; d; d = d.parentElement.closest("details"))
		d.open = true;
	target.hidden = false;
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
document.addEventListener("click", e => {
	const link = e.target.closest ? e.target.closest("a[href^='#']") : null;
	const target = link ? detailsOf(link.getAttribute("href")) : null;
	if (!target)
		return;
	openers.set(target, link);
	open(target);
});
document.addEventListener("keydown", e => {
	const details = e.key === "Escape" && e.target.closest ?
	    e.target.closest("details[id]") : null;
	if (!details || !details.open)
		return;
	details.open = false;
	const opener = openers.get(details);
	(opener || details.querySelector("summary")).focus();
});
openHash();
