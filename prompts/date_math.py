# Calculates with dates. Arguments: DATE, then + or - and a number of days, weeks, months or years; or two DATEs, for the time between them. DATE is like 2024-02-29, or today.
import calendar
import datetime
import sys

USAGE = "date_math: takes DATE, DATE DATE, or DATE +|- NUMBER days|weeks|months|years"


def date(text):
    if text == "today":
        return datetime.date.today()
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        sys.exit(f"date_math: {text!r} is no date like 2024-02-29")


def move(start, number, unit):
    """A month later is the same day of the next month, or its last where it has no such day."""
    unit = unit.rstrip("s")
    if unit in ("day", "week"):
        return start + datetime.timedelta(days=number * (7 if unit == "week" else 1))
    if unit not in ("month", "year"):
        sys.exit(USAGE)
    months = start.year * 12 + start.month - 1 + number * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    return datetime.date(year, month + 1, min(start.day, calendar.monthrange(year, month + 1)[1]))


def main():
    words = sys.argv[1:]
    if len(words) == 2:
        days = (date(words[1]) - date(words[0])).days
        print(f"{days} days ({days / 7:.1f} weeks)")
        return
    if not words or len(words) not in (1, 4):
        sys.exit(USAGE)
    day = date(words[0])
    if len(words) == 4:
        if words[1] not in ("+", "-") or not words[2].isdecimal() or len(words[2]) > 9:
            sys.exit(USAGE)
        try:
            day = move(day, int(words[1] + words[2]), words[3])
        except (OverflowError, ValueError):
            sys.exit("date_math: that is outside the years 1 to 9999")
    year, week, _ = day.isocalendar()
    name = calendar.day_name[day.weekday()]
    print(f"{day} {name}, week {week} of {year}, day {day.timetuple().tm_yday} of the year")


main()
