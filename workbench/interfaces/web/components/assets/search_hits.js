// The hits of a search, grouped by kind; the words that were found are marked. Text nodes only.

const make = (tag, name, text) => {
  const made = document.createElement(tag)
  if (name) made.className = name
  if (text !== undefined) made.textContent = text
  return made
}

const verdict = (style) => {
  const made = make("span", "verdict")
  made.style.setProperty("--verdict", style.colour)
  const glyph = make("span", "sign", style.glyph)
  glyph.setAttribute("aria-hidden", "true")
  made.append(glyph, make("span", "", style.word))
  return made
}

const hit = (row, open) => {
  const item = make("li", "hit")
  const head = make("div", "line")
  const name = make(row.href ? "a" : "span", "name", row.name)
  name.dir = "auto"
  if (row.href) {
    name.href = row.href
    name.onclick = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return
      event.preventDefault()
      open(row.n)
    }
  }
  head.append(name)
  if (row.verdict) head.append(verdict(row.verdict))
  head.append(make("span", "quiet", row.href ? row.facts : `${row.facts} · no citation leans on it`))
  const text = make("p", "text")
  text.dir = "auto"
  for (const [words, marked] of row.parts) text.append(marked ? make("mark", "", words) : document.createTextNode(words))
  item.append(head, text)
  return item
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component
  const root = parentElement.querySelector(".hits")
  root.replaceChildren(
    ...data.groups.map((group) => {
      const box = make("section")
      const head = make("div", "line")
      head.append(make("h2", "", group.head))
      if (group.more) {
        const more = make("button", "more", group.more)
        more.type = "button"
        more.setAttribute("aria-label", `${group.more}: ${group.head}`)
        more.onclick = () => setTriggerValue("more", group.kind)
        head.append(more)
      }
      const list = make("ul")
      list.append(...group.hits.map((row) => hit(row, (n) => setTriggerValue("opened", n))))
      box.append(head, list)
      return box
    }),
  )
}
