# Completes a manual page. `bin` is the directory of the programs.
#
# `.\" synopsis: PROGRAM [COMMAND]` is replaced by the usage that --help prints; `.\" synopsis: isolator` by that of all its
# commands, in which the options are one word.
#
# `.\" made by: PROGRAM manual [NAME]` is replaced by what the program prints.
# It comes from the tables of options and limits (src/config/options.h, src/config/limits.h). An option begins with a line
# "= LETTER FORM", as in "= m --memory MB"; without a letter, that is "-". A key of the configuration begins with
# "== KEY TYPE". The text follows. A line that begins with "." is mdoc(7) itself; in the others
#
#   --name           is an option
#   *words*          are written as they are: bold
#   _path_, /path    is a path
#   'words'          are quoted; the last may be the name of the value
#   [SECTION]        is a section of the page, or [Subsection]
#   VALUE            is the value of the option, if its form has this name
#   name(1)          is a manual page
#   isolator         is the program
#
# Punctuation may follow each.

/^\.\\" synopsis: / {
    sub(/^[^:]*: /, "")
    if ($0 == "isolator") synopsis_of_all()
    else usages(".Nm " $0, $0)
    next
}
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
    if (close(command) != 0 || lines == 0) failed(command)
}

# ---- SYNOPSIS

function failed(command) {
    print FILENAME ": cannot run '" command "'" >"/dev/stderr"
    exit 1
}

# Sets usage[1] and so on to what --help of the program or command prints before the first empty line.
function read_usages(name,   command, line, count) {
    command = bin "/" name " --help"
    split("", usage)
    while ((command | getline line) > 0 && line != "") {
        sub(/^usage:/, "      ", line)
        if (substr(line, 8, 1) != " ") usage[++count] = substr(line, 8)
        else usage[count] = usage[count] line
    }
    close(command)
    if (count == 0) failed(command)
    return count
}

function usages(first, name,   count, i) {
    count = read_usages(name)
    for (i = 1; i <= count; i++) {
        print first
        items(substr(usage[i], length(name) + 2))
    }
}

# The commands are in the list of --help, the others in its usage.
function synopsis_of_all(   command, line, names, count, i) {
    command = bin "/isolator --help"
    while ((command | getline line) > 0)
        if (match(line, /^  [a-z]+ /)) names[++count] = substr(line, 3, RLENGTH - 3)
    if (close(command) != 0 || count < 2) failed(command)
    for (i = 1; i < count; i++) { # the last is help
        read_usages("isolator " names[i])
        line = substr(usage[1], length("isolator " names[i]) + 2)
        gsub(/\[--?[a-z][^]]*\](\.\.\.)? */, "", line)
        if (line !~ /\[OPTIONS\]/) line = "[OPTIONS] " line
        print ".Nm\n.Cm " names[i]
        items(line)
    }
    count = read_usages("isolator")
    for (i = 2; i <= count; i++) {
        print ".Nm"
        items(substr(usage[i], 10))
    }
}

# "[--run STEP]... --list [--all | --unused] [FILE...]", an item each.
function items(line,   item, more) {
    while (sub(/^ */, "", line) && line != "") {
        more = ""
        if (match(line, /^\[[^]]*\]/)) item = ".Op " marked(substr(line, 2, RLENGTH - 2))
        else if (match(line, /^[^ ]+( \| [^ ]+)*/)) item = "." marked(substr(line, 1, RLENGTH))
        line = substr(line, RLENGTH + 1)
        if (sub(/^\.\.\./, "", line)) more = " ..."
        print item more
    }
}

# "--all | --unused", "--run STEP" or "-- ARG...".
function marked(words,   word, count, i, result, last) {
    count = split(words, word, " ")
    for (i = 1; i <= count; i++) {
        if (word[i] ~ /^-/) result = result " " (last == "Fl" ? "" : "Fl ") substr(word[i], 2)
        else if (word[i] == "|") { result = result " |"; continue }
        else if (word[i] ~ /^[a-z]/) result = result " Cm " word[i]
        else { sub(/\.\.\.$/, " ...", word[i]); result = result " Ar " lower(word[i]) }
        last = word[i] ~ /^-/ ? "Fl" : "Ar"
    }
    return substr(result, 2)
}

# ---- options and keys

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
        else if (value !~ /^\]/) item = item (item ~ /Op$/ ? " " : " Ns ") substr(value, 1, 1) " Ns"
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
        if (!match(line, /^(\*[^*]+\*|'[^']+'|\[[A-Z][A-Za-z ]+\])[^ ]*/)) match(line, /^[^ ]+/)
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
    else if (body ~ /^\[[A-Z][A-Za-z ]+\]$/) macro("Sx", open inner(body) end)
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
