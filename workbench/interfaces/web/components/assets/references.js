// The reference panel: entries with the citations that point at them. Text nodes only; a chip goes to
// the citation, an entry's number to its place in the text.

const make = (tag, name, text) => {
  const made = document.createElement(tag)
  if (name) made.className = name
  if (text !== undefined) made.textContent = text
  return made
}

const chip = (one, pick) => {
  const button = make("button", one.here ? "chip here" : "chip")
  button.type = "button"
  button.style.setProperty("--verdict", one.colour)
  button.append(make("span", "raw", one.raw), make("i", "", one.glyph))
  button.setAttribute("aria-label", one.said)
  button.onclick = () => pick(one.id)
  return button
}

const entryRow = (entry, pick, jump) => {
  const row = make("li", entry.here ? "entry here" : "entry")
  const label = make(entry.inside ? "button" : "span", "label", entry.label || String(entry.index + 1))
  if (entry.inside) {
    label.type = "button"
    label.setAttribute("aria-label", `Go to entry ${entry.label || entry.index + 1} in the text`)
    label.onclick = () => jump(entry.index)
  }
  const words = make("div", "words")
  const text = make("span", "", entry.text)
  text.dir = "auto"
  words.append(text)
  if (entry.address) {
    const link = make("a", "", "open")
    link.href = entry.address
    link.target = "_blank"
    link.rel = "noopener noreferrer nofollow"
    link.setAttribute("aria-label", `Open the address of entry ${entry.label || entry.index + 1}`)
    words.append(" ", link)
  }
  const cites = make("div", "cites")
  if (entry.cites.length) cites.append(...entry.cites.map((one) => chip(one, pick)))
  else cites.append(make("span", "none", "Never cited"))
  words.append(cites)
  row.append(label, words)
  return row
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component
  const root = parentElement.querySelector(".references")
  if (!root) return
  const pick = (id) => setTriggerValue("picked", id)
  const jump = (index) => setTriggerValue("entry", index)
  const kinds = make("p", "kinds")
  for (const kind of data.kinds) {
    const one = make("span", "kind")
    one.append(make("b", "", kind.sign), ` ${kind.word} ${kind.number}`)
    kinds.append(one)
  }
  const list = make("ol", "entries")
  list.append(...data.entries.map((entry) => entryRow(entry, pick, jump)))
  const parts = [kinds, list]
  if (!data.entries.length) parts.push(make("p", "none", "The text lists no references."))
  if (data.unlisted.length) {
    parts.push(make("h3", "", "Citations missing from the reference list"))
    const left = make("ul", "entries")
    for (const one of data.unlisted) {
      const row = make("li", one.here ? "entry here" : "entry")
      const why = make("span", "none", one.why)
      why.dir = "auto"
      row.append(chip(one, pick), why)
      left.append(row)
    }
    parts.push(left)
  }
  root.replaceChildren(...parts)
}
