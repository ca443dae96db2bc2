// Numbers and names that are links, in a table or in a line. Everything is set as a text node; a
// plain click goes through the session, any other one is the browser's own.

const make = (tag, name, text) => {
  const made = document.createElement(tag)
  if (name) made.className = name
  if (text !== undefined) made.textContent = text
  return made
}

const mark = (one) => {
  const made = make("span", "mark")
  made.style.setProperty("--verdict", one.colour)
  const glyph = make("span", "glyph", one.glyph)
  glyph.setAttribute("aria-hidden", "true")
  made.append(glyph, make("span", "", one.word))
  return made
}

const words = (cell) => {
  if (cell.href === undefined) return make("span", "words", cell.text)
  const link = make("a", "words", cell.text)
  link.href = cell.href
  link.dataset.n = cell.n
  if (cell.said) link.setAttribute("aria-label", cell.said)
  return link
}

const fill = (place, cell) => {
  if (cell.marks) {
    const marks = make("span", "marks")
    marks.append(...cell.marks.map(mark))
    if (cell.text && cell.href !== undefined) {
      const link = words(cell)
      place.append(marks, link)
    } else place.append(marks, ...(cell.text ? [words(cell)] : []))
  } else place.append(words(cell))
  place.dir = "auto"
  if (cell.more) {
    const more = make("span", "more", cell.more)
    more.dir = "auto"
    place.append(more)
  }
  if (cell.bar !== undefined) {
    const bar = make("span", "bar")
    bar.setAttribute("aria-hidden", "true")
    bar.append(make("span"))
    bar.firstChild.style.inlineSize = `${cell.bar * 100}%`
    place.append(bar)
  }
  if (cell.colour) {
    place.classList.add("verdict")
    place.style.setProperty("--verdict", cell.colour)
  }
  if (cell.tone) place.style.setProperty("--tone", `${cell.tone * 55}%`)
}

// a checkbox before a row, or in the head for all rows; what is selected goes to the server as a whole
const box = (said, id) => {
  const made = make("td", "box")
  const input = make("input")
  input.type = "checkbox"
  input.setAttribute("aria-label", said)
  if (id !== undefined) input.dataset.id = id
  made.append(input)
  return made
}

const table = (data) => {
  const made = make("table", `${data.framed ? "framed" : ""} ${data.prose ? "prose" : ""}`)
  made.append(make("caption", "", data.said))
  const head = make("tr")
  if (data.selection) head.append(box(data.selection.all))
  for (const column of data.columns) {
    const cell = make("th", `${column.numeric ? "numeric" : ""} ${column.spare ? "spare" : ""}`, column.word)
    cell.scope = "col"
    if (column.width) cell.style.width = column.width
    head.append(cell)
  }
  const heads = make("thead")
  heads.append(head)
  const body = make("tbody")
  for (const [number, row] of data.rows.entries()) {
    const line = make("tr")
    if (data.selection) line.append(box(`${data.selection.said} ${row[0].text}`, data.selection.ids[number]))
    row.forEach((cell, at) => {
      const column = data.columns[at] ?? {}
      // an empty place, as below a host that goes on, heads nothing
      const leads = !at && Boolean(cell.text || cell.marks)
      const place = make(leads ? "th" : "td", `${column.numeric ? "numeric" : ""} ${column.spare ? "spare" : ""}`)
      if (leads) place.scope = "row"
      fill(place, cell)
      line.append(place)
    })
    body.append(line)
  }
  made.append(heads, body)
  return made
}

const figures = (data) => {
  const list = make("ul", "figures")
  for (const figure of data.figures) {
    const item = make("li")
    const number = words({ ...figure, said: undefined })
    number.className = "number"
    // number and word are one link, so that it says what it leads to
    number.append(" ", make("span", "word", figure.word))
    item.append(number)
    list.append(item)
  }
  return list
}

const rowBoxes = (wrap) => [...wrap.querySelectorAll("input[data-id]")]

const markAll = (wrap) => {
  const all = wrap.querySelector("thead input")
  const boxes = rowBoxes(wrap)
  const number = boxes.filter((each) => each.checked).length
  all.checked = number > 0 && number === boxes.length
  all.indeterminate = number > 0 && number < boxes.length
}

const select = (wrap, event, send) => {
  const input = event.target
  const boxes = rowBoxes(wrap)
  if (input.dataset.id === undefined) for (const each of boxes) each.checked = input.checked
  else {
    const at = boxes.indexOf(input)
    // with Shift, all rows from the one before
    if (event.shiftKey && wrap.lastBox !== undefined) {
      const [first, last] = [Math.min(at, wrap.lastBox), Math.max(at, wrap.lastBox)]
      for (const each of boxes.slice(first, last + 1)) each.checked = input.checked
    }
    wrap.lastBox = at
  }
  markAll(wrap)
  send(boxes.filter((each) => each.checked).map((each) => each.dataset.id))
}

// what scrolls can be scrolled by keyboard, also where no link in it takes the focus
const reach = (wrap) => {
  if (wrap.scrollWidth > wrap.clientWidth) wrap.tabIndex = 0
  else wrap.removeAttribute("tabindex")
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component
  const wrap = parentElement.querySelector(".wrap")
  if (!wrap) return
  wrap.onclick = (event) => {
    if (event.target.matches("input")) {
      select(wrap, event, (ids) => setTriggerValue("selected", ids))
      return
    }
    const link = event.target.closest("a")
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    setTriggerValue("followed", Number(link.dataset.n))
  }
  // between two changes by the server the browser knows best what is selected: of fast clicks an
  // earlier answer must not take back a later one
  const drawn = JSON.stringify(data, (name, value) => (name === "selected" ? undefined : value))
  if (wrap.drawn === drawn) return
  wrap.drawn = drawn
  const held = wrap.getRootNode().activeElement
  const number = held?.dataset?.n
  const heldBox = held?.type === "checkbox" ? held.dataset.id ?? "" : undefined
  wrap.replaceChildren(data.figures ? figures(data) : table(data))
  wrap.lastBox = undefined
  if (data.selection) {
    const selected = new Set(data.selection.selected)
    for (const each of rowBoxes(wrap)) each.checked = selected.has(each.dataset.id)
    markAll(wrap)
    if (heldBox === "") wrap.querySelector("thead input").focus({ preventScroll: true })
    else if (heldBox) rowBoxes(wrap).find((each) => each.dataset.id === heldBox)?.focus({ preventScroll: true })
  }
  reach(wrap)
  if (!wrap.resized) {
    wrap.resized = new ResizeObserver(() => reach(wrap))
    wrap.resized.observe(wrap)
  }
  if (number !== undefined) wrap.querySelector(`a[data-n="${number}"]`)?.focus({ preventScroll: true })
}
