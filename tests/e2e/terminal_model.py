"""A small terminal, after xterm's ctlseqs: what a person sees of bytes. No colours: concealed text is not seen."""
import re

ROWS, COLUMNS = 24, 200
CONTROL = re.compile(r"\x1b\[([<-?]?)([0-9;]*)([ -/]*)([@-~])")


class Terminal:
    def __init__(self):
        self.screens, self.screen = [[[" "] * COLUMNS for _ in range(ROWS)] for _ in range(2)], 0
        self.row = self.column = 0
        self.top, self.bottom, self.left, self.right = 0, ROWS - 1, 0, COLUMNS - 1
        self.origin = self.sides = self.hidden = self.graphics = self.shifted = self.insert = False
        self.string = self.vt52 = self.printer = self.held = False
        self.wrap, self.saved, self.cursor = True, (0, 0, False, False), True

    def home(self):
        self.row, self.column = (self.top, self.left) if self.origin else (0, 0)

    def mode(self, mark, number, on):
        if mark == "" and number == 4:
            self.insert = on
        elif mark == "?" and number in (47, 1047, 1049):
            if on and number == 1049:
                self.saved = (self.row, self.column, self.hidden, self.origin)
            self.screen = int(on)
            if not on and number == 1049:
                self.row, self.column, self.hidden, self.origin = self.saved
        elif mark == "?" and number == 6:
            self.origin = on
            self.home()
        elif mark == "?" and number == 69:
            self.sides = on
            self.left, self.right = 0, COLUMNS - 1
            self.home()
        elif mark == "?":
            name = {2: "vt52", 7: "wrap", 25: "cursor", 2026: "held"}.get(number)
            if name:
                setattr(self, name, on if number != 2 else not on)

    def control(self, mark, numbers, between, final):
        values = [int(n or 0) for n in numbers.split(";")]
        if final in "hl" and not between:
            for value in values:
                self.mode(mark, value, final == "h")
        elif final == "m" and not mark:
            for value in values:
                self.hidden = value == 8 or (self.hidden and value not in (0, 28))
        elif final == "r" and not mark:
            self.top, self.bottom = (values[0] or 1) - 1, ((values + [0])[1] or ROWS) - 1
            self.home()
        elif final == "s" and self.sides:
            self.left, self.right = (values[0] or 1) - 1, ((values + [0])[1] or COLUMNS) - 1
            self.home()
        elif final == "i" and values[0] in (4, 5):
            self.printer = values[0] == 5
        elif final == "H":
            self.row, self.column = min(ROWS, values[0] or 1) - 1, min(COLUMNS, (values + [1])[1] or 1) - 1

    def put(self, letter):
        if self.printer or self.held:
            return
        right = self.right if self.column <= self.right else COLUMNS - 1
        if self.column > right or self.column >= COLUMNS:
            if not self.wrap:
                self.column = right
            else:
                self.column = self.left
                self.feed_line()
        line = self.screens[self.screen][self.row]
        if self.insert:
            line.insert(self.column, " ")
            line.pop()
        seen = not self.hidden and not (self.graphics or self.shifted)
        line[self.column] = letter if seen else " "
        self.column += 1

    def feed_line(self):
        if self.row == self.bottom:
            lines = self.screens[self.screen]
            lines.insert(self.bottom + 1, [" "] * COLUMNS)
            lines.pop(self.top)
        elif self.row < ROWS - 1:
            self.row += 1

    def escape(self, rest):
        """The length of an escape sequence at the beginning of the rest."""
        found = None if self.vt52 else CONTROL.match(rest)
        if found:
            self.control(*found.groups())
            return found.end()
        follows = rest[1:2]
        if self.vt52:
            self.vt52 = follows != "<"
        elif follows in tuple("PX]^_"):
            self.string = True
        elif follows == "7":
            self.saved = (self.row, self.column, self.hidden, self.origin)
        elif follows == "8":
            self.row, self.column, self.hidden, self.origin = self.saved
        elif follows == "(":
            self.graphics = rest[2:3] == "0"
            return 3
        return 2

    def feed(self, text):
        at = 0
        while at < len(text):
            letter, step = text[at], 1
            if letter == "\x18":
                self.string = False
            elif self.string:
                self.string = text[at:at + 2] != "\x1b\\"
                step = 1 if self.string else 2
            elif self.printer and not text.startswith("\x1b[4i", at):
                pass
            elif letter == "\x1b":
                step = self.escape(text[at:])
            elif letter in "\x0e\x0f":
                self.shifted = letter == "\x0e"
            elif letter == "\r":
                self.column = self.left
            elif letter == "\n" and not self.held:
                self.feed_line()
            elif letter >= " ":
                self.put(letter)
            at += step

    def seen(self):
        return "\n".join("".join(line).rstrip() for line in self.screens[self.screen]).strip("\n")
