// The card of one citation. Everything that others wrote is set as a text node.

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

const verdict = (data, mark, name = "verdict", word = data.styles[mark].word) => {
  const style = data.styles[mark]
  const made = make("span", name)
  made.style.setProperty("--verdict", style.colour)
  const glyph = make("span", "sign", style.glyph)
  glyph.setAttribute("aria-hidden", "true")
  made.append(glyph, make("span", "word", word))
  return made
}

const link = (address, words) => {
  const made = make("a", "", words)
  if (!/^https?:\/\//i.test(address)) return make("span", "", words)
  made.href = address
  made.target = "_blank"
  made.rel = "noopener noreferrer nofollow"
  return made
}

const claim = (data) => {
  const box = auto(make("blockquote", "claim"))
  if (!data.claim.length) {
    box.append(make("span", "quiet", "This citation has no claim."))
    return box
  }
  for (const [text, uncovered] of data.claim) {
    box.append(uncovered ? make("u", "uncovered", text) : document.createTextNode(text))
  }
  return box
}

// the claim as it can be understood without its context, the words marked that it does not have
const standalone = (data) => {
  const box = make("div", "alone")
  if (!data.standalone) return box
  const words = auto(make("p", "alone-words"))
  for (const [text, added] of data.standalone.parts) {
    words.append(added ? make("ins", "added", text) : document.createTextNode(text))
  }
  box.append(make("p", "quiet", data.standalone.name), words)
  return box
}

// the claim as the source bears it out: what goes struck through, what comes underlined
const correction = (data) => {
  const box = make("div", "correction")
  const told = data.correction
  if (!told) return box
  const words = auto(make("p", "alone-words"))
  const tags = { deleted: "del", inserted: "ins" }
  for (const [kind, text] of told.parts) {
    words.append(tags[kind] ? make(tags[kind], kind, text) : document.createTextNode(text))
  }
  const head = auto(make("p", "quiet"))
  head.append(make("span", "", `${told.name} · `), make("bdi", "", told.judge))
  box.append(head, words)
  if (told.why) box.append(auto(make("p", "quiet", told.why)))
  if (told.decision) box.append(auto(make("p", "quiet", told.decision)))
  return box
}

// the parts of the claim, or of a list or a paragraph that the citation stands for, each with its verdict
const scope = (data) => {
  const box = make("div", "scope")
  if (!data.scope) return box
  const list = make("ul", "scope-parts")
  list.setAttribute("aria-label", data.scope.name)
  for (const [text, label] of data.scope.parts) {
    const item = make("li")
    if (label) item.append(verdict(data, label))
    item.append(auto(make("span", "scope-words", text)))
    list.append(item)
  }
  box.append(make("p", "quiet", data.scope.name), list)
  return box
}

// what the claim's words refer to, before the claim
const context = (data) => {
  const box = make("div", "context")
  const told = data.context
  if (!told) return box
  box.setAttribute("aria-label", "Context of the claim")
  box.setAttribute("role", "group")
  if (told.headings.length) {
    const path = auto(make("p", "quiet path"))
    told.headings.forEach((heading, at) => {
      if (at) path.append(make("span", "step", "›"))
      const step = make("bdi", "", heading)
      step.title = heading
      path.append(step)
    })
    box.append(path)
  }
  for (const [name, value] of told.facts) {
    const line = auto(make("p", "quiet"))
    line.append(make("span", "", `${name}: `), make("bdi", "", value))
    box.append(line)
  }
  if (told.before) box.append(auto(make("p", "before", told.before)))
  return box
}

const decision = (data) => {
  const row = make("div", "decision")
  if (data.hidden) {
    row.append(make("span", "quiet", "The judge's verdict is hidden until you label this item."))
    return row
  }
  row.append(verdict(data, data.mark, "verdict", data.words ?? undefined))
  if (data.confidence) row.append(make("span", "quiet", data.confidence))
  if (data.claim.some((part) => part[1])) {
    row.append(make("span", "quiet", "underlined: not covered by the quote"))
  }
  return row
}

const human = (data) => {
  const row = make("div", "human")
  if (!data.label) return row
  row.append(make("span", "quiet", "Reviewed:"), verdict(data, data.label.mark, "verdict ring"))
  row.append(make("span", "quiet", `${data.label.by}, ${data.label.when}`))
  if (data.label.note) row.append(auto(make("p", "note", data.label.note)))
  return row
}

const opinion = (data, one) => {
  const item = make("li", one.settles ? "settles" : "")
  item.append(auto(make("span", "strong", one.by)), verdict(data, one.mark, "verdict ring"))
  const facts = [one.when]
  if (one.settles) facts.push("settles it")
  if (one.blind) facts.push("decided blind")
  item.append(make("span", "quiet", facts.join(" · ")))
  if (one.note) item.append(auto(make("p", "note", one.note)))
  if (one.fault) item.append(make("p", "note quiet", one.fault))
  if (one.tags.length) item.append(auto(make("p", "note quiet", one.tags.join(" · "))))
  for (const quote of one.quotes) item.append(auto(make("p", "chosen", quote)))
  return item
}

// what other people say, side by side
const people = (data) => {
  const list = make("ul", "people")
  list.setAttribute("aria-label", "Other reviewers")
  for (const one of data.people ?? []) list.append(opinion(data, one))
  return list
}

// what they answered to the queue's fields: questions down, people across
const answers = (data) => {
  const box = make("div", "answers")
  if (!data.answers) return box
  const table = make("table")
  table.setAttribute("aria-label", "Answers to the questions of the queue")
  const head = make("tr")
  head.append(make("th"))
  for (const name of data.answers.people) {
    const cell = auto(make("th", "", name))
    cell.scope = "col"
    head.append(cell)
  }
  table.append(head)
  for (const one of data.answers.rows) {
    const row = make("tr", one.differ ? "differ" : "")
    const question = auto(make("th", "", one.question))
    question.scope = "row"
    if (one.differ) question.append(make("span", "quiet", " · differ"))
    row.append(question)
    for (const answer of one.answers) row.append(auto(make("td", answer ? "" : "quiet", answer || "–")))
    table.append(row)
  }
  box.append(table)
  return box
}

const comments = (data) => {
  const list = make("ul", "comments")
  if (!data.comments?.length) return list
  list.setAttribute("aria-label", "Comments")
  for (const one of data.comments) {
    const item = make("li")
    item.append(auto(make("span", "strong", one.by)), make("span", "quiet", ` ${one.when}`))
    item.append(auto(make("p", "note", one.body)))
    list.append(item)
  }
  return list
}

const panel = (data) => {
  const list = make("ul", "panel")
  for (const one of data.panel) {
    const item = make("li")
    item.append(make("span", "quiet", one.judge), verdict(data, one.mark), make("span", "quiet", one.confidence))
    list.append(item)
  }
  return list
}

const evidence = (data) => {
  const box = make("section", "evidence")
  const head = make("div", "line")
  const quote = data.quotes[data.at]
  const facts = data.facts
  if (facts) {
    const title = auto(make("span", "title strong", facts.title || facts.host || "Source"))
    title.title = title.textContent
    head.append(title)
    if (quote?.under) head.append(auto(make("span", "title quiet", `under “${quote.under}”`)))
    if (quote?.page) head.append(make("span", "quiet", quote.page))
    if (data.quotes.length > 1) {
      const what = data.by_words ? "passage" : "quote"
      head.append(make("span", "quiet", `${what} ${data.at + 1} of ${data.quotes.length}`))
    }
    if (data.by_words) head.append(make("span", "quiet", "found by the claim's words"))
  }
  box.append(head)
  if (quote) {
    const text = auto(make("p", "source"))
    text.append(
      document.createTextNode(quote.before),
      make("mark", "", quote.quote),
      document.createTextNode(quote.after),
    )
    const colour = data.by_words ? "var(--st-primary-color)" : data.styles[data.mark].colour
    text.style.setProperty("--verdict", colour)
    box.append(text)
  } else if (data.error) {
    box.append(make("p", "strong", data.error.what), auto(make("p", "why", data.error.why)))
  } else if (data.hidden) {
    box.append(make("p", "quiet", facts ? "The source has no text to show here." : "No source."))
  } else if (data.mark === "pending") {
    box.append(make("p", "quiet", "This citation has not been judged yet."))
  } else {
    box.append(make("p", "quiet", "Not found in the source."))
  }
  return box
}

// the reason in one line, the rest folded; what it says the rationale does not say again
const reason = (data) => {
  const box = make("section", "rationale")
  const words = data.rationale.startsWith(data.reason) ? data.rationale : `${data.reason}\n${data.rationale}`
  if (!words.trim()) return box
  const text = auto(make("p", "folded", words))
  const more = make("button", "more", "More")
  more.type = "button"
  more.setAttribute("aria-label", "More of the judge's reason")
  more.onclick = () => {
    const folded = text.classList.toggle("folded")
    more.textContent = folded ? "More" : "Less"
    more.setAttribute("aria-expanded", String(!folded))
  }
  more.setAttribute("aria-expanded", "false")
  box.append(text, more)
  requestAnimationFrame(() => {
    more.hidden = text.scrollHeight <= text.clientHeight + 1
  })
  return box
}

const calculation = (data) => {
  const box = make("section", "calculation")
  if (!data.calculation) return box
  const { line, agrees } = data.calculation
  box.append(auto(make("p", agrees ? "" : "strong", `Calculated from the source: ${line}.`)))
  return box
}

const limits = (data) => {
  const box = make("section", "limits")
  if (data.limits) box.append(auto(make("p", "", data.limits)))
  return box
}

const layers = (data) => {
  const list = make("ul", "layers")
  for (const [word, state] of data.layers) {
    const sign = state === true ? "✓" : state === false ? "✕" : "–"
    const item = make("li", state === false ? "no" : state === true ? "yes" : "")
    const glyph = make("span", "sign", sign)
    glyph.setAttribute("aria-hidden", "true")
    item.append(glyph, document.createTextNode(word))
    list.append(item)
  }
  return list
}

const notes = (data) => {
  const list = make("ul", "notes")
  for (const note of data.notes ?? []) list.append(auto(make("li", "", note)))
  return list
}

const source = (data) => {
  const box = make("div", "facts")
  const { facts, wanted } = data
  if (facts) {
    const line = auto(make("p", "line"))
    const named = facts.title && facts.host ? [facts.host] : []
    for (const fact of new Set([...named, ...facts.about, ...facts.facts])) line.append(make("span", "quiet", fact))
    const hash = make("span", "quiet hash", facts.hash)
    hash.title = "Snapshot: the beginning of the SHA-256 of its bytes"
    line.append(hash)
    if (facts.address) line.append(link(facts.address, "original ↗"))
    box.append(line)
  }
  if (data.judged_by) box.append(auto(make("p", "quiet", data.judged_by)))
  if (wanted.entry) box.append(auto(make("p", "quiet entry", wanted.entry)))
  else if (!facts && wanted.value) {
    const line = auto(make("p", "quiet entry"))
    line.append(wanted.address ? link(wanted.address, wanted.value) : document.createTextNode(wanted.value))
    box.append(line)
  } else if (wanted.unlinked) box.append(auto(make("p", "quiet entry", wanted.unlinked)))
  return box
}

export default function (component) {
  const { data, parentElement } = component
  const card = parentElement.querySelector(".card")
  if (!card) return
  const drawn = JSON.stringify(data)
  if (card.drawn === drawn) return
  card.drawn = drawn
  const head = make("div", "head")
  head.append(
    make("span", "", `${data.what ?? "Citation"} ${data.place}`),
    make("span", "quiet", data.kind),
    ...(data.comments?.length
      ? [make("span", "quiet", `${data.comments.length} comment${data.comments.length > 1 ? "s" : ""}`)]
      : []),
    auto(make("span", "raw", data.raw)),
  )
  card.setAttribute("aria-label", `${data.what ?? "Citation"} ${data.place}`)
  // the evidence first: it stands in view without scrolling
  const read = [evidence(data), people(data), answers(data), comments(data), panel(data)]
  const decided = [decision(data), reason(data), calculation(data), limits(data), human(data)]
  // a verdict that the judge is not sure of stands behind what a reader decides by
  const order = data.mark === "unsure" ? [...read, ...decided] : [...decided, ...read]
  card.replaceChildren(
    head, context(data), claim(data), scope(data), standalone(data), ...order, correction(data),
    layers(data), notes(data), source(data),
  )
  card.scrollTop = 0
}
