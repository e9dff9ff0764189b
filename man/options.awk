# Completes a manual page: `.\" made by: PROGRAM manual [NAME]` is replaced by what the program prints. `bin` is the
# directory of the programs.
#
# It comes from the tables of options and limits (src/config/options.h, src/config/limits.h). An option begins with a line
# "= LETTER FORM", as in "= m --memory MB"; without a letter, that is "-". A key of the configuration begins with
# "== KEY TYPE". The text follows. A line that begins with "." is mdoc(7) itself; in the others
#
#   --name           is an option
#   *words*          are written as they are: bold
#   _path_, /path    is a path
#   'words'          are quoted; the last may be the name of the value
#   [SECTION]        is a section of the page
#   VALUE            is the value of the option, if its form has this name
#   name(1)          is a manual page
#   isolator         is the program
#
# Punctuation may follow each.

/^\.\\" made by: / { sub(/^[^:]*: /, ""); complete(bin "/" $0); next }
{ print }

function complete(command,   line, lines) {
    while ((command | getline line) > 0) {
        lines++
        if (line ~ /^== /) key(line)
        else if (line ~ /^= /) head(line)
        else if (line ~ /^\./) { end_line(); print line }
        else prose(line)
    }
    end_line()
    if (close(command) != 0 || lines == 0) {
        print FILENAME ": cannot run '" command "'" >"/dev/stderr"
        exit 1
    }
}

# ".It Fl m , Fl -memory Ar MB", and for "--env KEY[=VALUE]" ".It Fl -env Ar key Ns Op = Ns Ar value".
function head(line,   parts, value, item) {
    end_line()
    split(line, parts, " ")
    value = line
    sub(/^= [^ ]+ --[a-z-]+ ?/, "", value)
    sub(/[[ ].*/, "", parts[3])
    item = ".It " (parts[2] == "-" ? "" : "Fl " parts[2] " , ") "Fl " substr(parts[3], 2)
    split("", names)
    names["FILE"] = 1 # an operand of the command
    while (value != "") {
        if (match(value, /^[A-Z]+/)) {
            names[substr(value, 1, RLENGTH)] = 1
            item = item " Ar " lower(substr(value, 1, RLENGTH))
            value = substr(value, RLENGTH + 1)
            continue
        }
        if (value ~ /^\[/) item = item " Ns Op"
        else if (value !~ /^\]/) item = item " " substr(value, 1, 1) " Ns"
        value = substr(value, 2)
    }
    print item
}

# ".It Ic memoryMB Pq whole number, 6 to 16777216 MB".
function key(line,   name) {
    end_line()
    sub(/^== /, "", line)
    name = line
    sub(/ .*/, "", name)
    print ".It Ic " name " Pq " substr(line, length(name) + 2)
    split("", names)
}

# Names of values are in lower case in manual pages; a unit stays.
function lower(name) { return name == "MB" ? name : tolower(name) }

function end_line() { if (text != "") print text; text = "" }

# Adds the words of a line. Marked words may have blanks in them.
function prose(line,   word) {
    while (line != "") {
        if (!match(line, /^(\*[^*]+\*|'[^']+'|\[[A-Z ]+\])[^ ]*/)) match(line, /^[^ ]+/)
        word = substr(line, 1, RLENGTH)
        line = substr(line, RLENGTH + 1)
        sub(/^ +/, "", line)
        add(word)
    }
}

# Words that are marked become a macro; "(" before and punctuation after them are its arguments too.
function add(word,   body, open, end) {
    body = word
    if (sub(/^\(/, "", body)) open = "( "
    if (body !~ /^[a-z_.-]+\([1-9]\)$/ && match(body, /[.,:;)]+$/) && RSTART > 1) {
        end = substr(body, RSTART)
        gsub(/./, " &", end)
        body = substr(body, 1, RSTART - 1)
    }
    if (body ~ /^--[a-z-]+$/) macro("Fl", open substr(body, 2) end)
    else if (body ~ /^\*.+\*$/) macro("Cm", open literal(inner(body)) end)
    else if (body ~ /^\/[a-z\/]+$/) macro("Pa", open body end)
    else if (body ~ /^_.+_$/) macro("Pa", open literal(inner(body)) end)
    else if (body ~ /^'.+'$/) macro("Ql", open quoted(inner(body)) end)
    else if (body ~ /^\[[A-Z ]+\]$/) macro("Sx", open inner(body) end)
    else if (body ~ /^[a-z_.-]+\([1-9]\)$/)
        macro("Xr", open substr(body, 1, length(body) - 3) " " substr(body, length(body) - 1, 1) end)
    else if (body in names) macro("Ar", open lower(body) end)
    else if (body == "isolator") macro("Nm", open body end)
    else if (body == "isolator's") macro("Nm", open "isolator Ap s" end)
    else {
        if (text ~ /[.?!]$/ && word ~ /^[A-Z]/) end_line()
        text = text (text == "" ? "" : " ") word
    }
}

function inner(body) { return substr(body, 2, length(body) - 2) }

function macro(name, arguments) {
    end_line()
    print "." name " " arguments
}

# mdoc takes a lone mark for punctuation, and a backslash for its own.
function literal(words) {
    gsub(/\\/, "\\e", words)
    return words ~ /^[^A-Za-z0-9]$/ ? "\\&" words : words
}

# 'docker run TAG': the value at the end stands out.
function quoted(words,   last) {
    last = words
    sub(/.* /, "", last)
    if (!(last in names)) return literal(words)
    return substr(words, 1, length(words) - length(last)) "Ar " lower(last)
}
