// The list of sources: a plain table whose heads sort and whose titles open. Everything that others
// wrote is set as a text node.

const make = (tag, name, text) => {
  const made = document.createElement(tag)
  if (name) made.className = name
  if (text !== undefined) made.textContent = text
  return made
}

const heads = (data, sort) => {
  const row = make("tr")
  for (const [name, word] of data.columns) {
    const cell = make("th", `c-${name}`)
    cell.scope = "col"
    const button = make("button", "", word)
    button.type = "button"
    const on = data.sort === name
    cell.setAttribute("aria-sort", on ? (data.descending ? "descending" : "ascending") : "none")
    if (on) {
      const arrow = make("span", "arrow", data.descending ? "▼" : "▲")
      arrow.setAttribute("aria-hidden", "true")
      button.append(arrow)
    }
    button.title = `Sort by ${word.toLowerCase()}`
    button.onclick = () => sort(on && !data.descending ? `-${name}` : name)
    cell.append(button)
    row.append(cell)
  }
  const head = make("thead")
  head.append(row)
  return head
}

const counts = (data, row) => {
  const cell = make("td", "c-citations")
  if (!row.counts.length) {
    cell.append(make("span", "quiet", "none"))
    return cell
  }
  const said = row.counts.map(([mark, number]) => `${number} ${data.styles[mark].word.toLowerCase()}`)
  const list = make("span", "counts")
  list.setAttribute("role", "img")
  list.setAttribute("aria-label", said.join(", "))
  list.title = said.join(", ")
  for (const [mark, number] of row.counts) {
    const one = make("span", "count")
    one.style.setProperty("--verdict", data.styles[mark].colour)
    one.append(make("span", "glyph", data.styles[mark].glyph), make("span", "", String(number)))
    list.append(one)
  }
  cell.append(list)
  return cell
}

const plain = (name, text, more) => {
  const cell = make("td", `c-${name}`, text)
  if (more) cell.title = more
  return cell
}

const rowNode = (data, row, open) => {
  const made = make("tr", row.tone)
  made.dataset.id = row.id
  const first = make("th", "c-source")
  first.scope = "row"
  const button = make("button", "open", row.name)
  button.type = "button"
  button.dir = "auto"
  button.dataset.id = row.id
  if (row.entry) button.title = row.entry
  const path = make("span", "path", row.path)
  path.dir = "ltr"
  first.append(button, path)
  const state = make("td", "c-state")
  state.append(make("span", `state ${row.tone}`, row.state))
  if (row.more) state.append(make("span", "more", row.more))
  made.append(
    first, state, plain("answer", row.answer), plain("type", row.type), plain("size", row.size),
    plain("pages", row.pages), plain("fetched", row.when), plain("hash", row.hash, row.sha256),
    counts(data, row),
  )
  made.onclick = () => {
    if (!getSelection()?.toString()) open(row.id)
  }
  return made
}

const move = (event, body) => {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const all = [...body.querySelectorAll(".open")]
  const at = all.indexOf(event.target)
  if (at < 0) return
  const next = event.key === "Home" ? all[0] : event.key === "End" ? all.at(-1) : by && all[at + by]
  if (!next) return
  event.preventDefault()
  next.focus()
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component
  const table = parentElement.querySelector("table")
  if (!table) return
  const drawn = JSON.stringify(data)
  if (table.drawn === drawn) return
  table.drawn = drawn
  const focused = table.getRootNode().activeElement
  const back = focused?.classList.contains("open")
    ? `.open[data-id="${focused.dataset.id}"]`
    : focused?.closest("th")?.className.startsWith("c-")
      ? `thead .${focused.closest("th").className} button`
      : null
  const body = make("tbody")
  for (const row of data.rows) body.append(rowNode(data, row, (id) => setTriggerValue("opened", id)))
  body.onkeydown = (event) => move(event, body)
  const caption = make("caption", "", data.said)
  table.replaceChildren(caption, heads(data, (by) => setTriggerValue("sorted", by)), body)
  if (back) table.querySelector(back)?.focus({ preventScroll: true })
  else if (data.focus) table.querySelector(`.open[data-id="${data.focus}"]`)?.focus()
}
