#!/usr/bin/env python3
"""Words of the field. Run in the root of a clone: rename.py [--no-format] [--list].
Renames files, identifiers and phrases by the rules in rules.py, formats what it changed, and
lists what is left of the words that should be gone. Running it twice changes nothing more."""
import os, re, subprocess, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rules
from engine import Rules, segments

SKIP = re.compile(r'^(bench/results/|docs/scoreboard/|docs/h200|\.git|bench/share/.*json)|'
                  r'\.(svg|png|db|cubin|lock)$|^docs/(glossary|papers)\.md$|^CHANGELOG.md$|\.git-blame-ignore-revs|plan_renames\.|renamed_flags\.test')


def git(*words):
    return subprocess.run(['git', *words], check=True, capture_output=True, text=True).stdout


def tracked():
    return [f for f in git('ls-files').split('\n') if f and not SKIP.search(f)]


def moved_files():
    """old path -> new path"""
    out = {}
    for path in git('ls-files').split('\n'):
        folder, _, name = path.rpartition('/')
        stem, dot, rest = name.partition('.')
        new = rules.FILES.get(f'{folder}/{stem}', rules.FILES.get(stem))
        if new:
            out[path] = f'{folder}/{new}{dot}{rest}'
    return out


def move(moves):
    for old, new in moves.items():
        if os.path.exists(new):
            print(f'{old}: {new} is there already', file=sys.stderr)
            continue
        git('mv', old, new)


def path_rules(moves):
    """Mentions of moved files: with their folder (with or without src/), or by the name alone."""
    pairs = {}
    for old, new in moves.items():
        for cut in ('', 'src/'):
            if old.startswith(cut):
                a, b = old[len(cut):], new[len(cut):]
                pairs[a] = b
                pairs[a.rsplit('.', 1)[0]] = b.rsplit('.', 1)[0]
                # shorter: the last folder and the file
                a2, b2 = '/'.join(a.split('/')[-2:]), '/'.join(b.split('/')[-2:])
                pairs.setdefault(a2, b2)
                pairs.setdefault(a.split('/')[-1], b.split('/')[-1])
    return pairs


def replace_paths(text, pairs):
    if not pairs:
        return text
    keys = sorted((k for k in pairs if '/' in k or '_' in k and '.' in k), key=len, reverse=True)
    pattern = re.compile(r'(?<![\w/])(?:' + '|'.join(map(re.escape, keys)) + r')(?![\w])')
    return pattern.sub(lambda m: pairs[m.group()], text)


def mask(text):
    masked = []

    def one(m):
        masked.append(m.group())
        return f'\x03{len(masked) - 1}\x03'
    for pattern in rules.MASK:
        text = re.sub(pattern, one, text)
    return text, masked


def unmask(text, masked):
    for _ in range(2):
        text = re.sub('\x03([0-9]+)\x03', lambda m: masked[int(m.group(1))], text)
    return text


OLD_FLAGS = '''  // Names of before.
  for (auto [old, now] : {std::pair{"--no-" "spread", "--no-block-reduction"},
                          std::pair{"--no-" "joining", "--no-fusion"}})
    app.add_flag_callback(old, [old, now] {
         throw UserError{std::string(old) + " is called " + now + " now", 2};
       })->group("");
'''


def with_old_flags(text):
    """The old name of a flag is an error that names the new one."""
    at = text.find('app.add_flag("--no-block-reduction"')
    at = at if at >= 0 else text.find('"--no-block-reduction"')
    if at < 0 or 'Names of before' in text:
        return text
    begin = text.rfind(';\n', 0, at) + 2
    return text[:begin] + OLD_FLAGS + text[begin:]


def main():
    moves = moved_files()
    move(moves)
    pairs = path_rules(moves)
    all_rules = Rules(rules.IDENTIFIERS, rules.WORDS, rules.PROSE, rules.KEEP, rules.IN_CODE)
    back = {new: old for old, new in moves.items()}
    changed = list(moves.values())
    for path in tracked():
        if not os.path.isfile(path) or os.path.islink(path):
            continue
        try:
            before = open(path, encoding='utf-8').read()
        except UnicodeDecodeError:
            continue
        after = replace_paths(before, pairs)
        if '--clashes' in sys.argv:
            for old, new in all_rules.at(path).clashes(after, path):
                print(f'clash: {path}: {old} -> {new}')
        after, masked = mask(after)
        after = all_rules.at(path).all(after, path)
        after = unmask(after, masked)
        if path.endswith('cli/options.cpp'):
            after = with_old_flags(after)
        if after != before:
            with open(path, 'w', encoding='utf-8') as out:
                out.write(after)
            changed.append(path)
    changed = sorted(set(changed))
    print(f'{len(moves)} files moved, {len(changed)} changed')
    if '--no-format' not in sys.argv:
        format_all(changed)
    leftovers()


def format_all(changed):
    code = [f for f in changed if re.match(r'(src|runtime|tests/unit|tests/fuzz|tests/mutation|tests/libfuzzer|tests/emulation)/', f)
            and f.endswith(('.cpp', '.h', '.c', '.inc'))]
    if code:
        subprocess.run(['clang-format-22', '-i', *code], check=False)
    pages = [f for f in changed if f.endswith('.md')]
    if pages and os.path.exists('scripts/markdown.py'):
        subprocess.run([sys.executable, 'scripts/markdown.py', *pages], check=False)


def leftovers():
    if '--list' not in sys.argv:
        return
    import leftover
    leftover.main()


if __name__ == '__main__':
    main()
