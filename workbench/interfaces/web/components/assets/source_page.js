// The pane with the image of a page, beside the pane with its text; read before source.js, as one file.

const sentencesOf = (data) => {
  const sentences = []
  for (let at = 0; at < data.sentences.length; at += 2) {
    sentences.push([data.sentences[at], data.sentences[at + 1]])
  }
  return sentences
}

const shownPanes = (mount) => [...mount.querySelectorAll(".pane")].filter((pane) => !pane.hidden)

// the pane that is worked in: the one with the selection, else the one last used
const active = (mount) => {
  const panes = shownPanes(mount)
  return panes.find((pane) => seen(pane)) ?? panes.find((pane) => pane.used) ?? panes[0]
}

const imagePane = (mount, data) => pageImagePane(mount, data, `${data.page?.name}. ${data.name}`, (pane) => {
  pane.classList.add("pane")
  pane.doc = measure(data.text)
  pane.doc.sentences = sentencesOf(data)
  pane.doc.pieces = []
  if (!data.page.src) {
    pane.append(make("div", "text"))
    return
  }
  const { sheet, pieces } = pageSheet(data.page, pane.doc.letters)
  pane.append(sheet)
  pane.doc.pieces = pieces
  dragOver(mount, pane, sheet, data)
})

const markImage = (pane, data) => {
  const sheet = pane?.querySelector(".page-sheet")
  if (!sheet) return
  const marks = data.marks.filter((mark) => data.page.boxes[mark.id]).map((mark) => ({
    boxes: data.page.boxes[mark.id],
    name: [mark.k, mark.w ? "wrong" : "", mark.id === data.chosen ? "chosen" : ""].join(" "),
    id: mark.id,
  }))
  pageBoxes(sheet, marks)
}

// the words that a drag goes over are selected whole
const dragOver = (mount, pane, sheet, data) => {
  const wordAt = (event) => {
    const place = pagePlace(sheet, pane.doc.pieces, event)
    const all = words(pane.doc)
    return place === null ? null : all.find((word) => word[1] > place) ?? all.at(-1)
  }
  sheet.onmousedown = (event) => {
    if (event.button !== 0) return
    event.preventDefault()
    pane.focus({ preventScroll: true })
    const first = wordAt(event)
    if (!first) return
    const anchor = event.shiftKey && pane.move ? pane.move.anchor : first
    const reach = (moved) => {
      const word = wordAt(moved)
      select(pane, { anchor, edge: word[0] < anchor[0] ? word[0] : word[1] }, false)
      tell(mount, data)
    }
    const done = () => {
      window.removeEventListener("mousemove", reach)
      window.removeEventListener("mouseup", done)
    }
    window.addEventListener("mousemove", reach)
    window.addEventListener("mouseup", done)
    reach(event)
  }
}
