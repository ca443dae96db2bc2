#!/usr/bin/env python3
"""Renders bibliographic records as a reference list in one of twelve styles.

    python render.py RECORDS.jsonl STYLE SEED [--gold OUT.jsonl] [--n N] [--shuffle] [--wrap]
    python render.py --styles

Standard library only. The same records, style and seed always give the same list.
A list has one configuration (numbers, DOI, dashes, spacing of initials, et al. ...) drawn from the
seed, and a little noise per entry (a missing DOI, missing pages). Gold lines, in the order printed:
{"n", "title", "title_as_printed", "first_author_family", "first_author_as_printed", "authors_n",
 "authors_printed", "et_al_printed", "year", "text", "id", "style"}.
authors_n counts the record's authors, authors_printed those named in the entry.
--n draws N records, --shuffle changes their order, --wrap breaks entries over lines with a hanging indent as copied from PDFs.
"""
import argparse
import json
import random
import re
import sys
import unicodedata

STYLES = ['harvard_plain', 'apa', 'vancouver', 'vancouver_etal', 'ieee', 'neurips', 'acl',
          'chicago_author_date', 'mla', 'gbt7714', 'bare', 'markdown']
ARTICLE, PROC, BOOK, CHAP, THESIS, REPORT, WEB, PRE, NEWS = (
    'article', 'inproceedings', 'book', 'incollection', 'phdthesis', 'techreport', 'webpage', 'preprint', 'newspaper')


# ---------------------------------------------------------------- names
def cjk(s):
    return bool(re.search(r'[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]', s or ''))


def is_org(a):
    return bool(a.get('org'))


def initials(given, dot='.', sep=' ', hyphen=True):
    """'Joan P.' -> 'J. P.'; 'Jean-Luc' -> 'J.-L.'; lower-case particles stay whole."""
    out = []
    for part in (given or '').split():
        if part[0].islower() and part.isalpha():
            out.append((' ' if out and not sep else '') + part)
            continue
        sub = []
        for p in re.split(r'[-‐]', part):
            ch = ''
            for i, c in enumerate(p):
                if unicodedata.category(c)[0] == 'L' and c != 'ʿ':
                    ch = c
                    for d in p[i + 1:]:
                        if unicodedata.category(d) == 'Mn':
                            ch += d
                        else:
                            break
                    break
            if ch:
                sub.append((ch.upper() if len(ch) == 1 else ch) + dot)
        out.append(('-' if hyphen else '').join(sub))
    return sep.join(x for x in out if x)


def full(a):  # John A. Smith
    if is_org(a) or not a.get('given'):
        return a['family']
    if cjk(a['family']):
        return a['family'] + a['given']
    s = a['given'] + ' ' + a['family']
    return s + (' ' + a['suffix'] if a.get('suffix') else '')


def inv_full(a):  # Smith, John A.
    if is_org(a) or not a.get('given'):
        return a['family']
    if cjk(a['family']):
        return a['family'] + a['given']
    return a['family'] + ', ' + a['given'] + (', ' + a['suffix'] if a.get('suffix') else '')


def inv_init(a, comma=', ', dot='.', sep=' ', hyphen=True, suffix=', '):  # Smith, J. A.
    if is_org(a) or not a.get('given'):
        return a['family']
    if cjk(a['family']):
        return a['family'] + a['given']
    s = a['family'] + comma + initials(a['given'], dot, sep, hyphen)
    return s + (suffix + a['suffix'] if a.get('suffix') else '')


def fwd_init(a, sep=' '):  # J. A. Smith
    if is_org(a) or not a.get('given'):
        return a['family']
    if cjk(a['family']):
        return a['family'] + a['given']
    s = initials(a['given'], '.', sep) + ' ' + a['family']
    return s + (' ' + a['suffix'] if a.get('suffix') else '')


def join(xs, last=' and ', oxford=False, sep=', '):
    if len(xs) <= 1:
        return ''.join(xs)
    if len(xs) == 2:
        return xs[0] + (last if not oxford or oxford == 'many' else ',' + last) + xs[1]
    return sep.join(xs[:-1]) + (',' if oxford else '') + last + xs[-1]


# Small parts
def stop(s):
    """A full stop unless the text already ends its sentence."""
    s = s.rstrip()
    t = re.sub(r'[*_”"’\')\]]+$', '', s)
    return s if t[-1:] in '.?!…？！。' else s + '.'


def dash(s, cfg):
    return re.sub(r'[–-]', cfg['dash'], s) if s else s


def short_pages(p, cfg):
    """Vancouver: 211–238 -> 211-38."""
    m = re.match(r'^(\d+)[–-](\d+)$', p or '')
    if not m:
        return (p or '').replace('–', '-')
    a, b = m.groups()
    if len(a) == len(b):
        i = 0
        while i < len(b) - 1 and a[i] == b[i]:
            i += 1
        b = b[i:]
    return a + '-' + b


def doi_of(r, cfg):
    if not r.get('doi') or not r.get('_doi'):
        return ''
    return {'url': 'https://doi.org/', 'doi': 'doi:', 'doisp': 'doi: ', 'DOI': 'DOI: ', 'bare': '', 'dx': 'http://dx.doi.org/'}[cfg['doi']] + r['doi']


def url_of(r):
    return r.get('url') if r.get('_url') else None


def bibtex_case(t):
    """change.case$ 't' : lower case but for the first letter and the letter after a colon."""
    out, up = [], True
    for tok in re.split(r'(\s+)', t):
        if not tok.strip():
            out.append(tok); continue
        braces = bool(re.search(r'\d|[^\x00-\x7f]|.[A-Z]|[+#/]', tok))  # what careful authors put in braces
        if braces or up:
            out.append(tok)
        else:
            out.append(tok.lower())
        up = tok.endswith(':')
    return ''.join(out)


def nested(t, single):
    """Quoted phrases within a quoted title."""
    if single:      # outer quotes are single, inner double
        return t
    return t.replace('“', '‘').replace('”', '’')


def it(s, cfg):
    if not s:
        return s
    return '%s%s%s' % (cfg['it'], s, cfg['it'])


def venue(r, cfg):
    v = r.get('venue')
    if cfg['abbr'] and r.get('venue_abbr'):
        v = r['venue_abbr']
    return v


def ed_str(r, f, sep=' and '):
    return join([f(e) for e in r.get('editors', [])], sep)


MON = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']


def accessed(r, rnd_day):
    return r.get('accessed') or '%d %s %d' % (rnd_day % 27 + 1, MON[rnd_day % 12], 2024 + rnd_day % 2)


# ---------------------------------------------------------------- configuration
def configure(style, rng):
    c = {'dash': rng.choice(['–', '–', '-']), 'abbr': rng.random() < .4, 'p_doi': rng.choice([0, .7, 1, 1]),
         'p_url': rng.choice([0, .6, 1]), 'doi': 'url', 'it': rng.choice(['', '', '*', '_']),
         'num': '', 'amp': rng.random() < .5, 'blank': rng.random() < .6, 'acc': rng.random() < .6, 'p_miss': rng.choice([0, 0, .1]),
         'straight': rng.random() < .5}
    r = rng.random()
    if style == 'harvard_plain':
        c['variant'] = rng.choice(['ctr', 'ctr', 'aru', 'aru', 'leeds', 'agps'])
        c['isep'] = {'ctr': '', 'aru': '', 'leeds': '', 'agps': ''}[c['variant']]
        if rng.random() < .3 and c['variant'] != 'agps':
            c['isep'] = ' '
        c['amp'] = {'ctr': rng.random() < .2, 'aru': rng.random() < .6, 'leeds': False, 'agps': True}[c['variant']]
        c['etal'] = rng.choice([None, None, 3, 6])
        c['doi'] = rng.choice(['doi', 'url', 'url', 'DOI'])
        c['num'] = rng.choice(['', '', '', '', '- '])
    elif style == 'apa':
        c['isep'] = rng.choice([' ', ' ', ' ', ''])
        c['etal'] = rng.choice([None, None, None, 6])
        c['doi'] = rng.choice(['url', 'url', 'url', 'doi', 'dx'])
        c['num'] = rng.choice(['', '', '', '1. ', '- '])
        c['dash'] = rng.choice(['–', '–', '–', '-'])
    elif style in ('vancouver', 'vancouver_etal'):
        c['etal'] = None if style == 'vancouver' else rng.choice([3, 6, 6])
        c['doi'] = rng.choice(['doi', 'doisp', 'url', 'doi'])
        c['num'] = rng.choice(['1. ', '1. ', '1. ', '[1] ', '(1) ', ''])
        c['abbr'] = rng.random() < .8
        c['it'] = rng.choice(['', '', '', '*'])
        c['ushort'] = rng.random() < .6
        c['ama'] = rng.random() < .25
    elif style == 'ieee':
        c['num'] = rng.choice(['[1] ', '[1] ', '[1] ', '[1]\t', '1. '])
        c['doi'] = rng.choice(['doisp', 'doisp', 'url', 'doi'])
        c['etal'] = rng.choice([6, 6, None, 3])
        c['abbr'] = rng.random() < .6
        c['order'] = rng.choice(['year_last', 'year_last', 'year_vol'])
    elif style == 'neurips':
        c['num'] = rng.choice(['', '', '[1] ', '[1] '])
        c['lower'] = rng.random() < .6
        c['doi'] = rng.choice(['doi', 'url', 'doisp', 'url'])
        c['p_doi'] = rng.choice([0, 0, .5, 1]); c['p_url'] = rng.choice([0, .5, 1])
        c['abbrv'] = rng.random() < .25      # abbrvnat: initials
        c['etal'] = rng.choice([None, None, None, 10])
    elif style == 'acl':
        c['num'] = rng.choice(['', '', '', '', '- '])
        c['lower'] = rng.random() < .4
        c['p_doi'] = rng.choice([0, 0, .4]); c['p_url'] = rng.choice([0, .5, 1])
        c['link'] = rng.random() < .25
        c['etal'] = None
    elif style == 'chicago_author_date':
        c['doi'] = rng.choice(['url', 'url', 'doi'])
        c['threeem'] = False
        c['etal'] = rng.choice([10, 10, 3])
        c['num'] = rng.choice(['', '', '', '1. '])
    elif style == 'mla':
        c['doi'] = rng.choice(['url', 'url', 'doi', 'doi'])
        c['num'] = rng.choice(['', '', '', '1. '])
    elif style == 'gbt7714':
        c['num'] = rng.choice(['[1] ', '[1] ', '[1]', '［1］'])
        c['dash'] = rng.choice(['-', '-', '–'])
        c['it'] = ''
        c['upper'] = rng.random() < .7
        c['punct'] = rng.choice([('. ', ', ', ': '), ('. ', ', ', ': '), ('.', ',', ':'), ('．', '，', '：')])
        c['doi'] = rng.choice(['DOI:', 'DOI:', 'bare'])
        c['fullname'] = rng.random() < .15
        c['typed'] = rng.random() < .92
    elif style == 'bare':
        c['forms'] = rng.sample(range(12), rng.choice([1, 1, 2, 3, 12]))
        c['num'] = rng.choice(['', '', '', '', '- ', '• '])
        c['blank'] = rng.random() < .3
    elif style == 'markdown':
        c['forms'] = rng.sample(range(10), rng.choice([1, 1, 2, 10]))
        c['num'] = rng.choice(['- ', '- ', '* ', '1. ', '1. ', '', '[1] '])
        c['blank'] = rng.random() < .25
        c['it'] = '*'
    if c['num'].strip() == '' and not c['blank']:
        c['blank'] = rng.random() < .5
    return c


HEADS = {'harvard_plain': ['References', 'Reference list', 'Bibliography', 'REFERENCES'], 'apa': ['References', 'References', 'REFERENCES'],
         'vancouver': ['References', 'REFERENCES', 'Literature cited'], 'vancouver_etal': ['References', 'REFERENCES', 'Literature'],
         'ieee': ['References', 'REFERENCES'], 'neurips': ['References', 'References', 'Bibliography'], 'acl': ['References', 'References'],
         'chicago_author_date': ['References', 'Bibliography', 'Works Cited'], 'mla': ['Works Cited', 'Works cited'],
         'gbt7714': ['参考文献', '参考文献', '参考文献：', 'References'], 'bare': ['Sources', 'References', 'Further reading', 'Literature', 'Papers'],
         'markdown': ['References', 'Sources', 'Further reading', 'Papers', 'Bibliography', 'Reading list']}


def heading(style, rng):
    h = rng.choice(HEADS[style])
    f = rng.choice(['## %s', '## %s', '# %s', '### %s', '**%s**', '%s', '%s'] if style != 'markdown' else ['## %s', '## %s', '### %s', '**%s**', '# %s'])
    if f == '%s' and rng.random() < .3 and not h.endswith('：'):
        h += ':'
    return f % h


# ---------------------------------------------------------------- the styles
# each returns (text, printed_title, printed_family, n_printed, et_al)
def authors_list(r, f, etal_after, keep=None):
    """names as strings, et_al flag. etal_after: cut when there are more; keep: how many stay."""
    a = r['authors']
    if etal_after and len(a) > etal_after:
        return [f(x) for x in a[:keep or etal_after]], True
    return [f(x) for x in a], bool(r.get('et_al'))


def harvard_plain(r, c, rng):
    f = lambda a: inv_init(a, sep=c['isep'])
    v = c['variant']
    if v == 'agps':
        f = lambda a: inv_init(a, dot='', sep='', suffix=' ')
    xs, ea = authors_list(r, f, c['etal'], 1 if c['etal'] == 3 else None)
    au = join(xs, ' & ' if c['amp'] else ' and ')
    et = it('et al.', c) if c['it'] and v == 'ctr' else 'et al.'
    if ea:
        au = ', '.join(xs) + (' ' if len(xs) == 1 or v == 'ctr' else ', ') + et
    y = str(r['year']) if r.get('year') else ('no date' if v in ('ctr',) else 'n.d.')
    if r.get('suffix_year'):
        y += r['suffix_year']
    head = {'ctr': '%s (%s) ', 'aru': '%s, %s. ', 'leeds': '%s %s. ', 'agps': '%s %s, '}[v] % (au.rstrip('.') if v == 'aru' and False else au, y)
    t = r['title']
    P = 'pp. ' if v in ('ctr', 'agps') else rng.choice(['pp.', 'pp.', 'pp. '])
    pg = dash(r.get('pages'), c)
    pgs = ''
    if pg and not r.get('_nopages'):
        pgs = (P if re.search('[–-]', pg) else P.replace('pp', 'p')) + pg
    vi = ''
    if r.get('volume'):
        vi = r['volume'] + ('(%s)' % r['issue'] if r.get('issue') else '')
        if v == 'agps':
            vi = 'vol. ' + r['volume'] + (', no. ' + r['issue'] if r.get('issue') else '')
    ve = venue(r, c)
    k = r['kind']
    S = (lambda s: s if s[-1:] in '?!' else s + ',') if v == 'agps' else stop
    if k == ARTICLE:
        body = S(t) + ' ' + ', '.join(x for x in [it(ve, c), vi, pgs] if x) + '.'
        if v == 'leeds':
            body = stop(t) + ' ' + it(ve, c) + '. ' + ', '.join(x for x in [vi, pgs] if x) + '.'
            body = body.replace(' .', '')
    elif k == PROC:
        place = rng.choice(['', '', 'Online, ', 'Leeds, UK, '])
        inn = rng.choice(['In: ', 'In ', 'in '])
        body = S(t) + ' ' + inn + it(ve, c) + (', ' + place.rstrip(', ') if place else '') + (', ' + pgs if pgs else '') + '.'
    elif k == CHAP:
        eds = ed_str(r, f, ' & ' if c['amp'] else ' and ')
        e = '(ed.)' if len(r.get('editors', [])) == 1 else rng.choice(['(eds.)', '(eds)'])
        body = S(t) + ' ' + rng.choice(['In: ', 'In ', 'in ']) + '%s %s %s. %s: %s' % (eds, e, it(ve, c), r.get('place', 'London'), r.get('publisher', '')) + (', ' + pgs if pgs else '') + '.'
    elif k == BOOK:
        ed = ''
        if r.get('edition'):
            ed = ' %s edn.' % r['edition'] if v != 'agps' else ' %s edn,' % r['edition']
        pub = '%s: %s' % (r.get('place', 'London'), r.get('publisher', ve)) if v != 'agps' else '%s, %s' % (r.get('publisher', ve), r.get('place', 'London'))
        if r.get('edited'):
            head = head.replace(' (', ' (eds) (', 1) if v == 'ctr' else head
        body = S(it(t, c)) + ed + ' ' + pub + '.'
    elif k == THESIS:
        body = S(it(t, c)) + ' %s. %s.' % (r.get('degree', 'PhD thesis'), r['school'])
    elif k == PRE:
        body = S(t) + ' ' + (it(ve, c)) + rng.choice(['.', ' [Preprint].'])
    elif k == NEWS:
        body = S(t) + ' ' + it(ve, c) + (', ' + r['date'].rsplit(' ', 1)[0] if r.get('date') and ' ' in r['date'] else '') + (', p. ' + r['pages'] if r.get('pages') else '') + '.'
    else:
        pub = ve if ve and ve not in [a['family'] for a in r['authors']] else ''
        num = ', ' + r['number'] if r.get('number') and rng.random() < .6 else ''
        body = stop(it(t, c) + (' [online]' if v == 'aru' and r.get('url') else '') + num) + (' %s%s.' % (r['place'] + ': ' if r.get('place') else '', pub) if pub else '')
    tail = ''
    d, u = doi_of(r, c), url_of(r)
    if d:
        tail = ' ' + ('Available at: ' if c['doi'] == 'url' and v in ('ctr', 'aru') and rng.random() < .6 else '') + d + rng.choice(['', '.', ''])
    elif u:
        acc = accessed(r, rng.randrange(400))
        if v == 'ctr':
            tail = ' Available at: %s' % u + (' (Accessed: %s).' % acc if c['acc'] else '')
        elif v == 'aru':
            tail = rng.choice([' Available at: <%s>', ' Available at: %s']) % u + (' [Accessed %s].' % acc if c['acc'] else '.')
        elif v == 'leeds':
            tail = (' [Accessed %s].' % acc if c['acc'] else '') + ' Available from: %s' % u
        else:
            tail = (' viewed %s,' % acc if c['acc'] else '') + ' <%s>.' % u
    return head + body + tail, t, r['authors'][0]['family'], len(xs), ea


def apa(r, c, rng):
    f = lambda a: inv_init(a, sep=c['isep'])
    a = r['authors']
    if len(a) > 20:
        xs = [f(x) for x in a[:19]]
        au = ', '.join(xs) + rng.choice([', . . . ', ', … ', ', ... ']) + f(a[-1]); n = 20; ea = False
    elif c['etal'] and len(a) > c['etal']:
        xs = [f(x) for x in a[:c['etal']]]; au = ', '.join(xs) + ', et al.'; n = len(xs); ea = True
    else:
        xs = [f(x) for x in a]; n = len(xs); ea = False
        au = join(xs, ' & ', True) if len(xs) > 2 or not all(is_org(x) for x in a) else join(xs, ' & ')
    if r.get('edited'):
        au += ' (Eds.).' if len(a) > 1 else ' (Ed.).'
    au = stop(au)
    y = str(r['year']) if r.get('year') else 'n.d.'
    if r['kind'] == NEWS and r.get('date') and re.match(r'\d+ \w+ \d{4}$', r['date']):
        dd, mm, yy = r['date'].split(); y = '%s, %s %s' % (yy, mm, dd)
    t, ve, pg = r['title'], venue(r, c), dash(r.get('pages'), c)
    if r.get('_nopages'):
        pg = None
    k = r['kind']
    d, u = doi_of(r, c), url_of(r)
    if k == ARTICLE:
        b = stop(t) + ' ' + it(ve, c)
        if r.get('volume'):
            b += ', ' + it(r['volume'], c) + ('(%s)' % r['issue'] if r.get('issue') else '')
        if pg:
            b += ', ' + (('Article ' + pg) if re.match(r'^[A-Za-z]\d+$', pg) else pg)
        b += '.'
    elif k == PROC:
        b = stop(t) + ' In ' + it(ve, c) + (' (pp. %s)' % pg if pg else '') + '.'
    elif k == CHAP:
        e = ed_str(r, lambda a: fwd_init(a, c['isep']), ' & ')
        b = stop(t) + ' In %s (%s), %s%s. %s.' % (e, 'Ed.' if len(r['editors']) == 1 else 'Eds.', it(ve, c), ' (pp. %s)' % pg if pg else '', r.get('publisher', ''))
    elif k == BOOK:
        b = it(t, c) + (' (%s ed.)' % r['edition'] if r.get('edition') else '')
        b = stop(b) + ' %s.' % r.get('publisher', ve)
    elif k == THESIS:
        deg = {'PhD thesis': 'Doctoral dissertation', '博士': 'Doctoral dissertation', 'MSc thesis': "Master's thesis"}[r.get('degree', 'PhD thesis')]
        b = it(t, c) + ' [%s, %s].' % (deg, r['school'])
    elif k == PRE:
        b = stop(it(t, c)) + ' ' + (ve[0].upper() + ve[1:] if False else ve.replace('arXiv preprint arXiv:', 'arXiv:' if rng.random() < .3 else 'arXiv preprint arXiv:')) + '.'
    elif k == NEWS:
        b = stop(t) + ' ' + it(ve, c) + (', ' + r['pages'] if r.get('pages') else '') + '.'
        if ve in [x['family'] for x in a]:
            b = stop(t)
    else:
        same = ve in [x['family'] for x in a]
        b = it(t, c) + (' (%s)' % r['number'] if r.get('number') else '')
        b = stop(b) + ('' if same or not ve else ' %s.' % ve)
    tail = ' ' + d if d else (' ' + (('Retrieved %s, from ' % us_date(accessed(r, 5))) if c['acc'] and k == WEB else '') + u if u else '')
    return '%s (%s). %s%s' % (au, y, b, tail), t, a[0]['family'], n, ea


def us_date(s):
    m = re.match(r'(\d+) (\w+) (\d+)', s)
    return '%s %s, %s' % (m.group(2), m.group(1), m.group(3)) if m else s


def _vancouver(r, c, rng):
    f = lambda a: inv_init(a, comma=' ', dot='', sep='', hyphen=False, suffix=' ')
    xs, ea = authors_list(r, f, c['etal'])
    au = ', '.join(xs) + (', et al' if ea else '')
    if r.get('edited'):
        au += ', editors'
    au += '.'
    t, ve, k = r['title'], venue(r, c) or '', r['kind']
    pg = short_pages(r.get('pages'), c) if c['ushort'] else dash(r.get('pages'), c)
    if r.get('_nopages'):
        pg = None
    y = str(r['year']) if r.get('year') else '[date unknown]'
    d, u = doi_of(r, c), url_of(r)
    if k == ARTICLE:
        b = stop(t) + ' ' + (it(ve, c) if ve.endswith('.') else it(ve, c) + '.') + ' ' + y
        if r.get('volume'):
            b += ';' + (' ' if c['ama'] and rng.random() < .3 else '') + r['volume'] + ('(%s)' % r['issue'] if r.get('issue') else '')
        if pg:
            b += ':' + pg
        b += '.'
    elif k == PROC:
        b = stop(t) + ' In: %s; %s.' % (ve.rstrip('.'), y) + (' p. %s.' % pg if pg else '')
    elif k == CHAP:
        b = stop(t) + ' In: %s, %s. %s. %s: %s; %s.' % (', '.join(f(e) for e in r['editors']), 'editor' if len(r['editors']) == 1 else 'editors', ve.rstrip('.'), r.get('place', 'London'), r.get('publisher', ''), y) + (' p. %s.' % pg if pg else '')
    elif k == BOOK:
        b = stop(t) + (' %s ed.' % r['edition'] if r.get('edition') else '') + ' %s: %s; %s.' % (r.get('place', 'London'), r.get('publisher', ve), y)
    elif k == THESIS:
        b = t + ' [%s]. %s: %s; %s.' % ({'PhD thesis': 'dissertation', '博士': 'dissertation', 'MSc thesis': "master's thesis"}[r.get('degree', 'PhD thesis')], r.get('place', '[place unknown]'), r['school'], y)
    elif k == PRE:
        b = stop(t) + ' %s. %s.' % (ve + (' [Preprint]' if 'preprint' not in ve else ''), y)
    elif k == NEWS:
        b = stop(t) + ' %s. %s%s.' % (ve, y, ';:' + r['pages'] if r.get('pages') else '')
    else:
        on = ' [Internet]' if u else ''
        same = ve in [x['family'] for x in r['authors']] or not ve
        pub = (r['place'] + ': ' if r.get('place') else '') + (ve if not same or r.get('place') else '')
        acc = accessed(r, rng.randrange(400))
        b = (t + on if on else t)
        b = stop(b) + (' %s; %s' % (pub, y) if pub else ' ' + y) + (' [cited %s]' % cited(acc) if on and c['acc'] else '') + '.'
    tail = ' ' + d + ('.' if c['doi'] == 'doi' and rng.random() < .5 else '') if d else (' Available from: ' + u if u else '')
    return au + ' ' + b + tail, t, r['authors'][0]['family'], len(xs), ea


def cited(s):
    m = re.match(r'(\d+) (\w+) (\d+)', s)
    return '%s %s %s' % (m.group(3), m.group(2)[:3], m.group(1)) if m else s


vancouver = vancouver_etal = _vancouver


def ieee(r, c, rng):
    f = fwd_init
    a = r['authors']
    if c['etal'] and len(a) > c['etal']:
        xs = [f(a[0])] if c['etal'] == 6 or rng.random() < .5 else [f(x) for x in a[:3]]
        au = ', '.join(xs) + (' et al.' if len(xs) == 1 else ', et al.'); ea = True
        if c['it']:
            au = au.replace('et al.', it('et al.', c))
    else:
        xs = [f(x) for x in a]; ea = False
        au = join(xs, ' and ', 'many')
    if r.get('edited'):
        au += ', Eds.' if len(a) > 1 else ', Ed.'
    q1, q2 = ('"', '"') if c['straight'] else ('“', '”')
    t = r['title']; tn = nested(t, False)
    if c['straight']:
        tn = tn.replace('‘', "'").replace('’', "'")
    tq = q1 + tn + ('' if t[-1] in '?!' else ',') + q2
    ve, k, pg = venue(r, c), r['kind'], dash(r.get('pages'), c)
    if r.get('_nopages'):
        pg = None
    y = str(r['year']) if r.get('year') else 'n.d.'
    my = (rng.choice(['Jan.', 'Mar.', 'May', 'Jul.', 'Sep.', 'Dec.']) + ' ' + y) if rng.random() < .4 and r.get('year') else y
    pp = (('pp. ' if re.search('[–-]', pg) else ('p. ' if re.match(r'^\d+$', pg) else 'Art. no. ')) + pg) if pg else ''
    d, u = doi_of(r, c), url_of(r)
    if k == ARTICLE:
        mid = [it(ve, c), 'vol. ' + r['volume'] if r.get('volume') else '', 'no. ' + r['issue'] if r.get('issue') else '', pp, my]
        if c['order'] == 'year_vol':
            mid = [it(ve, c), my] + mid[1:4]
        b = '%s, %s %s' % (au, tq, ', '.join(x for x in mid if x))
    elif k == PROC:
        b = '%s, %s in %s, %s%s' % (au, tq, it(ve if ve.startswith(('Proc', 'Adv', 'Find')) or not rng.random() < .5 else 'Proc. ' + ve, c), y, ', ' + pp if pp else '')
    elif k == CHAP:
        b = '%s, %s in %s, %s, %s. %s: %s, %s%s' % (au, tq, it(ve, c), join([f(e) for e in r['editors']]), 'Ed' if len(r['editors']) == 1 else 'Eds', r.get('place', 'London'), r.get('publisher', ''), y, ', ' + pp if pp else '')
    elif k == BOOK:
        tn = t
        b = '%s, %s%s %s: %s, %s' % (au, it(t, c), ', %s ed.' % r['edition'] if r.get('edition') else ('' if t[-1] in '?!' else '.'), r.get('place', 'London'), r.get('publisher', ve), y)
    elif k == THESIS:
        b = '%s, %s %s, %s, %s' % (au, tq, {'PhD thesis': 'Ph.D. dissertation', '博士': 'Ph.D. dissertation', 'MSc thesis': 'M.S. thesis'}[r.get('degree', 'PhD thesis')], r['school'], y)
    elif k == PRE:
        b = '%s, %s %s, %s' % (au, tq, it(ve, c), my)
    elif k == NEWS:
        b = '%s, %s %s, %s' % (au, tq, it(ve, c), r.get('date') or y)
    else:
        parts = [ve if ve and ve not in [x['family'] for x in a] else '', r.get('place', ''), r.get('number', ''), y]
        if k == WEB and u and rng.random() < .5:
            b = '%s, %s %s. Accessed: %s' % (au, tq, ', '.join(x for x in [parts[0] , y] if x), cited_ieee(accessed(r, rng.randrange(400))))
        else:
            b = '%s, %s %s' % (au, tq, ', '.join(x for x in parts if x))
    if d:
        b += ', ' + d + '.'
    else:
        b = stop(b)
        if u:
            b += ' [Online]. Available: ' + u
    return b, tn, a[0]['family'], len(xs), ea


def cited_ieee(s):
    m = re.match(r'(\d+) (\w+) (\d+)', s)
    return '%s. %s, %s' % (m.group(2)[:3], m.group(1), m.group(3)) if m else s


def neurips(r, c, rng):
    f = fwd_init if c['abbrv'] else full
    xs, ea = authors_list(r, f, c['etal'])
    au = join(xs, ' and ', 'many') if not ea else ', '.join(xs) + ', et al.'
    if r.get('edited'):
        au += ', editors' if len(xs) > 1 else ', editor'
    t, k, pg = r['title'], r['kind'], dash(r.get('pages'), c)
    if r.get('_nopages'):
        pg = None
    if c['lower'] and k in (ARTICLE, PROC, CHAP, PRE) and not r.get('lang'):
        t = bibtex_case(t)
    ve, y = venue(r, c), str(r['year']) if r.get('year') else ''
    Y = ', ' + y if y else ''
    d, u = doi_of(r, c), url_of(r)
    if k == ARTICLE:
        vp = ''
        if r.get('volume'):
            vp = ', ' + r['volume'] + ('(%s)' % r['issue'] if r.get('issue') else '') + (':' + pg if pg else '')
        elif pg:
            vp = ', pages ' + pg
        b = '%s %s %s%s%s.' % (stop(au), stop(t), it(ve, c), vp, Y)
    elif k == PROC:
        b = '%s %s In %s%s%s.' % (stop(au), stop(t), it(ve, c), ', pages ' + pg if pg else '', Y)
    elif k == CHAP:
        b = '%s %s In %s, %s, %s%s. %s%s.' % (stop(au), stop(t), join([f(e) for e in r['editors']], ' and '), 'editor' if len(r['editors']) == 1 else 'editors', it(ve, c), ', pages ' + pg if pg else '', r.get('publisher', ''), Y)
    elif k == BOOK:
        b = '%s %s %s%s%s.' % (stop(au), stop(it(t, c)), r.get('publisher', ve), ', %s edition' % r['edition'].replace('2nd', 'second').replace('4th', 'fourth') if r.get('edition') else '', Y)
    elif k == THESIS:
        b = '%s %s %s, %s%s.' % (stop(au), stop(it(t, c)), "Master's thesis" if r.get('degree') == 'MSc thesis' else 'PhD thesis', r['school'], Y)
    elif k == PRE:
        b = '%s %s %s%s.' % (stop(au), stop(t), it(ve, c), Y)
    else:
        org = ve if ve and ve not in [x['family'] for x in r['authors']] else ''
        if k == REPORT:
            b = '%s %s %s%s%s.' % (stop(au), stop(t), 'Technical report' + (' ' + r['number'] if r.get('number') else ''), ', ' + org if org else '', Y)
        else:
            b = '%s %s %s%s.' % (stop(au), stop(t), org, Y) if org else '%s %s %s.' % (stop(au), stop(t), y)
            b = re.sub(r'\s+\.$', '', b)
    if d:
        b += ' ' + (d if c['doi'] != 'url' else 'URL ' + d) + '.'
    elif u:
        b += rng.choice([' URL %s.', ' URL %s.', ' %s.']) % u
        if k == WEB and c['acc']:
            b = b[:-1] + rng.choice(['. Accessed: %s.', '. [Accessed %s].']) % accessed(r, rng.randrange(400))
    return b, t, r['authors'][0]['family'], len(xs), ea


def acl(r, c, rng):
    xs, ea = authors_list(r, full, None)
    au = join(xs, ' and ', 'many')
    if r.get('edited'):
        au += ', editors'
    t, k, pg = r['title'], r['kind'], dash(r.get('pages'), c)
    if r.get('_nopages'):
        pg = None
    if c['lower'] and k in (ARTICLE, PROC, CHAP, PRE) and not r.get('lang'):
        t = bibtex_case(t)
    ve, y = venue(r, c), str(r['year']) if r.get('year') else 'n.d.'
    d, u = doi_of(r, c), url_of(r)
    T = t
    link = u or (r.get('doi') and r.get('_doi') and 'https://doi.org/' + r['doi'])
    if c['link'] and link:
        T = '[%s](%s)' % (t, link); d = u = ''
    T = stop(T) if not T.endswith(')') or t == T else (T if t[-1] in '?!' else T + '.')
    h = '%s %s. ' % (stop(au), y)
    if k == ARTICLE:
        vp = ''
        if r.get('volume'):
            vp = ', ' + r['volume'] + ('(%s)' % r['issue'] if r.get('issue') else '') + (':' + pg if pg else '')
        b = '%s %s%s.' % (T, it(ve, c), vp)
    elif k == PROC:
        b = '%s In %s%s%s.' % (T, it(ve, c), ', pages ' + pg if pg else '', rng.choice(['', ', Lisbon, Portugal', ', Online']) + rng.choice(['', '. Association for Text Research']))
    elif k == CHAP:
        b = '%s In %s, %s, %s%s. %s.' % (T, join([full(e) for e in r['editors']]), 'editor' if len(r['editors']) == 1 else 'editors', it(ve, c), ', pages ' + pg if pg else '', r.get('publisher', ''))
    elif k == BOOK:
        b = '%s %s%s.' % (stop(it(t, c)), r.get('publisher', ve), ', %s edition' % r['edition'].replace('2nd', 'second').replace('4th', 'fourth') if r.get('edition') else '')
        T = b
    elif k == THESIS:
        b = '%s %s, %s.' % (T, "Master's thesis" if r.get('degree') == 'MSc thesis' else 'Ph.D. thesis', r['school'])
    elif k == PRE:
        m = re.search(r'arXiv:([\d.]+)', ve or '')
        b = '%s %s.' % (T, rng.choice([it('Preprint', c) + ', arXiv:' + m.group(1), it('arXiv preprint', c) + ' arXiv:' + m.group(1), it('CoRR', c) + ', abs/' + m.group(1)]) if m else it(ve, c))
    else:
        org = ve if ve and ve not in [x['family'] for x in r['authors']] else ''
        b = T + (' %s.' % org if org else '')
        if k == REPORT and r.get('number'):
            b += ' Technical Report %s.' % r['number']
    if d:
        b += ' ' + d.replace('doi:', 'DOI:') + ('.' if rng.random() < .3 else '')
    elif u:
        b += ' ' + u + '.'
    return h + b, t, r['authors'][0]['family'], len(xs), ea


def chicago_author_date(r, c, rng):
    a = r['authors']; ea = False
    def lst(names_):
        return [inv_full(names_[0])] + [full(x) for x in names_[1:]]
    if len(a) > c['etal']:
        n = 7 if c['etal'] == 10 else 1
        xs = lst(a[:n]); ea = True
        au = ', '.join(xs) + (', et al.' if n > 1 else ' et al.')
    else:
        xs = lst(a); au = join(xs, ' and ', True)
    if r.get('edited'):
        au += ', eds.' if len(a) > 1 else ', ed.'
    q1, q2 = ('"', '"') if c['straight'] else ('“', '”')
    t = r['title']; tn = nested(t, False)
    if c['straight']:
        tn = tn.replace('‘', "'").replace('’', "'")
    tq = q1 + tn + ('' if t[-1] in '?!' else '.') + q2
    k, pg, ve = r['kind'], dash(r.get('pages'), c), venue(r, c)
    if r.get('_nopages'):
        pg = None
    y = str(r['year']) if r.get('year') else 'n.d.'
    if y == 'n.d.':
        y = 'n.d'
    d, u = doi_of(r, c), url_of(r)
    h = '%s %s. ' % (stop(au), y)
    if k == ARTICLE:
        b = '%s %s' % (tq, it(ve, c))
        if r.get('volume'):
            b += ' ' + r['volume'] + (' (%s)' % r['issue'] if r.get('issue') else '')
        if pg:
            b += (': ' if r.get('volume') else ', ') + pg
        b = stop(b)
    elif k == PROC:
        b = '%s In %s%s.' % (tq, it(ve, c), ', ' + pg if pg else '')
    elif k == CHAP:
        b = '%s In %s, edited by %s%s. %s.' % (tq, it(ve, c), join([full(e) for e in r['editors']], ' and '), ', ' + pg if pg else '', (r['place'] + ': ' if r.get('place') and rng.random() < .6 else '') + r.get('publisher', ''))
    elif k == BOOK:
        tn = t
        b = '%s%s %s.' % (stop(it(t, c)), ' %s ed.' % r['edition'] if r.get('edition') else '', (r['place'] + ': ' if r.get('place') and rng.random() < .6 else '') + r.get('publisher', ve))
    elif k == THESIS:
        b = '%s %s, %s.' % (tq, {'PhD thesis': 'PhD diss.', '博士': 'PhD diss.', 'MSc thesis': "Master’s thesis"}[r.get('degree', 'PhD thesis')], r['school'])
    elif k == PRE:
        b = '%s %s.' % (tq, rng.choice(['Preprint, ', '']) + ve)
    elif k == NEWS:
        b = '%s %s%s.' % (tq, it(ve, c), ', ' + us_date(r['date']).rsplit(',', 1)[0] if r.get('date') and re.match(r'\d+ \w+ \d+', r['date']) else '')
    else:
        org = ve if ve and ve not in [x['family'] for x in a] else ''
        if k == REPORT:
            tn = t
            b = stop(it(t, c)) + (' %s.' % r['number'] if r.get('number') else '') + (' %s.' % ((r['place'] + ': ' if r.get('place') else '') + ve) if ve and (org or r.get('place')) else '')
        else:
            b = tq + (' %s.' % org if org else '')
            if c['acc'] and u:
                b += ' Accessed %s.' % us_date(accessed(r, rng.randrange(400)))
    tail = ' ' + d + '.' if d else (' ' + u + '.' if u else '')
    return h + b + tail, tn, a[0]['family'], len(xs), ea


def mla(r, c, rng):
    a = r['authors']; ea = False
    if len(a) > 2:
        xs = [inv_full(a[0])]; au = xs[0] + ', et al'; ea = True
    elif len(a) == 2:
        xs = [inv_full(a[0]), full(a[1])]; au = xs[0] + ', and ' + xs[1]
    else:
        xs = [inv_full(a[0])]; au = xs[0]
    if r.get('edited'):
        au += ', editors'
    q1, q2 = ('"', '"') if c['straight'] else ('“', '”')
    t = r['title']; tn = nested(t, False)
    if c['straight']:
        tn = tn.replace('‘', "'").replace('’', "'")
    tq = q1 + tn + ('' if t[-1] in '?!' else '.') + q2
    k, pg, ve = r['kind'], dash(r.get('pages'), c), venue(r, c)
    if r.get('_nopages'):
        pg = None
    y = str(r['year']) if r.get('year') else ''
    pp = (('pp. ' if re.search('[–-]', pg) else 'p. ') + pg) if pg else ''
    d, u = doi_of(r, c), url_of(r)
    loc = d or u or ''
    if rng.random() < .4 and loc.startswith('https://') and not d:
        loc = loc[8:]
    if k == ARTICLE:
        b = '%s %s' % (tq, ', '.join(x for x in [it(ve, c), 'vol. ' + r['volume'] if r.get('volume') else '', 'no. ' + r['issue'] if r.get('issue') else '', y, pp, loc] if x))
    elif k == PROC:
        b = '%s %s' % (tq, ', '.join(x for x in [it(ve, c), y, pp, loc] if x))
    elif k == CHAP:
        b = '%s %s, edited by %s, %s' % (tq, it(ve, c), join([full(e) for e in r['editors']], ' and '), ', '.join(x for x in [r.get('publisher', ''), y, pp] if x))
    elif k == BOOK:
        tn = t
        b = '%s %s' % (stop(it(t, c)), ', '.join(x for x in ['%s ed.' % r['edition'] if r.get('edition') else '', r.get('publisher', ve), y] if x))
    elif k == THESIS:
        tn = t
        b = '%s %s. %s, %s' % (stop(it(t, c)), y, r['school'], {'PhD thesis': 'PhD dissertation', '博士': 'PhD dissertation', 'MSc thesis': "Master's thesis"}[r.get('degree', 'PhD thesis')])
    elif k == NEWS:
        b = '%s %s' % (tq, ', '.join(x for x in [it(ve, c), (r.get('date') or y).replace('August', 'Aug.'), 'p. ' + r['pages'] if r.get('pages') else '', loc] if x))
    else:
        org = ve if ve and ve not in [x['family'] for x in a] else ''
        b = '%s %s' % (tq, ', '.join(x for x in [it(org, c), r.get('number', '') if k == REPORT else '', y, loc] if x))
    b = stop(b.strip())
    if c['acc'] and u and not d and k in (WEB, NEWS):
        b += ' Accessed %s.' % accessed(r, rng.randrange(400))
    return '%s %s' % (stop(au), b), tn, a[0]['family'], len(xs), ea


def gbt7714(r, c, rng):
    S, CM, CL = c['punct']
    def f(a):
        if is_org(a):
            return a['family']
        if cjk(a['family']) or not a.get('given'):
            return a['family'] + a.get('given', '')
        fam = a['family'].upper() if c['upper'] else a['family']
        if c['fullname']:
            return a['family'] + ' ' + a['given']
        return fam + ' ' + initials(a['given'], '', ' ', False) + (' ' + a['suffix'].rstrip('.') if a.get('suffix') else '')
    xs, ea = authors_list(r, f, 3)
    zh = r.get('lang') == 'zh' or cjk(r['title'])
    au = CM.join(xs) + (CM + ('等' if zh else 'et al') if ea else '')
    t, k, pg = r['title'], r['kind'], dash(r.get('pages'), c)
    if r.get('_nopages'):
        pg = None
    ve, y = venue(r, c) or '', str(r['year']) if r.get('year') else ''
    d, u = doi_of(r, c) if c['doi'] != 'DOI:' else '', url_of(r)
    dd = ('DOI:' + r['doi'] if c['doi'] == 'DOI:' else r['doi']) if r.get('doi') and r.get('_doi') else ''
    typ = {ARTICLE: 'J', PROC: 'C', BOOK: 'M', CHAP: 'M', THESIS: 'D', REPORT: 'R', WEB: 'EB', PRE: 'EB' if 'arXiv' in ve or 'bioRxiv' in ve else 'J', NEWS: 'N'}[k]
    online = (u or (dd and rng.random() < .4) or k == WEB)
    T = '[%s%s]' % (typ, '/OL' if online else '') if c['typed'] else ''
    acc = accessed(r, rng.randrange(400))
    m = re.match(r'(\d+) (\w+) (\d+)', acc)
    if m and m.group(2) in MON:
        acc = '%s-%02d-%02d' % (m.group(3), MON.index(m.group(2)) + 1, int(m.group(1)))
    ac = '[%s]' % acc if online and c['acc'] else ''
    if k == ARTICLE:
        vi = CM + r['volume'] + ('(%s)' % r['issue'] if r.get('issue') else '') if r.get('volume') else ''
        b = t + T + S + ve + CM + y + vi + (CL + pg if pg else '') + ac
    elif k == PROC:
        b = t + T + '//' + ve + S + rng.choice(['', '', 'Lisbon: ATR Press' + CM, '[S.l.: s.n.]' + CM]) + y + (CL + pg if pg else '')
    elif k == CHAP:
        b = t + T + '//' + CM.join(f(e) for e in r['editors']) + S + ve + S + r.get('place', '[S.l.]') + CL + r.get('publisher', '') + CM + y + (CL + pg if pg else '')
    elif k == BOOK:
        b = t + T + S + (({'2nd': '2nd ed', '4th': '4th ed'}[r['edition']] + S) if r.get('edition') else '') + r.get('place', '[S.l.]') + CL + r.get('publisher', ve) + CM + y
    elif k == THESIS:
        b = t + T + S + r.get('place', '[S.l.]') + CL + r['school'] + CM + y
    elif k == NEWS:
        b = t + T + S + ve + CM + (r.get('date') or y) + ('(%s)' % r['pages'] if r.get('pages') else '') + ac
    elif k == PRE:
        b = t + T + S + (ve.replace('arXiv preprint ', '') if rng.random() < .5 else ve) + CM + y + ac
    else:
        pub = (r.get('place', '') + CL + ve if r.get('place') else ve) if ve and (r.get('place') or ve not in [x['family'] for x in r['authors']]) else ''
        b = t + T + S + (pub + CM if pub else '') + (y if k == REPORT and not u else '(%s)' % y if y else '') + ac
    b += '' if b.endswith(S) else ''
    tail = S + u if u else (S + dd if dd else '')
    out = (au + S if S.strip() else au + '. ') + b + tail
    return (out if out.endswith(('.', '．')) else out + (S.strip() if not u else (S.strip() if rng.random() < .7 else ''))), t, r['authors'][0]['family'], len(xs), ea


def short_names(r, rng, amp=False):
    a = r['authors']; fam = [x['family'] if not cjk(x['family']) or is_org(x) else x['family'] + x['given'] for x in a]
    if len(a) == 1:
        return fam[0], 1, False
    if len(a) == 2:
        return fam[0] + (' & ' if amp else ' and ') + fam[1], 2, False
    if len(a) == 3 and rng.random() < .3:
        return '%s, %s %s %s' % (fam[0], fam[1], '&' if amp else 'and', fam[2]), 3, False
    return fam[0] + rng.choice([' et al.', ' et al.', ' et al', ' and others']), 1, True


def bare(r, c, rng):
    form = rng.choice(c['forms'])
    s, n, ea = short_names(r, rng, c['amp'])
    t, ve, y = r['title'], venue(r, c), str(r['year']) if r.get('year') else 'n.d.'
    own = ve in [x['family'] for x in r['authors']]
    v = '' if own or not ve else ve
    fam = r['authors'][0]['family']
    e = '' if t[-1] in '?!' else ','
    u = url_of(r)
    if form == 0:
        x = '%s %s, %s' % (s, y, t) + ((e + ' ' + v) if v else '')
    elif form == 1:
        x = '%s (%s). %s' % (s, y, stop(t)) + (' %s.' % v if v else '')
    elif form == 2:
        x = '%s, %s - %s' % (s, y, t)
    elif form == 3:
        x = '%s (%s, %s)' % (t, s, y)
    elif form == 4:
        x = '%s, %s, %s %s' % (t, s, v, y) if v else '%s, %s, %s' % (t, s, y)
    elif form == 5:
        x = '%s: %s' % (s, stop(t)) + (' %s, %s' % (v, y) if v else ' %s' % y)
    elif form == 6:
        x = stop(t) + (' %s (%s)' % (v, y) if v else ' %s (%s)' % (s, y))
        if v:
            n, ea, fam = 0, False, None
    elif form == 7:
        x = '%s – %s (%s)' % (t, v or s, y)
        if v:
            n, ea, fam = 0, False, None
    elif form == 8:
        a = r['authors']
        xs = [inv_init(z, comma=' ', dot='', sep='') for z in a[:3]]
        n, ea = len(xs), len(a) > 3
        x = '%s %s %s' % (', '.join(xs) + (' et al' if ea else ''), y, t)
    elif form == 9:
        x = '%s %s. %s' % (s, y, t) + ('. %s' % v if v and t[-1] not in '?!' else (' %s' % v if v else ''))
    elif form == 10:
        xs = [full(z) for z in r['authors'][:6]]; ea = len(r['authors']) > 6; n = len(xs)
        x = '%s by %s (%s)' % (t, join(xs) if not ea else ', '.join(xs) + ' et al.', y)
    else:
        xs = [full(z) for z in r['authors']]; n, ea = len(xs), False
        x = '%s, “%s”%s' % (join(xs), nested(t, False), ', %s' % v if v else '') + ', ' + y
        t = nested(t, False)
    if u and rng.random() < .5:
        x += rng.choice([', ', ' ', ' - ', ' <%s>']).replace('%s', '') if False else ' ' + u
    return x, t, fam, n, ea


def markdown(r, c, rng):
    form = rng.choice(c['forms'])
    s, n, ea = short_names(r, rng, c['amp'])
    t, ve, y = r['title'], venue(r, c), str(r['year']) if r.get('year') else 'n.d.'
    own = ve in [x['family'] for x in r['authors']]
    v = '' if own or not ve else ve
    fam = r['authors'][0]['family']
    u = r.get('url') or (r.get('doi') and 'https://doi.org/' + r['doi']) or 'https://lib.example/%s' % r['id'].lower()
    allf = [full(z) for z in r['authors']]
    if form == 0:
        x = '**%s** — %s, %s' % (t, s, (v + ' ' if v else '') + y)
    elif form == 1:
        x = '[%s](%s), %s, %s' % (t, u, s, y)
    elif form == 2:
        x = '*%s* (%s). %s.' % (t, y, join(allf[:8]) if len(allf) <= 8 else ', '.join(allf[:8]) + ', et al') + (' %s.' % v if v else '') + (' [Link](%s)' % u if r['_url'] else '')
        n, ea = min(8, len(allf)), len(allf) > 8
    elif form == 3:
        x = '%s (%s). [%s](%s).' % (s, y, t, u) + (' *%s*.' % v if v else '')
    elif form == 4:
        x = '**%s (%s)** – *%s*' % (s, y, t) + (', %s' % v if v else '')
    elif form == 5:
        x = '**%s**  \n  %s. *%s*, %s.' % (t, join(allf[:5]) if len(allf) <= 5 else ', '.join(allf[:5]) + ', et al', v or 'Report', y)
        n, ea = min(5, len(allf)), len(allf) > 5
    elif form == 6:
        x = '**[%s](%s)** (%s, %s)' % (t, u, s, y)
    elif form == 7:
        x = '%s, *%s*, %s [[link]](%s)' % (s, t, (v + ', ' if v else '') + y, u)
    elif form == 8:
        xs = [inv_init(z) for z in r['authors'][:6]]; n, ea = len(xs), len(allf) > 6
        x = '%s (%s). *%s* %s[%s](%s)' % (stop(join(xs, ', & ') if not ea else ', '.join(xs) + ', et al.'), y, stop(t), (v + '. ') if v else '', 'https://' + re.sub('https?://', '', u), u)
    else:
        x = '`%s%s` **%s.** %s%s.' % (re.sub(r'\W', '', r['authors'][0]['family'].split()[-1].lower()), y[-2:] if y != 'n.d.' else '', t, s, ', ' + v + ' ' + y if v else ', ' + y)
    return x, t, fam, n, ea


FN = {s: globals()[s] for s in STYLES}


def number(c, n):
    s = c['num']
    return s.replace('1', str(n)) if '1' in s else s


def render(records, style, seed, wrap=False):
    """-> (text of the list, gold rows)."""
    rng = random.Random('%s/%s' % (style, seed))
    c = configure(style, rng)
    head = heading(style, rng)
    lines, gold = [], []
    for n, r0 in enumerate(records, 1):
        r = dict(r0)
        r['_doi'] = bool(r.get('doi')) and rng.random() < c['p_doi']
        r['_url'] = bool(r.get('url')) and (rng.random() < c['p_url'] or (r['kind'] == WEB and rng.random() < .7))
        if r.get('doi') and r.get('url') and 'doi.org' in r['url']:
            r['_url'] = False
        r['_nopages'] = rng.random() < c['p_miss']
        if not r.get('authors'):
            continue
        if not r.get('venue') and r['kind'] in (PROC, ARTICLE):
            m = re.search(r'arXiv\.(\d{4}\.\d+)', r.get('doi') or '')
            r['kind'] = PRE
            r['venue'] = 'arXiv preprint arXiv:' + m.group(1) if m else 'arXiv preprint'
            r['kind_as'] = PRE
        if (r.get('venue') or '').lower() == 'arxiv':
            m = re.search(r'arXiv\.(\d{4}\.\d+)', r.get('doi') or '')
            r['kind'], r['venue'] = PRE, 'arXiv preprint' + (' arXiv:' + m.group(1) if m else '')
        if r['kind'] not in (ARTICLE, PROC, BOOK, CHAP, THESIS, REPORT, WEB, PRE, NEWS):
            r['kind'] = PRE if 'arxiv' in (r.get('venue') or '').lower() else (PROC if r.get('venue') else WEB)
        if r['kind'] in (CHAP,) and not r.get('editors'):
            r['kind'] = PROC
        if r['kind'] == THESIS and not r.get('school'):
            r['school'] = r.get('venue') or 'University of Vessel'
        text, tp, fam, np_, ea = FN[style](r, c, rng)
        text = re.sub(r'  +(?!\n)', ' ', text) if '\n' not in text else text
        text = text.replace(' ,', ',').replace('..)', '.)')
        text = re.sub(r'(?<=[\w\]])\.\.(?!\.)', '.', text)
        text = re.sub(r'(?<=\])\. \.(?= |$)', '.', text)
        flat = re.sub(r'\s+', ' ', text).strip()
        fp = fam if fam is None else (fam if fam.lower() in flat.lower() else None)
        gold.append({'n': n, 'title': r0['title'], 'title_as_printed': tp, 'first_author_family': r0['authors'][0]['family'],
                     'first_author_as_printed': fp, 'authors_n': len(r0['authors']), 'authors_printed': np_, 'et_al_printed': ea,
                     'year': r0.get('year'), 'text': flat, 'id': r0.get('id'), 'style': style})
        out = number(c, n) + text
        if wrap and '\n' not in out:
            w = rng.choice([72, 80, 95]); words, cur, ls = out.split(' '), '', []
            for word in words:
                if cur and len(cur) + 1 + len(word) > w:
                    ls.append(cur); cur = '    ' + word
                else:
                    cur = cur + ' ' + word if cur else word
            out = '\n'.join(ls + [cur])
        lines.append(out)
    sep = '\n\n' if c['blank'] else '\n'
    return head + '\n\n' + sep.join(lines) + '\n', gold


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('records', nargs='?'); ap.add_argument('style', nargs='?', choices=STYLES); ap.add_argument('seed', nargs='?', default='0')
    ap.add_argument('--gold'); ap.add_argument('--n', type=int); ap.add_argument('--shuffle', action='store_true')
    ap.add_argument('--wrap', action='store_true'); ap.add_argument('--styles', action='store_true')
    o = ap.parse_args()
    if o.styles:
        print('\n'.join(STYLES)); return
    if not o.records or not o.style:
        ap.error('RECORDS.jsonl and STYLE are needed')
    recs = [json.loads(l) for l in open(o.records, encoding='utf-8') if l.strip()]
    rr = random.Random('order/%s' % o.seed)
    if o.n:
        keep = sorted(rr.sample(range(len(recs)), min(o.n, len(recs)))); recs = [recs[i] for i in keep]
    if o.shuffle:
        rr.shuffle(recs)
    text, gold = render(recs, o.style, o.seed, o.wrap)
    sys.stdout.reconfigure(encoding='utf-8')
    sys.stdout.write(text)
    if o.gold:
        with open(o.gold, 'w', encoding='utf-8') as f:
            for g in gold:
                f.write(json.dumps(g, ensure_ascii=False) + '\n')


if __name__ == '__main__':
    main()
