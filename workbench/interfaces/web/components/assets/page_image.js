// A page of a PDF as it looks: the image, boxes on it, and its text as transparent words over it;
// read before the script that shows it, as one file. The text is whole and in order, so that a place
// in it is the length of what stands before, as in the text beside it.

const WHOLE = 10000

const placed = (node, [left, top, right, bottom]) => {
  node.style.left = `${(left * 100) / WHOLE}%`
  node.style.top = `${(top * 100) / WHOLE}%`
  node.style.width = `${((right - left) * 100) / WHOLE}%`
  node.style.height = `${((bottom - top) * 100) / WHOLE}%`
  return node
}

const pageElement = (name, text) => {
  const made = document.createElement("div")
  made.className = name
  if (text !== undefined) made.textContent = text
  return made
}

// the sheet with its words as pieces of the text; `letters` are its code points
const pageSheet = (page, letters) => {
  const sheet = pageElement("page-sheet")
  sheet.style.aspectRatio = `${page.w} / ${page.h}`
  const picture = document.createElement("img")
  picture.src = page.src
  picture.alt = ""
  picture.draggable = false
  const layer = pageElement("text layer")
  layer.dir = "ltr"
  const pieces = []
  const put = (start, end, box, name) => {
    if (start >= end) return
    const piece = document.createElement("span")
    piece.className = name
    piece.textContent = letters.slice(start, end).join("")
    piece.start = start
    piece.end = end
    piece.box = box
    placed(piece, box)
    if (name === "piece") {
      piece.style.fontSize = `${(((box[3] - box[1]) * page.h) / (WHOLE * page.w)) * 80}cqw`
    }
    pieces.push(piece)
  }
  let at = 0
  let end = [0, 0, 0, 0]
  for (const [from, to, ...box] of page.words) {
    put(at, from, end, "piece between")
    put(from, to, box, "piece")
    at = to
    end = [box[2], box[1], box[2], box[3]]
  }
  put(at, letters.length, end, "piece between")
  layer.append(...pieces)
  sheet.append(picture, pageElement("boxes"), pageElement("boxes now"), layer)
  return { sheet, pieces }
}

// boxes of a kind of mark: `[{ boxes, name, id }]`
const pageBoxes = (sheet, marks) => {
  sheet.querySelector(".boxes").replaceChildren(
    ...marks.flatMap(({ boxes, name, id }) => boxes.map((box) => {
      const node = placed(pageElement(`box ${name}`), box)
      node.dataset.ids = id
      return node
    })),
  )
}

// the words of a selection, letter by letter of the same width
const pageSelection = (sheet, pieces, span) => {
  const parts = span ? pieces.filter((one) => one.box[2] > one.box[0] && one.start < span[1] && one.end > span[0]) : []
  sheet.querySelector(".now").replaceChildren(...parts.map(({ box, start, end }) => {
    const across = (place) => box[0] + ((box[2] - box[0]) * (Math.min(Math.max(place, start), end) - start)) / (end - start)
    return placed(pageElement("box selected"), [across(span[0]), box[1], across(span[1]), box[3]])
  }))
}

// the place in the text under the pointer, or nearest to it
const pagePlace = (sheet, pieces, event) => {
  const frame = sheet.getBoundingClientRect()
  const x = ((event.clientX - frame.left) / frame.width) * WHOLE
  const y = ((event.clientY - frame.top) / frame.height) * WHOLE
  const away = (value, low, high) => Math.max(low - value, value - high, 0)
  let nearest = null
  let least = Infinity
  for (const piece of pieces) {
    const [left, top, right, bottom] = piece.box
    if (right <= left) continue
    // a word in the same line is nearer than one above or below
    const distance = away(x, left, right) + 8 * away(y, top, bottom)
    if (distance < least) {
      least = distance
      nearest = piece
    }
  }
  if (!nearest) return null
  const [left, , right] = nearest.box
  const share = Math.min(Math.max((x - left) / (right - left), 0), 0.999)
  return nearest.start + Math.floor(share * (nearest.end - nearest.start))
}

// what stands above a page: the sentence for what cannot be shown
const pageNote = (page) => {
  const words = page.problem || page.note
  const note = pageElement("page-note", words)
  note.setAttribute("role", "status")
  note.hidden = !words
  return note
}

// the pane of the shown page beside the text, or null; `fill` completes a new one, and one that
// shows the same page stays as it is
const pageImagePane = (mount, data, name, fill) => {
  const panes = mount.querySelector(".panes")
  const old = panes.querySelector(".paper")
  if (!data.page) {
    old?.remove()
    return null
  }
  const look = JSON.stringify([data.doc, data.page.problem, data.page.w])
  if (old?.look === look) return old
  const pane = pageElement("paper")
  pane.look = look
  pane.tabIndex = 0
  pane.setAttribute("role", "region")
  pane.setAttribute("aria-label", name)
  pane.append(pageNote(data.page))
  fill(pane)
  if (old) old.replaceWith(pane)
  else panes.append(pane)
  return pane
}

// a choice of pages; empty where there are too many to list
const pageChoice = (page, go) => {
  const label = document.createElement("label")
  if (page.of < 2) return label
  label.textContent = "Go to page "
  const choice = document.createElement("select")
  for (let number = 1; number <= page.of; number += 1) {
    const option = document.createElement("option")
    option.value = option.textContent = String(number)
    choice.append(option)
  }
  choice.value = String(page.n)
  choice.onchange = () => go(Number(choice.value) - 1)
  label.append(choice)
  return label
}

// Page Up and Page Down scroll; at the end of what there is to scroll they turn the page
const pageTurn = (event, pane, turn) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false
  const by = { PageDown: 1, PageUp: -1 }[event.key]
  if (!by) return false
  const rest = by > 0 ? pane.scrollHeight - pane.clientHeight - pane.scrollTop : pane.scrollTop
  if (rest > 4) return false
  turn(by)
  return true
}
