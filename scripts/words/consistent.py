"""Names that two files would call differently although one declares it for the other. Run on a tree before renaming (git stash / HEAD)."""
import sys, re, subprocess, collections
sys.path.insert(0,'/tmp/words')
import rules
from engine import Rules, segments, WORD
R=Rules(rules.IDENTIFIERS,rules.WORDS,rules.PROSE,rules.KEEP,rules.IN_CODE)
files=[f for f in subprocess.check_output(['git','ls-files','src','tests/unit','tests/fuzz','tests/mutation','tests/libfuzzer'],text=True).split() if f.endswith(('.cpp','.h'))]
import rename
by=collections.defaultdict(lambda: collections.defaultdict(set))
moves=rename.moved_files()
member=collections.defaultdict(lambda: collections.defaultdict(set))
for f in files:
    at=R.at(moves.get(f,f))
    for kind,t in segments(open(f).read(),f):
        if kind!='code': continue
        new=at.code(t)
        for a,b in zip(WORD.finditer(t),WORD.finditer(new)):
            by[a.group()][b.group()].add(f)
for name,to in sorted(by.items()):
    if len(to)<2: continue
    headers=[f for s in to.values() for f in s if f.endswith('.h')]
    if not headers: continue
    print(name)
    for new,fs in to.items():
        print('   ',new,':',' '.join(sorted(fs)[:14]))
