// The list of references, a page at a time: each entry with its finding and the citations that point
// at it. Text nodes only; an entry opens its card, a chip goes to the citation.

const make = (tag, name, text) => {
  const made = document.createElement(tag)
  if (name) made.className = name
  if (text !== undefined) made.textContent = text
  return made
}

const mark = (style, name = "mark") => {
  const made = make("span", name)
  made.style.setProperty("--verdict", style.colour)
  const glyph = make("span", "sign", style.glyph)
  glyph.setAttribute("aria-hidden", "true")
  made.append(glyph, make("span", "word", style.word))
  return made
}

const chip = (citation, pick) => {
  const button = make("button", "chip")
  button.type = "button"
  button.style.setProperty("--verdict", citation.colour)
  button.append(make("span", "raw", citation.raw), make("i", "", citation.glyph))
  button.setAttribute("aria-label", citation.said)
  button.onclick = (event) => {
    event.stopPropagation()
    pick(citation.id)
  }
  return button
}

const entryRow = (entry, act) => {
  const row = make("li", entry.here ? "entry here" : "entry")
  row.dataset.entry = entry.index
  row.onclick = () => {
    // who selects words to copy them does not want another card
    if (!String(document.getSelection())) act.open(entry.index)
  }
  const label = make("button", "label", entry.label)
  label.type = "button"
  label.setAttribute("aria-label", entry.said)
  if (entry.here) label.setAttribute("aria-current", "true")
  label.onclick = (event) => {
    event.stopPropagation()
    act.open(entry.index)
  }
  const words = make("div", "words")
  const marks = make("div", "marks")
  if (entry.finding) marks.append(mark(entry.finding))
  if (entry.notice) marks.append(mark(entry.notice, "mark notice"))
  if (entry.decision) {
    const decision = mark(entry.decision, "mark ring")
    decision.prepend(make("span", "who", "You:"))
    marks.append(decision)
  }
  if (marks.childNodes.length) words.append(marks)
  const text = make("p", "text")
  text.dir = "auto"
  for (const [piece, differs] of entry.pieces) {
    text.append(differs ? make("u", "differs", piece) : document.createTextNode(piece))
  }
  const cites = make("div", "cites")
  if (entry.cites.length) cites.append(...entry.cites.map((citation) => chip(citation, act.pick)))
  else cites.append(make("span", "none", "Never cited"))
  words.append(text, cites)
  row.append(label, words)
  return row
}

const pager = (data, act) => {
  const bar = make("div", "pages")
  const button = (words, name, to) => {
    const made = make("button", "", words)
    made.type = "button"
    made.setAttribute("aria-label", name)
    made.disabled = to < 0 || to >= data.pages
    made.onclick = () => act.turn(to)
    return made
  }
  bar.append(
    button("‹", "Previous page of references", data.page - 1),
    make("span", "", data.where),
    button("›", "Next page of references", data.page + 1),
  )
  return bar
}

const unlisted = (data, act) => {
  const box = make("section", "unlisted")
  const list = make("ul", "rows")
  for (const citation of data.unlisted) {
    const row = make("li", "entry")
    const why = make("span", "none", citation.why)
    why.dir = "auto"
    row.append(chip(citation, act.pick), why)
    list.append(row)
  }
  box.append(make("h3", "", "Citations missing from the reference list"), list)
  return box
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component
  const root = parentElement.querySelector(".references")
  if (!root) return
  const drawn = JSON.stringify(data)
  if (root.drawn === drawn) return
  root.drawn = drawn
  const act = {
    open: (index) => setTriggerValue("entry", index),
    pick: (id) => setTriggerValue("citation", id),
    turn: (page) => setTriggerValue("page", page),
  }
  const before = root.querySelector(".rows")
  const place = root.list === data.list && before ? before.scrollTop : 0
  const focus = root.getRootNode().activeElement
  const kept = focus?.closest?.("li[data-entry]")?.dataset.entry
  const list = make("ol", "rows")
  list.append(...data.entries.map((entry) => entryRow(entry, act)))
  const parts = []
  if (data.pages > 1) parts.push(pager(data, act))
  parts.push(data.entries.length ? list : make("p", "none", data.empty))
  if (data.unlisted.length) parts.push(unlisted(data, act))
  root.replaceChildren(...parts)
  root.list = data.list
  list.scrollTop = place
  const here = list.querySelector(".here")
  if (kept !== undefined && here) here.querySelector(".label").focus({ preventScroll: true })
  if (here && root.selected !== data.selected) {
    // the list moves, the page stays
    const above = here.offsetTop - list.offsetTop
    if (above < list.scrollTop) list.scrollTop = above - 8
    const below = above + here.offsetHeight - list.clientHeight
    if (below > list.scrollTop) list.scrollTop = below + 8
  }
  root.selected = data.selected
}
