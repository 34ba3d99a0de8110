"""Text engine of rename.py: cuts a file into code, comment and string, and renames in each."""
import fnmatch, re

WORD = re.compile(r'[A-Za-z_][A-Za-z0-9_]*')
SUB = re.compile(r'[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|_+')
C_LIKE = ('.cpp', '.h', '.c', '.cu', '.cl', '.inc', '.cuh', '.hpp', '.in', '.cc', '.json5')


def subwords(identifier):
    return SUB.findall(identifier)


def in_case(word, like, snake):
    """`word` (lower camel, e.g. blockReduction) in the case of the subword `like`."""
    if like.isupper() and len(like) > 1:
        return re.sub(r'(?<=[a-z])(?=[A-Z])', '_', word).upper()
    if snake:
        word = re.sub(r'(?<=[a-z])([A-Z])', lambda m: '_' + m.group(1).lower(), word)
    return word[0].upper() + word[1:] if like[0].isupper() else word


def segments(text, path):
    """(kind, text) pieces: code, comment, string. Runs of // lines are one comment."""
    if path.endswith('.md') or path.endswith('.txt'):
        return [('prose', text)]
    if path.endswith(C_LIKE):
        pattern = re.compile(
            r'(?P<comment>/\*.*?\*/|//[^\n]*(?:\n[ \t]*//[^\n]*)*)'
            r'|(?P<string>R"(?P<d>[^(\s"]{0,16})\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*")'
            r"|(?P<char>(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+')", re.S)
    elif path.endswith('.py'):
        pattern = re.compile(
            r'(?P<string>[rbfRBF]{0,2}(?:"""(?:\\.|[^\\])*?"""|\'\'\'(?:\\.|[^\\])*?\'\'\'|"(?:\\.|[^"\\\n])*"'
            r"|'(?:\\.|[^'\\\n])*'))|(?P<comment>#[^\n]*(?:\n[ \t]*#[^\n]*)*)|(?P<char>\0)", re.S)
    else:
        pattern = re.compile(r'(?P<comment>#[^\n]*(?:\n[ \t]*#[^\n]*)*)'
                             r'|(?P<string>"(?:\\.|[^"\\\n])*")|(?P<char>\0)', re.S)
    out, last = [], 0
    for m in pattern.finditer(text):
        if m.start() > last:
            out.append(('code', text[last:m.start()]))
        kind = 'comment' if m.group('comment') else 'string' if m.group('string') else 'char'
        out.append((kind, m.group()))
        last = m.end()
    out.append(('code', text[last:]))
    return out


def matches(path, globs):
    return any(fnmatch.fnmatch(path, g) or fnmatch.fnmatch(path.rsplit('/', 1)[-1], g)
               for g in globs.split())


class Rules:
    """identifiers: [(globs, {old: new})], words: [(globs, {subword: newWord})]: the first that
    matches a path and has the key decides. prose: [(globs, regex, replacement)], in order."""

    def __init__(self, identifiers, words, prose, keep, code=()):
        self.identifiers, self.words, self.prose, self.keep = identifiers, words, prose, keep
        self.code = code

    def at(self, path):
        return AtPath(self, path)


class AtPath:
    def __init__(self, rules, path):
        self.exact, self.sub = {}, {}
        for globs, table in rules.identifiers:
            if matches(path, globs):
                for k, v in table.items():
                    self.exact.setdefault(k, v)
        for globs, table in rules.words:
            if matches(path, globs):
                for k, v in table.items():
                    self.sub.setdefault(k, v)
        self.keep = set()
        for globs, names in rules.keep:
            if matches(path, globs):
                self.keep |= set(names.split())
        self.prose = [(re.compile(r), to) for globs, r, to in rules.prose if matches(path, globs)]
        self.in_code = [(re.compile(r), to) for globs, r, to in rules.code if matches(path, globs)]
        self.cache = {}

    def identifier(self, name):
        if name not in self.cache:
            self.cache[name] = self._identifier(name)
        return self.cache[name]

    def _identifier(self, name):
        if name in self.keep or re.search(r'[iI]n_?[pP]lace|IN_PLACE', name):
            return name
        if name in self.exact:
            return self.exact[name]
        parts = subwords(name)
        if ''.join(parts) != name or not any(p.lower() in self.sub for p in parts):
            return name
        out = []
        snake = '_' in name.strip('_') or (name.islower() and name != parts[0])
        for k, p in enumerate(parts):
            to = self.sub.get(p.lower())
            if to is None:
                out.append(p)
                continue
            isSnake = snake and not re.search('[a-z][A-Z]', name)
            new = in_case(to, p, isSnake)
            out.append(new)
        return ''.join(out)

    def code(self, text):
        text = WORD.sub(lambda m: m.group() if self.is_call_of_text(m, text) else self.identifier(m.group()), text)
        for regex, to in self.in_code:
            text = regex.sub(to, text)
        return text

    @staticmethod
    def is_call_of_text(m, text):
        """joined(list, ", ") puts texts together."""
        return m.group() == 'joined' and text[m.end():m.end() + 1] == '('

    def _prose_words(self, text):
        """Identifiers within prose: names with an underscore or a capital inside, and `names`."""
        def one(m):
            w = m.group()
            if '_' in w or re.search('[a-z0-9][A-Z]', w):
                return self.identifier(w)
            return w
        text = re.sub(r'`(?!-)[^`\n\x01 ]+`', lambda m: self.code(m.group()), text)
        return WORD.sub(one, text)

    def text(self, text):
        """Comments and prose; line breaks with their comment marks count as one blank."""
        breaks = []

        def note(m):
            breaks.append(m.group())
            return f'\x01{len(breaks) - 1}\x01'
        flat = re.sub(r'[ \t]*\n[ \t]*(?://+|\*(?!/)|#)?[ \t]*', note, text)
        flat = self._prose_words(flat)
        for regex, to in self.prose:
            flat = regex.sub(to, flat)
        return re.sub('\x01([0-9]+)\x01', lambda m: breaks[int(m.group(1))], flat)

    def clashes(self, text, path):
        """Names that a renamed one would meet: (old, new)."""
        names = set()
        for kind, piece in segments(text, path):
            if kind == 'code':
                names |= set(WORD.findall(piece))
        return [(n, self.identifier(n)) for n in sorted(names)
                if self.identifier(n) != n and self.identifier(n) in names]

    def all(self, text, path):
        out = []
        for kind, piece in segments(text, path):
            if kind == 'code':
                out.append(self.code(piece))
            elif kind == 'char':
                out.append(piece)
            else:
                if path.endswith('.py') and re.match(r'[rR]?[fF]', piece):
                    piece = re.sub(r'(?<!\{)\{([^{}]+)', lambda m: '{' + self.code(m.group(1)), piece)
                out.append(self.text(piece))
        return ''.join(out)
