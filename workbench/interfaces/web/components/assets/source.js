// A text of which a part is taken: by mouse, or sentence by sentence and word by word with the keys.
// The text is text nodes and nothing else is one, so that a place in it is the length of what stands
// before: syntax that is not shown is there too. Beside it, or instead, stands the image of its page,
// with the same text over it: a pane of its own with its own selection. What both take comes with
// text_blocks.js, source_places.js and page_image.js.

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

const press = (name, label, act) => {
  const made = make("button", name, label)
  made.type = "button"
  made.onclick = act
  return made
}

// -- the text -------------------------------------------------------------------------------------

const pieceNode = (doc, data, start, end) => {
  const piece = make("span", "piece", doc.text.slice(doc.at[start], doc.at[end]))
  piece.start = start
  const over = data.marks.filter((mark) => mark.s <= start && mark.e >= end)
  for (const mark of over) {
    piece.classList.add(mark.k)
    if (mark.w) piece.classList.add("wrong")
    if (mark.id === data.chosen) piece.classList.add("chosen")
  }
  if (over.length) piece.dataset.ids = over.map((mark) => mark.id).join(" ")
  return piece
}

const build = (text, doc, data) => {
  const length = doc.letters.length
  const edges = new Set([0, length])
  for (const [start] of data.runs) edges.add(start)
  for (const mark of data.marks) edges.add(mark.s).add(mark.e)
  for (const [start] of data.pages) edges.add(start)
  for (const place of data.sentences) edges.add(place)
  const structure = data.structure ?? []
  for (const place of blockEdges(doc.letters, structure)) edges.add(place)
  const ordered = [...edges].sort((a, b) => a - b)
  const pages = new Map(data.pages)
  const drawn = document.createDocumentFragment()
  const blockOf = blockElements(drawn, data.blocks)
  const raw = rawText.read()
  text.classList.toggle("raw", raw)
  const structured = []
  let run = 0
  let who = []
  doc.pieces = []
  ordered.slice(0, -1).forEach((start, number) => {
    if (pages.has(start)) {
      const page = make("span", "page")
      page.dataset.page = `Page ${pages.get(start)}`
      drawn.append(page)
    }
    while (run + 1 < data.runs.length && data.runs[run + 1][0] <= start) run += 1
    const [, block, syntax, styles] = data.runs[run] ?? []
    const hidden = syntax && !raw
    const piece = pieceNode(doc, data, start, ordered[number + 1])
    stylePiece(piece, { hidden: syntax, styles })
    who = who.concat(data.marks.filter((mark) => mark.s === start).map((mark) => mark.d))
    // a mark that begins with syntax says whose it is where it is seen
    if (who.length && !hidden) {
      piece.dataset.who = who.join(" · ")
      who = []
    }
    if (structure.length) structured.push(piece)
    else blockOf(block).append(piece)
    doc.pieces.push(piece)
    if (hidden) doc.hidden.fill(1, start, ordered[number + 1])
  })
  if (!length) drawn.append(make("span", "blank", data.page ? "No text on this page." : ""))
  // a source has pages, or a structure, or neither; an output has blocks
  text.replaceChildren(drawn, ...arrangeBlocks(structured, structure))
}

const spot = (doc, place, end) => {
  const { pieces } = doc
  let low = 0
  let high = pieces.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (pieces[middle].start < place || (!end && pieces[middle].start === place)) low = middle
    else high = middle - 1
  }
  return [pieces[low].firstChild, doc.at[place] - doc.at[pieces[low].start]]
}

// -- around the text ------------------------------------------------------------------------------

const bar = (mount, data, go) => {
  const box = mount.querySelector(".parts")
  box.hidden = data.parts < 2
  if (box.hidden) return
  const turn = (label, name, to) => {
    const made = press("", label, () => go(to))
    made.setAttribute("aria-label", name)
    made.disabled = to < 0 || to >= data.parts
    return made
  }
  if (data.page) {
    box.replaceChildren(
      turn("‹", "Previous page", data.part - 1),
      make("span", "", `Page ${data.part + 1} of ${data.parts}`),
      turn("›", "Next page", data.part + 1),
      pageChoice(data.page, go),
    )
    return
  }
  const said = make("span", "", `Part ${data.part + 1} of ${data.parts} · ${data.where}`)
  box.replaceChildren(
    turn("‹", "Previous part of the text", data.part - 1),
    said,
    turn("›", "Next part of the text", data.part + 1),
  )
}

const pageOf = (data, place) => data.pages.findLast(([start]) => start <= place)?.[1]

const tell = (mount, data) => {
  const pane = active(mount)
  const now = seen(pane)
  const sheet = mount.querySelector(".page-sheet")
  if (sheet) pageSelection(sheet, mount.querySelector(".paper").doc.pieces, now)
  const said = mount.querySelector(".said")
  mount.querySelector(".take").disabled = !now
  mount.querySelector(".hint").textContent = data.hint
  if (!now) {
    said.textContent = ""
    return
  }
  const letters = pane.doc.letters.slice(...now)
  const words = letters.length > 60
    ? `${letters.slice(0, 30).join("")} … ${letters.slice(-25).join("")}`
    : letters.join("")
  const page = pageOf(data, now[0])
  const count = letters.length === 1 ? "1 character" : `${letters.length} characters`
  said.textContent = [`“${words.replace(/\s+/g, " ")}”`, count, page ? `page ${page}` : ""]
    .filter(Boolean)
    .join(" · ")
}

const reveal = (pane, id) => {
  const selector = `[data-ids~="${CSS.escape(id)}"]`
  const piece = pane.querySelector(`${selector}:not(.syntax)`) ?? pane.querySelector(selector)
  if (!piece) return false
  const box = piece.getBoundingClientRect()
  const frame = pane.getBoundingClientRect()
  if (box.top < frame.top + 40 || box.bottom > frame.bottom - 40) {
    pane.scrollTop += box.top - frame.top - frame.height / 3
  }
  return true
}

const lists = (mount, data, on) => {
  // the row whose button was pressed is drawn anew: the cursor stays on it
  const root = mount.querySelector(".lists").getRootNode()
  const held = root.activeElement?.closest?.(".lists li")?.dataset.id
  const row = (one) => {
    const item = make("li", one.w ? "wrong" : "")
    const words = auto(press("words", one.t, () => {
      if (one.part !== data.part) on.part(one.part, one.id)
      else for (const pane of shownPanes(mount)) reveal(pane, one.id)
    }))
    words.title = "Show it in the text"
    item.dataset.id = one.id
    item.append(words)
    if (one.p) item.append(make("span", "quiet", one.p))
    if (one.k === "quote") {
      const mark = press("mark", one.w ? "Wrong ✓" : "Wrong", () => on.wrong(one.id))
      mark.setAttribute("aria-pressed", String(Boolean(one.w)))
      mark.title = "This quote is not about the claim"
      item.append(mark)
    } else if (one.k === "mine") {
      const remove = press("remove", "✕", () => on.drop(one.id))
      remove.setAttribute("aria-label", "Remove this evidence")
      remove.title = "Remove this evidence"
      item.append(remove)
    }
    return item
  }
  const groups = data.lists.filter((group) => group.rows.length).map((group) => {
    const box = make("section", "group")
    const list = make("ul", "")
    list.append(...group.rows.map(row))
    box.append(make("h3", "", group.name), list)
    return box
  })
  const box = mount.querySelector(".lists")
  box.replaceChildren(...groups)
  if (!held) return
  const again = box.querySelector(`[data-id="${CSS.escape(held)}"] :is(.mark, .remove)`)
  if (again) again.focus()
  else active(mount).focus({ preventScroll: true })
}

// -- by key ---------------------------------------------------------------------------------------

const keyed = (event, pane, mount, data, on) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
  const mirrored = getComputedStyle(pane.querySelector(".text")).direction === "rtl"
  const by = {
    ArrowDown: 1, ArrowUp: -1, ArrowRight: mirrored ? -1 : 1, ArrowLeft: mirrored ? 1 : -1,
  }[event.key]
  let done = true
  if (by) {
    const sentences = event.key === "ArrowDown" || event.key === "ArrowUp"
    const units = sentences ? pane.doc.sentences : words(pane.doc)
    const now = current(pane)
    if (event.shiftKey && now) select(pane, extended(now, units, by))
    else {
      const unit = stepped(pane, units, by)
      if (unit) select(pane, whole(unit))
      else if (data.part + by >= 0 && data.part + by < data.parts) {
        on.enter(by)
      }
    }
  } else if (event.key === "Enter") on.take()
  else if (event.key === "Delete" || event.key === "Backspace") on.dropHere()
  // Escape is the window's own: it closes, with a selection or without
  else done = false
  if (!done) return
  event.preventDefault()
  event.stopPropagation()
  tell(mount, data)
}

// Escape closes the window, which fades out while it is still in the page: keys typed from then on
// are the page's, and desk_keys.js keeps them until it is gone
const CLOSING_MS = 1500
const windowOf = (pane) => (pane.getRootNode().host ?? pane).closest("[role=dialog]")
const closes = (pane) => {
  const dialog = windowOf(pane)
  if (!dialog) return
  dialog.dataset.closing = "1"
  setTimeout(() => delete dialog.dataset.closing, CLOSING_MS)
}

const plainLetter = (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return false
  const inside = event.composedPath()[0]
  const typing = inside.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(inside.tagName)
  return !typing && event.key.length === 1 && event.key !== " "
}

const drawText = (pane, data, fresh) => {
  const look = JSON.stringify([data.doc, data.marks, data.chosen])
  if (pane.look === look) return
  const kept = fresh ? 0 : pane.scrollTop
  clear(pane)
  pane.doc = measure(data.text)
  pane.doc.sentences = sentencesOf(data)
  build(pane.querySelector(".text"), pane.doc, data)
  pane.scrollTop = kept
  pane.look = look
}

const arrive = (panes, data, wish) => {
  const [pane] = panes
  pane.focus({ preventScroll: true })
  const entered = wish.enter && pane.doc.sentences.at(wish.enter > 0 ? 0 : -1)
  if (data.preset) select(pane, whole(data.preset))
  else if (entered) select(pane, whole(entered))
  else for (const one of panes) reveal(one, wish.id ?? data.chosen ?? "")
}

export default function (component) {
  const { data, parentElement: mount, setTriggerValue } = component
  const pane = mount.querySelector(".pane:not(.paper)")
  if (!pane || !mount.querySelector(".text")) return undefined
  const picker = mount.querySelector(".picker")
  const wish = (picker.wish ??= {})
  const fresh = pane.dataset.doc !== data.doc
  picker.dataset.look = data.look ?? "text"
  pane.hidden = data.look === "page"
  drawText(pane, data, fresh)
  const image = imagePane(mount, data)
  markImage(image, data)
  picker.style.setProperty("--verdict", data.colour)
  pane.setAttribute("aria-label", data.name)
  const panes = shownPanes(mount)
  const chosen = data.marks.find((mark) => mark.id === data.chosen)
  for (const one of panes) one.chosenAt = chosen?.s

  const absolute = ([start, end]) => `${data.start + start}-${data.start + end}`
  const on = {
    part: (part, id) => {
      wish.id = id
      setTriggerValue("part", part)
    },
    turn: (by) => {
      if (data.part + by >= 0 && data.part + by < data.parts) on.part(data.part + by)
    },
    take: () => {
      const used = active(mount)
      const now = seen(used)
      if (!now) return
      used.last = now
      clear(used)
      used.focus({ preventScroll: true })
      setTriggerValue("taken", absolute(now))
    },
    drop: (id) => setTriggerValue("dropped", id),
    dropHere: () => {
      const used = active(mount)
      const now = seen(used) ?? used.last
      const mine = now && data.marks.find((one) => one.k === "mine" && one.s < now[1] && one.e > now[0])
      if (mine) on.drop(mine.id)
    },
    wrong: (id) => setTriggerValue("wrong", id),
    enter: (by) => {
      wish.enter = by
      on.part(data.part + by)
    },
  }
  bar(mount, data, (part) => on.part(part))
  lists(mount, data, on)
  const take = mount.querySelector(".take")
  take.textContent = `${data.act} ⏎`
  // a press must not undo the selection that it takes
  take.onpointerdown = (event) => event.preventDefault()
  take.onmousedown = (event) => event.preventDefault()
  take.onclick = on.take

  if (fresh) {
    pane.dataset.doc = data.doc
    for (const one of panes) one.last = null
    arrive(panes, data, wish)
    wish.enter = wish.id = null
  } else if (pane.chosen !== data.chosen && data.chosen) {
    for (const one of panes) reveal(one, data.chosen)
  }
  pane.chosen = data.chosen
  tell(mount, data)
  // a press on what is selected would drag it about; here it begins another selection
  mount.querySelector(".text").onmousedown = (event) => {
    if (event.button === 0 && !event.shiftKey) clear(pane)
  }
  for (const one of panes) {
    one.onkeydown = (event) => {
      if (data.page && pageTurn(event, one, on.turn)) event.preventDefault()
      else keyed(event, one, mount, data, on)
    }
    one.onfocus = () => {
      for (const other of panes) other.used = other === one
    }
  }
  pane.forget?.()
  const changed = () => tell(mount, data)
  // the page behind the window has keys of its own: they are not meant while it is open
  const hushed = (event) => {
    if (!pane.isConnected) pane.forget()
    else if (event.key === "Escape" && !event.isComposing) closes(pane)
    else if (!windowOf(pane)?.dataset.closing && plainLetter(event)) event.stopPropagation()
  }
  document.addEventListener("selectionchange", changed)
  window.addEventListener("keydown", hushed, true)
  pane.forget = () => {
    document.removeEventListener("selectionchange", changed)
    window.removeEventListener("keydown", hushed, true)
  }
  return pane.forget
}
