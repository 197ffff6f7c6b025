"""What every page owes to everybody: names for fields, contrast, room on a small screen, no script that was not meant."""

# For each text that can be seen: its colour on what lies behind it.
CONTRAST = """() => {
  const parse = text => { const parts = text.match(/[\\d.]+/g).map(Number); return parts.length < 4 ? [...parts, 1] : parts; };
  const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const light = colour => colour.slice(0, 3).map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const behind = element => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(parse(getComputedStyle(e).backgroundColor));
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    return layers.reverse().reduce((below, layer) => over(layer, below), dark ? [18, 18, 18, 1] : [255, 255, 255, 1]);
  };
  const found = [];
  for (const element of document.querySelectorAll('body *')) {
    const text = [...element.childNodes].filter(n => n.nodeType === 3).map(n => n.data.trim()).join('') || element.value || '';
    const style = getComputedStyle(element), box = element.getBoundingClientRect();
    if (!text || element.type === 'hidden' || style.visibility === 'hidden' || box.width < 2 || element.disabled) continue;
    if (['SCRIPT', 'STYLE', 'TITLE', 'OPTION'].includes(element.tagName)) continue;
    const back = behind(element), front = over(parse(style.color), back);
    const [a, b] = [light(front), light(back)].sort((x, y) => y - x), ratio = (a + .05) / (b + .05);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && +style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) found.push(`contrast ${ratio.toFixed(2)} of "${String(text).slice(0, 40)}"`);
  }
  return found;
}"""

STRUCTURE = """() => {
  const found = [];
  if (!document.documentElement.lang) found.push('the page has no language');
  if (!document.title.trim()) found.push('the page has no title');
  if (document.querySelectorAll('main').length !== 1) found.push('there is not one main element');
  if (document.querySelectorAll('h1').length !== 1) found.push('there is not one first heading');
  const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
  if (new Set(ids).size !== ids.length) found.push('two elements have one id');
  for (const field of document.querySelectorAll('input, select, textarea')) {
    if (['hidden', 'submit', 'button'].includes(field.type)) continue;
    const named = [...(field.labels || [])].some(l => l.textContent.trim()) || field.ariaLabel || field.getAttribute('aria-labelledby');
    if (!named) found.push(`the field ${field.name} has no label`);
  }
  for (const control of document.querySelectorAll('button, a[href], summary')) {
    if (!(control.textContent.trim() || control.ariaLabel)) found.push('a button or link has no name');
    const box = control.getBoundingClientRect(), inline = getComputedStyle(control).display === 'inline';
    if (box.width && !inline && (box.height < 24 || box.width < 24)) found.push(`"${control.textContent.trim()}" is too small to hit`);
  }
  for (const image of document.querySelectorAll('img')) if (!image.hasAttribute('alt')) found.push('an image has no text');
  for (const table of document.querySelectorAll('table')) if (!table.querySelector('th')) found.push('a table has no headings');
  for (const e of document.querySelectorAll('*'))
    if (e.hasAttribute('style') || [...e.attributes].some(a => a.name.startsWith('on'))) found.push(`inline style or script on ${e.tagName}`);
  if (document.querySelector('script:not([src])')) found.push('a script within the page');
  return found;
}"""

OVERFLOW = """() => document.documentElement.scrollWidth > document.documentElement.clientWidth + 1
  ? [`the page is ${document.documentElement.scrollWidth} wide on ${document.documentElement.clientWidth}`] : []"""

AUTOCOMPLETE = {"username": ("username",), "password": ("current-password", "new-password"), "code": ("one-time-code",)}


def headers(response):
    """What the answer must say to the browser."""
    found, fields = [], response.headers
    policy = {
        part.split()[0]: part.split()[1:] for part in fields.get("content-security-policy", "").split(";") if part.strip()}
    if policy.get("default-src") != ["'none'"]:
        found.append("the policy does not begin with default-src 'none'")
    for name in ("frame-ancestors", "base-uri"):
        if policy.get(name) != ["'none'"]:
            found.append(f"the policy lacks {name} 'none'")
    for name, values in policy.items():
        if {"'unsafe-inline'", "'unsafe-eval'", "*"} & set(values):
            found.append(f"the policy has {name} {values}")
    if fields.get("x-content-type-options") != "nosniff":
        found.append("nosniff is missing")
    if fields.get("referrer-policy") not in ("no-referrer", "same-origin", "strict-origin", "origin"):
        found.append("the referrer policy is missing")
    if "no-store" not in fields.get("cache-control", ""):
        found.append("the page may be kept")
    if "max-age=" not in fields.get("strict-transport-security", ""):
        found.append("strict-transport-security is missing")
    return found


def page(page):
    """In light and dark, wide and narrow."""
    found = page.evaluate(STRUCTURE)
    for name, values in AUTOCOMPLETE.items():
        for field in page.query_selector_all(f"input[name={name}]:not([type=hidden])"):
            if field.get_attribute("autocomplete") not in values:
                found.append(f"autocomplete of {name} is {field.get_attribute('autocomplete')}")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found += [f"{text} ({scheme})" for text in page.evaluate(CONTRAST)]
    page.emulate_media(color_scheme="light")
    size = page.viewport_size
    page.set_viewport_size({"width": 320, "height": 640})
    found += page.evaluate(OVERFLOW)
    page.set_viewport_size(size)
    return found


BAD = """<html><head><style>p { color: #999; background: #fff } button { height: 10px; width: 10px; display: block }</style></head>
<body><main></main><main></main><p style="width: 900px" id="a">Can hardly be read</p><i id="a"></i><input name="password"><button></button>
<img><table><tr><td>1</td></tr></table><script>1</script></body></html>"""
PLANTED = [
    "no language", "no title", "main", "first heading", "one id", "no label", "no name", "too small", "no text", "no headings",
    "inline style", "script within", "contrast", "wide on 320", "autocomplete of password"]


def self_test(tab):
    """Every fault of a bad page is found."""
    tab.set_content(BAD)
    found = page(tab)
    return [text for text in PLANTED if not any(text in line for line in found)]
