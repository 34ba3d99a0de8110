"""What is left of the words that should be gone, file:line. python3 leftover.py [word]"""
import re, subprocess, sys
PATTERNS = {
 'fold': r'(?i)(?<![a-z])(un)?fold(s|ed|ing)?(?![a-z])|[a-z]Fold',
 'spread': r'(?i)(?<![a-z])spread(s|able|ing)?(?![a-z])|[a-z]Spread',
 'join': r'(?i)(?<![a-z])join(s|ed|ing|able)?(?![a-z])|[a-z]Join',
 'lane.': r'\blane\.|\blane_[xyz]',
 'together': r'(?i)together',
 'points': r'(?i)points? of (a|the|each|one) thread|threads?[\'’]s? points|points',
 'ahead': r'(?i)\bahead|Ahead',
 'unflatten': r'(?i)unflatten',
 'starts': r'\bwithStarts|\bstarts\b',
 'carry': r'(?i)\bcarr(y|ied|ies|ying)|Carr(y|ied)',
 'frame': r'(?i)frame',
 'least': r'\bleast\b(?<!at least)|\bvectorsFrom|\bwindowsFrom',
 'place': r'(?i)(?<!re)(?<!em)(?<!dis)place(?!ment|holder|_back|back)',
 'form': r'(?i)(?<![a-z])forms?(?![a-z])|[a-z]Forms?(?![a-z])',
 'odd': r'so-manieth|none of them is|that is none|nobody has|smooth',
}
SKIP = re.compile(r'^(bench/results/|docs/scoreboard/|docs/h200|tests/fixtures/)|\.(svg|png)$|^docs/glossary.md|^docs/papers.md')
def main(words=None):
    for f in subprocess.check_output(['git', 'ls-files'], text=True).split('\n'):
        if not f or SKIP.search(f): continue
        try: lines = open(f).read().split('\n')
        except Exception: continue
        for n, l in enumerate(lines, 1):
            for w, p in PATTERNS.items():
                if words and w not in words: continue
                if re.search(p, l):
                    print(f'{w}\t{f}:{n}: {l.strip()[:200]}')
if __name__ == '__main__':
    main(sys.argv[1:])
