# A page of doc/ in Markdown as a manual page: headings, paragraphs, lists,
# code and tables, as far as our pages use them.  Called by doc/local.mk with
# name, section, what (the NAME line) and version.

# line TEXT: inline marks as fonts; no line begins with a control character
function line(t) {
	gsub(/\\/, "\\e", t)
	gsub(/-/, "\\-", t)
	while (match(t, /`[^`]*`/))
		t = substr(t, 1, RSTART - 1) "\\fB" \
		    substr(t, RSTART + 1, RLENGTH - 2) "\\fR" \
		    substr(t, RSTART + RLENGTH)
	while (match(t, /\*\*[^*]+\*\*/))
		t = substr(t, 1, RSTART - 1) "\\fB" \
		    substr(t, RSTART + 2, RLENGTH - 4) "\\fR" \
		    substr(t, RSTART + RLENGTH)
	return guarded(t)
}
function guarded(t) { return t ~ /^[.']/ ? "\\&" t : t }
function verbatim(t) {
	gsub(/\\/, "\\e", t)
	gsub(/-/, "\\-", t)
	return guarded(t)
}
function code(on) {
	if (on == in_code)
		return
	print on ? ".PP\n.in +4n\n.nf" : ".fi\n.in"
	in_code = on
}
# cells ROW: a row of a table, its cells in a row of tbl
function cells(t,    n, i, part, cell, out) {
	gsub(/\\\|/, "\001", t)
	sub(/^\| */, "", t)
	sub(/ *\|? *$/, "", t)
	n = split(t, part, / *\| */)
	for (i = 1; i <= n; i++) {
		gsub(/\001/, "|", part[i])
		cell = line(part[i])
		gsub(/[,|\/=<>_.]|\\-/, "&\\:", cell) # a word may break here
		out = out (i > 1 ? "\t" : "") "T{\n" cell "\nT}"
	}
	return out
}
function table(on,    i, n, form) {
	if (on == in_table)
		return
	if (on) {
		n = gsub(/\|/, "|") - 1
		for (i = 1; i <= n; i++)
			form = form (i < n ? "l " : "lx")
		print ".PP\n.TS\n" form "."
	} else {
		print ".TE"
	}
	in_table = on
}

BEGIN {
	print "'\\\" t"
	printf ".TH %s %s \"\" \"%s\"\n", toupper(name), section, version
	printf ".SH NAME\n%s \\- %s\n.SH DESCRIPTION\n.ad l\n.nh\n", name, what
}
/^```/ { table(0); code(!in_code); fenced = in_code; next }
fenced { print verbatim($0); next }
/^    / && (blank || in_code) { table(0); code(1); print verbatim(substr($0, 5))
	blank = 0; next }
/^$/ { blank = 1; held = in_code; if (in_table) table(0)
	if (!in_code) print ".PP"; else print ""; next }
{ code(0) }
/^# / { next }
/^## / { table(0); print ".SH " toupper(line(substr($0, 4))); blank = 0; next }
/^###* / { table(0); sub(/^#+ /, ""); print ".SS " line($0); blank = 0; next }
/^\|[-:| ]*$/ { next }
/^\|/ { table(1); print cells($0); next }
/^[-*] / { table(0); print ".IP \\(bu 2\n" line(substr($0, 3)); blank = 0; next }
/^[0-9]+\. / { table(0); n = $1; sub(/^[0-9]+\. /, "")
	print ".IP " n " 4\n" line($0); blank = 0; next }
{ table(0); sub(/^ +/, ""); print line($0); blank = 0 }
END { code(0); table(0) }
