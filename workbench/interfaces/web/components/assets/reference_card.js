// The card of one reference. Everything that others wrote is set as a text node; addresses are
// followed only where they are web addresses.

const make = (tag, name, text) => {
  const made = document.createElement(tag)
  if (name) made.className = name
  if (text !== undefined) made.textContent = text
  return made
}

const auto = (node) => {
  node.dir = "auto"
  return node
}

const mark = (style, name = "mark") => {
  const made = make("span", name)
  made.style.setProperty("--verdict", style.colour)
  const glyph = make("span", "sign", style.glyph)
  glyph.setAttribute("aria-hidden", "true")
  made.append(glyph, make("span", "word", style.word))
  return made
}

const link = (address, words, name) => {
  const made = make("a", name, words)
  if (!/^https?:\/\//i.test(address ?? "")) return make("span", "", words)
  made.href = address
  made.target = "_blank"
  made.rel = "noopener noreferrer nofollow"
  return made
}

const pieces = (list, name) => {
  const box = auto(make("span"))
  for (const [text, marked] of list) {
    box.append(marked ? make("u", name, text) : document.createTextNode(text))
  }
  return box
}

const finding = (data) => {
  const row = make("div", "finding")
  if (data.finding) row.append(mark(data.finding))
  if (data.likely) {
    row.append(make("span", "quiet", data.likely))
    const limits = make("a", "quiet", "limits")
    limits.href = "guide"
    limits.target = "_blank"
    limits.setAttribute("aria-label", "What this probability rests on, and its limits")
    row.append(limits)
  }
  return row
}

const notice = (data) => {
  const row = make("div", "finding")
  if (!data.notice) return row
  row.append(mark(data.notice, "mark notice"))
  if (data.notice.facts) row.append(make("span", "quiet", data.notice.facts))
  if (data.notice.address) row.append(link(data.notice.address, "notice ↗", "quiet"))
  else if (data.notice.shown) row.append(make("span", "quiet", data.notice.shown))
  return row
}

const decision = (label, who) => {
  const item = make("li")
  item.append(make("span", "strong", who), mark(label, "mark ring"))
  item.append(make("span", "quiet", [label.reason, label.when].filter(Boolean).join(" · ")))
  if (label.note) item.append(auto(make("p", "note", label.note)))
  return item
}

const people = (data) => {
  const list = make("ul", "people")
  list.setAttribute("aria-label", "Decisions")
  if (data.label) list.append(decision(data.label, `You (${data.label.by})`))
  for (const label of data.people) list.append(decision(label, label.by))
  return list
}

const SIGNS = { agrees: "✓", differs: "≠", unknown: "?" }
const WORDS = { agrees: "agrees", differs: "differs", unknown: "cannot tell" }

const cell = (list, missing) => {
  const made = make("td")
  if (list.length) made.append(pieces(list, "differs"))
  else made.append(make("span", "quiet", missing))
  return made
}

const fields = (data) => {
  const box = make("div", "compared")
  if (!data.fields?.length) return box
  const table = make("table")
  const head = make("tr")
  for (const words of ["", "The entry says", "The record says"]) {
    const made = make(words ? "th" : "td", "", words)
    if (words) made.scope = "col"
    head.append(made)
  }
  const body = make("tbody")
  for (const field of data.fields) {
    const row = make("tr", field.state)
    const name = make("th", "", field.name)
    name.scope = "row"
    const sign = make("span", "sign", SIGNS[field.state])
    sign.setAttribute("role", "img")
    sign.setAttribute("aria-label", WORDS[field.state])
    sign.title = WORDS[field.state]
    name.prepend(sign)
    row.append(name, cell(field.entry, "not said"), cell(field.record, data.record ? "not said" : "no record"))
    body.append(row)
    if (field.why && field.state !== "agrees") {
      const told = make("tr", `${field.state} told`)
      const why = auto(make("td", "why", field.why))
      why.colSpan = 2
      told.append(make("td"), why)
      body.append(told)
    }
  }
  const top = make("thead")
  top.append(head)
  table.append(top, body)
  box.append(table)
  return box
}

const record = (data) => {
  const box = make("div", "line")
  if (!data.record) return box
  box.append(make("span", "strong", "Record"), auto(make("span", "quiet", data.record.from)))
  if (data.record.address) box.append(link(data.record.address, `${data.record.shown} ↗`, "open"))
  return box
}

const corrected = (data) => {
  const box = make("section", "corrected")
  if (!data.corrected) return box
  const head = make("div", "line")
  const copy = make("button", "copy")
  copy.type = "button"
  const words = make("span", "", "Copy")
  words.setAttribute("aria-live", "polite")
  copy.append(words, make("kbd", "", "Y"))
  copy.onclick = async () => {
    try {
      await navigator.clipboard.writeText(data.corrected.text)
    } catch {
      // pages that are not served securely have no clipboard
      const field = make("textarea")
      field.value = data.corrected.text
      copy.after(field)
      field.select()
      document.execCommand("copy")
      field.remove()
    }
    words.textContent = "Copied"
    setTimeout(() => {
      words.textContent = "Copy"
    }, 2500)
  }
  head.append(make("span", "strong", "Corrected entry"), copy)
  const text = make("p", "entry-text")
  text.append(pieces(data.corrected.pieces, "changed"))
  box.append(head, text)
  return box
}

const indexes = (data) => {
  const box = make("section", "asked")
  if (!data.indexes?.length) return box
  box.append(make("p", "strong", "Who was asked"))
  const list = make("ul")
  for (const index of data.indexes) {
    const item = make("li", index.answer)
    item.append(make("span", "strong", index.name), make("span", "", index.words))
    if (index.when) item.append(make("span", "quiet", index.when))
    if (index.why) item.append(auto(make("span", "quiet", index.why)))
    const question = make("p", "quiet")
    if (index.question) question.append("told: ", auto(make("q", "", index.question)))
    else if (index.local) question.append("on this machine; nothing was sent")
    if (question.childNodes.length) item.append(question)
    list.append(item)
  }
  box.append(list)
  return box
}

const cites = (data, pick) => {
  const row = make("div", "line")
  row.append(make("span", "strong", data.cites.length ? "Cited by" : "Never cited"))
  for (const citation of data.cites) {
    const button = make("button", "chip")
    button.type = "button"
    button.style.setProperty("--verdict", citation.colour)
    button.append(make("span", "raw", citation.raw), make("i", "", citation.glyph))
    button.setAttribute("aria-label", citation.said)
    button.onclick = () => pick(citation.id)
    row.append(button)
  }
  return row
}

const typing = (target) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName))

// Y copies, O opens the record: both happen in the browser alone, so Streamlit has no key for them
const listen = (card) => {
  const onKey = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    if (typing(event.composedPath()[0])) return
    if (document.querySelector("[role=dialog][aria-modal=true]")) return
    const name = { y: ".copy", o: "a.open" }[event.key.toLowerCase()]
    const target = name && card.querySelector(name)
    if (!target) return
    event.preventDefault()
    target.click()
  }
  if (card.forget) card.forget()
  document.addEventListener("keydown", onKey, true)
  card.forget = () => document.removeEventListener("keydown", onKey, true)
  return card.forget
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component
  const card = parentElement.querySelector(".card")
  if (!card) return undefined
  const forget = listen(card)
  const drawn = JSON.stringify(data)
  if (card.drawn === drawn) return forget
  card.drawn = drawn
  const head = make("div", "head")
  head.append(make("span", "", data.place))
  if (data.name) head.append(auto(make("span", "quiet", data.name)))
  if (data.address) head.append(link(data.address, "entry's own address ↗", "quiet own"))
  card.setAttribute("aria-label", data.place)
  const text = make("blockquote", "entry-text")
  text.append(pieces(data.text, "differs"))
  const parts = [head, finding(data), notice(data)]
  if (data.why) parts.push(auto(make("p", "why", data.why)))
  if (data.unread) parts.push(auto(make("p", "why", data.unread)))
  parts.push(people(data), text, fields(data), record(data), corrected(data))
  parts.push(indexes(data), cites(data, (id) => setTriggerValue("citation", id)))
  if (data.lead) parts.push(make("p", "quiet", data.lead))
  card.replaceChildren(...parts)
  if (card.shown !== data.id) card.scrollTop = 0
  card.shown = data.id
  return forget
}
