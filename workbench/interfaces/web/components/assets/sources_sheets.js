// The text of a source, sheet by sheet, as text nodes; quotes are marked and can be chosen. The
// sheets are built once a part; a later call only moves the choice. The image of a page stands beside
// them or instead; it comes with page_image.js.

const RANK = [
  "contradicted", "not_supported", "partially_supported", "unverifiable", "cannot_tell", "unsure", "pending",
  "supported",
]

const make = (tag, name, text) => {
  const made = document.createElement(tag)
  if (name) made.className = name
  if (text !== undefined) made.textContent = text
  return made
}

const bar = (mount, data, go) => {
  const box = mount.querySelector(".parts")
  box.hidden = data.parts < 2 && !data.pages.length
  if (box.hidden) return
  box.replaceChildren()
  const turn = (label, name, to) => {
    const made = make("button", "", label)
    made.type = "button"
    made.setAttribute("aria-label", name)
    made.disabled = to < 0 || to >= data.parts
    made.onclick = () => go(to)
    return made
  }
  const said = make("span", "", data.where)
  if (data.parts > 1) {
    box.append(turn("‹", "Earlier part", data.part - 1), said, turn("›", "Next part", data.part + 1))
  } else box.append(said)
  if (!data.pages.length) return
  const label = make("label", "", "Go to page ")
  const choice = make("select")
  data.pages.forEach((_, at) => {
    const option = make("option", "", String(at + 1))
    option.value = String(at + 1)
    choice.append(option)
  })
  choice.onchange = () => {
    const page = Number(choice.value)
    if (data.pages[page - 1] === data.part) show(mount, page)
    else {
      mount.querySelector(".pane").wanted = page
      go(data.pages[page - 1])
    }
  }
  label.append(choice)
  box.append(label)
}

const show = (mount, page) => {
  const pane = mount.querySelector(".pane")
  const sheet = pane.querySelector(`[data-page="${page}"]`)
  if (!sheet) return
  pane.scrollTop += sheet.getBoundingClientRect().top - pane.getBoundingClientRect().top - 8
  sheet.focus({ preventScroll: true })
}

const gravest = (data, ids) =>
  ids.map((id) => data.marks[id].m).sort((a, b) => RANK.indexOf(a) - RANK.indexOf(b))[0]

const pieceNode = (data, piece) => {
  const node = make("span", "piece", piece.t)
  if (piece.h) node.classList.add("head")
  const ids = (piece.m ?? []).filter((id) => data.marks[id])
  if (!ids.length) return [node]
  node.classList.add("quote")
  node.dataset.ids = ids.join(" ")
  const signs = (piece.o ?? []).filter((id) => data.marks[id]).map((id) => {
    const sign = make("button", "sign", data.styles[data.marks[id].m].glyph)
    sign.type = "button"
    sign.dataset.id = id
    sign.style.setProperty("--verdict", data.styles[data.marks[id].m].colour)
    sign.setAttribute("aria-label", data.marks[id].d)
    sign.title = data.marks[id].d
    return sign
  })
  return [...signs, node]
}

// the pieces cut where blocks begin and end, each with its place in the part
const cutPieces = (pieces, blocks) => {
  const whole = Array.from(pieces.map((piece) => piece.t).join(""))
  const edges = [...new Set(blockEdges(whole, blocks))].sort((a, b) => a - b)
  const made = []
  let start = 0
  let next = 0
  for (const piece of pieces) {
    const end = start + Array.from(piece.t).length
    let first = true
    while (start < end) {
      while (next < edges.length && edges[next] <= start) next += 1
      const to = Math.min(edges[next] ?? end, end)
      made.push({ ...piece, t: whole.slice(start, to).join(""), o: first ? piece.o : [], start })
      first = false
      start = to
    }
  }
  return made
}

const build = (pane, data) => {
  pane.replaceChildren(...data.sheets.map((sheet) => {
    const made = make("section", sheet.n ? "sheet paged" : "sheet")
    if (sheet.n) {
      made.dataset.page = String(sheet.n)
      made.tabIndex = -1
      made.setAttribute("aria-label", `Page ${sheet.n}`)
      const number = make("div", "number", `Page ${sheet.n}`)
      number.setAttribute("aria-hidden", "true")
      made.append(number)
    }
    const text = make("div", "text")
    text.dir = "auto"
    if (data.structure.length) {
      const nodes = cutPieces(sheet.pieces, data.structure).flatMap((piece) => pieceNode(data, piece).map((node) => {
        node.start = piece.start
        return node
      }))
      text.append(...arrangeBlocks(nodes, data.structure))
    } else for (const piece of sheet.pieces) text.append(...pieceNode(data, piece))
    if (!text.textContent.trim()) text.append(make("span", "blank", "No text on this page."))
    made.append(text)
    return made
  }))
}

// The letters of pages are made as small as it takes for nearly all of their lines to fit.
const fit = (pane) => {
  const text = pane.querySelector(".paged .text")
  if (!text) return
  const lines = [...pane.querySelectorAll(".paged .text")].flatMap((one) => one.textContent.split("\n"))
  const ordered = lines.filter((line) => line.trim()).sort((a, b) => a.length - b.length)
  const probe = make("span", "probe", ordered.slice(Math.floor(ordered.length * 0.9), -1).slice(-12).join("\n"))
  text.append(probe)
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize)
  let size = 0.97 * rem
  // measured again at each size: small letters of an optical font are wider for their size
  for (let round = 0; round < 3; round += 1) {
    pane.style.setProperty("--fit", `${size}px`)
    const room = (size * text.clientWidth) / (probe.getBoundingClientRect().width * 1.005 || 1)
    size = Math.min(Math.max(room, 0.72 * rem), 0.97 * rem)
  }
  pane.style.setProperty("--fit", `${size}px`)
  probe.remove()
}

// The page that is read stands in the choice of pages.
const follow = (mount, pane) => {
  const choice = mount.querySelector(".parts select")
  if (!choice) return
  const frame = pane.getBoundingClientRect()
  const top = frame.top + frame.height / 3
  const sheets = [...pane.querySelectorAll("[data-page]")]
  const here = sheets.find((sheet) => sheet.getBoundingClientRect().bottom > top)
  if (here) choice.value = here.dataset.page
}

const choose = (pane, data, id) => {
  for (const node of pane.querySelectorAll(".quote")) {
    const ids = node.dataset.ids.split(" ")
    const chosen = ids.includes(id)
    // several citations may quote it: the chosen one's verdict, else the gravest
    const mark = chosen ? data.marks[id].m : gravest(data, ids)
    node.classList.toggle("chosen", chosen)
    node.style.setProperty("--verdict", data.styles[mark].colour)
    node.style.textDecoration = data.styles[mark].line
  }
  for (const sign of pane.querySelectorAll(".sign")) {
    sign.setAttribute("aria-pressed", String(sign.dataset.id === id))
  }
}

const reveal = (pane, id) => {
  const node = pane.querySelector(`[data-id="${CSS.escape(id ?? "")}"]`)
  if (!node) return
  const box = node.getBoundingClientRect()
  const frame = pane.getBoundingClientRect()
  pane.scrollTop += box.top - frame.top - frame.height / 3
}

// -- the page's image ---------------------------------------------------------------------------

const imagePane = (mount, data, turn) => pageImagePane(mount, data, data.page?.name, (pane) => {
  if (data.page.src) {
    const letters = Array.from(data.sheets.flatMap((sheet) => sheet.pieces.map((piece) => piece.t)).join(""))
    pane.append(pageSheet(data.page, letters).sheet)
  }
  pane.onkeydown = (event) => {
    if (pageTurn(event, pane, turn)) event.preventDefault()
  }
})

const markImage = (pane, data) => {
  const sheet = pane?.querySelector(".page-sheet")
  if (!sheet) return
  const ids = Object.keys(data.page.boxes).filter((id) => data.marks[id])
  // the chosen one last, over the others
  ids.sort((a, b) => (a === data.selected) - (b === data.selected))
  pageBoxes(sheet, ids.map((id) => ({
    boxes: data.page.boxes[id],
    name: `quote-box${id === data.selected ? " chosen" : ""}`,
    id,
  })))
  for (const box of sheet.querySelectorAll(".quote-box")) {
    box.style.setProperty("--verdict", data.styles[data.marks[box.dataset.ids].m].colour)
  }
  const box = sheet.querySelector(".quote-box.chosen")
  if (!box || pane.shown === pane.look + data.selected) return
  pane.shown = pane.look + data.selected
  requestAnimationFrame(() => {
    pane.scrollTop += box.getBoundingClientRect().top - pane.getBoundingClientRect().top - pane.clientHeight / 3
  })
}

export default function (component) {
  const { data, parentElement: mount, setTriggerValue } = component
  const pane = mount.querySelector(".pane")
  if (!pane) return
  pane.tabIndex = 0
  pane.setAttribute("role", "region")
  pane.setAttribute("aria-label", `Text of the source, ${data.where}`)
  const go = (to) => {
    if (to >= 0 && to < data.parts) setTriggerValue("part", to)
  }
  bar(mount, data, go)
  mount.querySelector(".frame").dataset.look = data.look
  pane.hidden = data.look === "page"
  const image = imagePane(mount, data, (by) => go(data.part + by))
  markImage(image, data)
  const drawn = data.doc + JSON.stringify([data.marks, data.structure.length])
  const fresh = pane.dataset.doc !== drawn
  if (fresh) {
    build(pane, data)
    pane.classList.toggle("pages", Boolean(data.sheets[0]?.n))
    fit(pane)
    pane.dataset.doc = drawn
    pane.scrollTop = 0
  }
  choose(pane, data, data.selected)
  if (pane.wanted && fresh) {
    show(mount, pane.wanted)
    pane.wanted = null
  } else if (data.selected && (fresh || pane.dataset.selected !== data.selected)) {
    requestAnimationFrame(() => reveal(pane, data.selected))
  }
  pane.dataset.selected = data.selected ?? ""
  const pick = (target) => {
    const sign = target.closest(".sign")
    const ids = target.closest(".quote")?.dataset.ids.split(" ")
    const id = sign ? sign.dataset.id : ids && ids[(ids.indexOf(pane.dataset.selected) + 1) % ids.length]
    if (!id) return
    pane.dataset.selected = id
    choose(pane, data, id)
    setTriggerValue("picked", id)
  }
  pane.onscroll = () => follow(mount, pane)
  follow(mount, pane)
  document.fonts?.ready.then(() => fit(pane))
  pane.watch ??= new ResizeObserver(() => fit(pane))
  pane.watch.observe(pane)
  pane.onclick = (event) => {
    if (!getSelection()?.toString()) pick(event.target)
  }
}
