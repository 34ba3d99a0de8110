"""Texts of tests that were in src before the rename, and whose new text is not in the new src. Run in the renamed, staged tree."""
import re,subprocess,sys,glob,os
sys.path.insert(0,'/tmp/words')
subprocess.run('rm -rf /tmp/words/oldtree; mkdir -p /tmp/words/oldtree; git archive HEAD src runtime tests | tar x -C /tmp/words/oldtree',shell=True)
def src(root): return '\n'.join(re.sub(r'"\s*\n\s*"','',open(f,errors='ignore').read()) for d in ('src','runtime') for f in glob.glob(f'{root}/{d}/**/*',recursive=True) if f.endswith(('.cpp','.h','.c','.cl','.cu')))
old,new=src('/tmp/words/oldtree'),src('.')
names={}
for l in subprocess.check_output(['git','diff','--cached','-M','--name-status','HEAD'],text=True).split('\n'):
    p=l.split('\t')
    if p[0].startswith('R'): names[p[2]]=p[1]
def pieces(t):
    out=[]
    for m in re.finditer(r'"((?:\\.|[^"\\\n]){6,})"|\'((?:\\.|[^\'\\\n]){6,})\'|[A-Z0-9_-]{3,}: (.*)',t):
        c=(m.group(1) or m.group(2) or m.group(3) or '').replace('\\"','"')
        for p in re.split(r"'[^']*'|\b\d[\d.]*\b|\{[^}]*\}|%s|\[\[.*?\]\]|[()\[\];]",c): out.append(p.strip())
    return out
for f in subprocess.check_output(['git','ls-files','tests'],text=True).split():
    if f.endswith(('.json','.png')): continue
    o='/tmp/words/oldtree/'+names.get(f,f)
    if not os.path.exists(o): continue
    try: a,b=pieces(open(o).read()),pieces(open(f).read())
    except Exception: continue
    if len(a)!=len(b): print('length',f,len(a),len(b)); continue
    for x,y in zip(a,b):
        if len(x)>=4 and x in old and y not in new: print(f,'|',x,'|',y)
        elif x==y and len(x)>=4 and x in old and x not in new: print(f,'gone|',x)
