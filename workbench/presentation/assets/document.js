// The text pane: pieces of one part of the text as text nodes, marks that can be clicked and reached
// by keyboard. The pieces are built once a part; every later call only repaints the marks. Comes after
// text_blocks.js.

const RAW_KEY = "7"
const UNCITED_KEY = "9"

const parts = (mount, data, pick, toggle) => {
  const bar = mount.querySelector(".parts")
  const plain = !data.blocks.length && !data.pieces.some((piece) => piece.x)
  bar.hidden = data.parts < 2 && plain
  if (bar.hidden) return
  const button = (label, name, act) => {
    const made = document.createElement("button")
    made.type = "button"
    made.textContent = label
    if (name) made.setAttribute("aria-label", name)
    made.onclick = act
    return made
  }
  const nodes = []
  if (data.parts > 1) {
    const turn = (label, name, to) => {
      const made = button(label, name, () => pick(to))
      made.disabled = to < 0 || to >= data.parts
      return made
    }
    const said = document.createElement("span")
    said.textContent = `Part ${data.part + 1} of ${data.parts} · ${data.where}`
    nodes.push(
      turn("‹", "Previous part of the text", data.part - 1),
      said,
      turn("›", "Next part of the text", data.part + 1),
    )
  }
  if (!plain) {
    const raw = button("Raw text", "", toggle)
    raw.className = "raw"
    raw.title = "Shows the text as it was given, with its markup"
    raw.setAttribute("aria-keyshortcuts", RAW_KEY)
    raw.setAttribute("aria-pressed", String(rawText.read()))
    const cap = document.createElement("kbd")
    cap.textContent = RAW_KEY
    cap.setAttribute("aria-hidden", "true")
    raw.append(cap)
    nodes.push(raw)
  }
  // who pressed it with the keyboard stays on it
  const held = bar.contains(bar.getRootNode().activeElement) && bar.getRootNode().activeElement.className === "raw"
  bar.replaceChildren(...nodes)
  if (held) bar.querySelector(".raw")?.focus({ preventScroll: true })
}

// the raw text or the document; what is at the top of the pane stays there
const showRaw = (pane, text, raw) => {
  if (text.classList.contains("raw") === raw) return
  const frame = pane.getBoundingClientRect()
  const top = [...text.querySelectorAll(".piece:not(.syntax)")].find(
    (piece) => piece.getBoundingClientRect().bottom > frame.top,
  )
  const before = top?.getBoundingClientRect().top ?? 0
  text.classList.toggle("raw", raw)
  if (top && pane.scrollTop) pane.scrollTop += top.getBoundingClientRect().top - before
}

const typing = (target) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("input, textarea, select, [role=textbox]"))

const buttonFor = (id) => {
  const made = document.createElement("span")
  made.setAttribute("role", "button")
  made.tabIndex = 0
  made.dataset.id = id
  return made
}

const addSigns = (button) => {
  for (const name of ["judge", "human"]) {
    const sign = document.createElement("i")
    sign.className = name
    sign.setAttribute("aria-hidden", "true")
    button.append(sign)
  }
}

// a word without end takes the browser a time that grows with its square: it gets places to break;
// scripts that are written without blanks break anywhere as it is
const ENDLESS = /([^\s\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]{200,})/u

const fill = (node, text) => {
  if (!ENDLESS.test(text)) {
    node.textContent = text
    return
  }
  text.split(ENDLESS).forEach((part, at) => {
    if (at % 2 === 0) node.append(part)
    else for (const [bit] of part.matchAll(/.{1,100}/gsu)) node.append(bit, document.createElement("wbr"))
  })
}

// the sentence that key 9 went to, or whose kind is asked for, is lit and has the keyboard
const lightSentence = (pane, at) => {
  pane.dataset.now = at
  for (const node of pane.querySelectorAll("[data-sentence]")) {
    node.classList.toggle("now", node.dataset.sentence === String(at))
  }
  return pane.querySelector(".now:not(.syntax)")
}

// goes to the next sentence without a citation, and to the first one after the last
const nextUncited = (pane) => {
  const all = [...pane.querySelectorAll(".uncited")].map((node) => Number(node.dataset.sentence))
  if (!all.length) return
  const next = lightSentence(pane, all.find((at) => at > Number(pane.dataset.now ?? -1)) ?? all[0])
  next?.scrollIntoView({ block: "center" })
  next?.focus({ preventScroll: true })
}

const pieceNode = (piece) => {
  const marks = piece.m ?? []
  const node = document.createElement("span")
  node.className = "piece"
  if (piece.r !== undefined) {
    node.classList.add("ref")
    node.dataset.entry = piece.r
  }
  stylePiece(node, { hidden: piece.x, styles: piece.s, address: piece.a })
  if (piece.c) node.dataset.claims = piece.c.join(" ")
  if (piece.n !== undefined && !piece.x) {
    node.classList.add(piece.u ? "uncited" : "corrected")
    node.dataset.sentence = piece.n
    node.tabIndex = -1
  }
  if (!marks.length) {
    fill(node, piece.t)
    return node
  }
  node.dataset.marks = marks.join(" ")
  if (piece.w) node.classList.add("wide")
  const opens = piece.o ?? []
  if (marks.length === 1 && opens.length === 1) {
    const button = buttonFor(marks[0])
    button.className = piece.t.length > 24 ? "mark" : "mark short"
    button.textContent = piece.t
    addSigns(button)
    node.append(button)
    return node
  }
  const words = document.createElement("span")
  words.className = piece.t.length > 24 ? "mark" : "mark short"
  words.textContent = piece.t
  node.append(words)
  for (const id of opens) {
    const button = buttonFor(id)
    button.className = "glyph"
    addSigns(button)
    node.append(button)
  }
  return node
}

const RANK = [
  "contradicted", "not_supported", "partially_supported", "unverifiable", "cannot_tell", "unsure", "pending",
  "supported",
]

const look = (data, id) => data.marks[id] ?? { m: "pending", h: null, d: "", off: true }

const paintMark = (data, mark, ids) => {
  const seen = ids.map((id) => look(data, id))
  const worst = seen.map((one) => one.m).sort((a, b) => RANK.indexOf(a) - RANK.indexOf(b))[0]
  const style = data.styles[worst]
  mark.style.setProperty("--verdict", style.colour)
  mark.style.textDecoration = style.line
  mark.classList.toggle("off", seen.every((one) => one.off))
  mark.dataset.verdict = worst
  mark.dataset.kind = seen[0].k ?? ""
}

const paintGlyph = (data, element, id, selected) => {
  const seen = look(data, id)
  const style = data.styles[seen.m]
  const human = seen.h ? data.styles[seen.h] : null
  element.style.setProperty("--verdict", style.colour)
  element.querySelector(".judge").dataset.glyph = style.glyph
  const other = element.querySelector(".human")
  other.dataset.glyph = human && seen.h !== seen.m ? human.glyph : ""
  other.style.setProperty("--verdict", human ? human.colour : "transparent")
  element.classList.toggle("labelled", Boolean(human))
  element.classList.toggle("overridden", Boolean(human) && seen.h !== seen.m)
  element.classList.toggle("selected", id === selected)
  element.setAttribute("aria-label", seen.d)
  element.setAttribute("aria-pressed", id === selected ? "true" : "false")
}

const paint = (text, data, selected) => {
  for (const node of text.querySelectorAll("[data-marks]")) {
    const ids = node.dataset.marks.split(" ")
    const mark = node.querySelector(".mark")
    paintMark(data, mark, ids)
    mark.classList.toggle("chosen", ids.includes(selected))
  }
  for (const node of text.querySelectorAll("[data-id]")) {
    paintGlyph(data, node, node.dataset.id, selected)
  }
  const claim = []
  for (const node of text.querySelectorAll("[data-claims]")) {
    const within = node.dataset.claims.split(" ").includes(selected)
    node.classList.toggle("claim", within)
    node.classList.remove("first", "last")
    if (within && !node.classList.contains("syntax")) claim.push(node)
  }
  claim.at(0)?.classList.add("first")
  claim.at(-1)?.classList.add("last")
}

const reveal = (pane, selector) => {
  const node = pane.querySelector(`${selector}:not(.syntax)`) ?? pane.querySelector(selector)
  if (!node) return null
  const box = node.getBoundingClientRect()
  const frame = pane.getBoundingClientRect()
  const docked = [...document.querySelectorAll(".st-key-keys-place, .st-key-jumpbar")]
    .filter((bar) => bar.offsetHeight && getComputedStyle(bar).position === "fixed")
    .map((bar) => bar.getBoundingClientRect().top)
  const seen = Math.min(frame.bottom, ...docked.filter((top) => top > frame.top + 80))
  if (box.top < frame.top + 40 || box.bottom > seen - 40) {
    pane.scrollTop += box.top - frame.top - (seen - frame.top) / 3
  }
  return node
}

// an entry that was asked for: brought into view once, and lit for a moment
const showEntry = (pane, entry) => {
  if (!entry || pane.dataset.wish === String(entry[1])) return
  pane.dataset.wish = String(entry[1])
  const selector = `[data-entry="${entry[0]}"]`
  reveal(pane, selector)
  for (const node of pane.querySelectorAll(selector)) {
    node.classList.add("lit")
    setTimeout(() => node.classList.remove("lit"), 1600)
  }
}

export default function (component) {
  const { data, parentElement, setTriggerValue, scope = document } = component
  const pane = parentElement.querySelector(".pane")
  const text = parentElement.querySelector(".text")
  if (!pane || !text) return undefined
  parentElement.querySelector(".frame").classList.toggle("tall", Boolean(data.tall))
  const fresh = pane.dataset.doc !== data.doc
  if (fresh) {
    pane.dataset.doc = data.doc
    const drawn = document.createDocumentFragment()
    const blockOf = blockElements(drawn, data.blocks)
    for (const piece of data.pieces) blockOf(piece.b).append(pieceNode(piece))
    text.replaceChildren(drawn)
    pane.scrollTop = 0
  }
  for (const node of text.querySelectorAll("[data-sentence]")) node.title = data.sentences[node.dataset.sentence] ?? ""
  if (data.now !== undefined && pane.dataset.item !== data.doc) {
    pane.dataset.item = data.doc
    lightSentence(pane, data.now)
    reveal(pane, `[data-sentence="${data.now}"]`)
  } else if (fresh && pane.dataset.now) lightSentence(pane, pane.dataset.now)
  showRaw(pane, text, rawText.read())
  const drawBar = () => parts(parentElement, data, (part) => setTriggerValue("part", part), toggle)
  const toggle = () => {
    rawText.write(!rawText.read())
    showRaw(pane, text, rawText.read())
    drawBar()
  }
  drawBar()

  // a click shows at once; the answer from the server confirms it
  const waiting = pane.waiting && performance.now() - pane.waiting.since < 900
  if (waiting && pane.waiting.id === data.selected) pane.waiting = null
  const selected = waiting && pane.waiting ? pane.waiting.id : data.selected
  paint(text, data, selected)
  if (fresh || pane.dataset.selected !== (selected ?? "")) reveal(pane, `[data-id="${CSS.escape(selected ?? "")}"]`)
  pane.dataset.selected = selected ?? ""
  showEntry(pane, data.entry)

  const pick = (id) => {
    if (!id) return
    pane.waiting = { id, since: performance.now() }
    pane.dataset.selected = id
    paint(text, data, id)
    setTriggerValue("picked", id)
  }
  const idAt = (target) => {
    const button = target.closest("[data-id]")
    if (button) return button.dataset.id
    const ids = target.closest("[data-marks]")?.dataset.marks.split(" ")
    // the words of a marker that stands for several: each click goes to the next of them
    return ids && ids[(ids.indexOf(pane.dataset.selected) + 1) % ids.length]
  }
  const askKind = (node) => {
    lightSentence(pane, node.dataset.sentence)
    setTriggerValue("sentence", Number(node.dataset.sentence))
  }
  text.onclick = (event) => {
    if (getSelection()?.toString()) return
    const id = idAt(event.target)
    const sentence = event.target.closest("[data-sentence]")
    if (id) pick(id)
    else if (sentence) askKind(sentence)
  }
  text.onkeydown = (event) => {
    if (event.key === "Enter" && event.target.dataset.sentence) {
      event.preventDefault()
      askKind(event.target)
      return
    }
    const button = event.target.closest("[data-id]")
    if (!button) return
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault()
      pick(button.dataset.id)
      return
    }
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    if (!by) return
    const all = [...text.querySelectorAll("[data-id]")]
    const next = all[all.indexOf(button) + by]
    if (next) {
      event.preventDefault()
      next.focus()
    }
  }
  const onKey = (event) => {
    if (![RAW_KEY, UNCITED_KEY].includes(event.key) || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
    if (typing(event.composedPath()[0]) || scope.querySelector("[role=dialog]")) return
    if (event.key === UNCITED_KEY) {
      nextUncited(pane)
      return
    }
    if (!parentElement.querySelector(".parts button.raw")) return
    event.preventDefault()
    toggle()
  }
  pane.forget?.()
  scope.addEventListener("keydown", onKey)
  pane.forget = () => scope.removeEventListener("keydown", onKey)
  return pane.forget
}
