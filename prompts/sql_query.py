# Runs an SQLite query on CSV from stdin. The rows are the table t; the first line names the columns. Argument: the query, for example: select city, sum(price) from t group by city
import csv
import io
import sqlite3
import sys


def value(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def main():
    if len(sys.argv) != 2:
        sys.exit("sql_query: takes one argument, the query")
    text = sys.stdin.buffer.read().decode("utf-8-sig", "replace")
    csv.field_size_limit(1 << 30)
    rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    if not rows:
        sys.exit("sql_query: there is no CSV on stdin")
    names = [name.strip() or f"column{i}" for i, name in enumerate(rows[0], 1)]
    columns = ", ".join('"%s"' % name.replace('"', '""') for name in names)
    try:
        with sqlite3.connect(":memory:") as database:
            database.execute(f"create table t ({columns})")
            database.executemany(
                f"insert into t values ({', '.join('?' * len(names))})",
                [[value(field) for field in (row + [""] * len(names))[: len(names)]] for row in rows[1:]],
            )
            answer = database.execute(sys.argv[1])
            out = csv.writer(sys.stdout, lineterminator="\n")
            if answer.description:
                out.writerow(column[0] for column in answer.description)
            out.writerows(answer)
    except (sqlite3.Error, sqlite3.Warning, OverflowError, ValueError) as error:
        sys.exit(f"sql_query: {error}")


main()
