// Places in a text in code points, and a selection that moves by sentences and words; read before
// source.js, as one file. An emoji is one code point, though the browser counts two.

const measure = (text) => {
  const letters = Array.from(text)
  const at = new Uint32Array(letters.length + 1)
  letters.forEach((letter, place) => {
    at[place + 1] = at[place] + letter.length
  })
  return { text, letters, at, hidden: new Uint8Array(letters.length) }
}

// the code point at a browser's offset; one inside a pair belongs to the pair
const pointAt = (doc, offset, up) => {
  let low = 0
  let high = doc.letters.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (doc.at[middle] < offset) low = middle + 1
    else high = middle
  }
  return !up && doc.at[low] > offset ? low - 1 : low
}

// without white space at its ends, nor syntax that is not seen
const trimmed = (doc, start, end) => {
  const blank = (place) => doc.hidden[place] || !doc.letters[place].trim()
  while (start < end && blank(start)) start += 1
  while (end > start && blank(end - 1)) end -= 1
  return start < end ? [start, end] : null
}

const words = (doc) => {
  if (!doc.words) {
    doc.words = []
    const cut = new Intl.Segmenter(undefined, { granularity: "word" })
    for (const { segment, index } of cut.segment(doc.text)) {
      if (!segment.trim()) continue
      const word = trimmed(doc, pointAt(doc, index), pointAt(doc, index + segment.length))
      if (word) doc.words.push(word)
    }
  }
  return doc.words
}

// -- the selection --------------------------------------------------------------------------------

const seen = (pane) => {
  const text = pane.querySelector(".text")
  const selection = document.getSelection()
  const root = pane.getRootNode()
  let range = null
  if (root instanceof ShadowRoot) {
    if (selection.getComposedRanges) range = selection.getComposedRanges({ shadowRoots: [root] })[0]
    else if (root.getSelection?.().rangeCount) range = root.getSelection().getRangeAt(0)
  } else if (selection.rangeCount) range = selection.getRangeAt(0)
  if (!range || range.collapsed) return null
  const inside = [range.startContainer, range.endContainer].map((node) => text.contains(node))
  if (!inside[0] && !inside[1]) return null
  const before = (node, offset) => {
    const part = document.createRange()
    part.setStart(text, 0)
    part.setEnd(node, offset)
    return part.toString().length
  }
  const { doc } = pane
  const start = inside[0] ? pointAt(doc, before(range.startContainer, range.startOffset)) : 0
  const end = inside[1]
    ? pointAt(doc, before(range.endContainer, range.endOffset), true)
    : doc.letters.length
  // what the keys selected may begin with syntax; what the mouse selected is what was seen
  const chosen = pane.move && bounds(pane.move)
  return same([start, end], chosen) ? chosen : trimmed(doc, start, end)
}

const same = (one, other) => Boolean(one && other && one[0] === other[0] && one[1] === other[1])

const bounds = ({ anchor, edge }) => [Math.min(anchor[0], edge), Math.max(anchor[1], edge)]

const select = (pane, move, follow = true) => {
  const { doc } = pane
  const [start, end] = bounds(move)
  pane.move = move
  pane.last = [start, end]
  const [first, from] = spot(doc, start)
  const [last, to] = spot(doc, end, true)
  document.getSelection().setBaseAndExtent(first, from, last, to)
  if (!follow) return
  const range = document.createRange()
  const ahead = move.edge <= move.anchor[0] ? [first, from] : [last, Math.max(to - 1, 0)]
  range.setStart(...ahead)
  range.setEnd(ahead[0], Math.min(ahead[1] + 1, ahead[0].length))
  const box = range.getBoundingClientRect()
  const frame = pane.getBoundingClientRect()
  if (box.top < frame.top + 24 || box.bottom > frame.bottom - 24) {
    pane.scrollTop += box.top - frame.top - frame.height / 3
  }
}

const clear = (pane) => {
  pane.move = null
  if (seen(pane)) document.getSelection().removeAllRanges()
}

const whole = (unit) => ({ anchor: unit, edge: unit[1] })

// a place to go on from: the selection, what was taken last, what is in view
const current = (pane) => {
  const now = seen(pane)
  if (now) return same(now, pane.move && bounds(pane.move)) ? pane.move : whole(now)
  return null
}

const inView = (pane) => {
  const frame = pane.getBoundingClientRect()
  const piece = pane.doc.pieces.find((one) => one.getBoundingClientRect().bottom > frame.top + 8)
  return piece ? piece.start : 0
}

const after = (units, place) => units.find((unit) => unit[0] >= place)
const before = (units, place) => units.findLast((unit) => unit[1] <= place)

// the next unit as a selection of its own; null at the end of the part
const stepped = (pane, units, by) => {
  const now = current(pane)
  const inner = units === pane.doc.words && now && pane.doc.sentences.some((one) => same(one, bounds(now)))
  if (inner) {
    const [start, end] = bounds(now)
    return by > 0 ? after(units, start) : before(units, end)
  }
  const from = now ? bounds(now) : pane.last
  if (!from) {
    const at = pane.chosenAt ?? inView(pane)
    return units.find((unit) => unit[1] > at) ?? units.at(-1)
  }
  return by > 0 ? after(units, from[1]) : before(units, from[0])
}

// the selection with its edge moved by a unit; a sentence gives way word by word at its end
const extended = (now, units, by) => {
  const { anchor, edge } = now
  const forward = edge > anchor[0]
  if (by > 0 && forward) {
    const next = units.find((unit) => unit[1] > edge)
    return next ? { anchor, edge: next[1] } : now
  }
  if (by > 0) {
    const next = units.find((unit) => unit[0] > edge)
    return next && next[0] < anchor[0] ? { anchor, edge: next[0] } : whole(anchor)
  }
  if (forward && edge > anchor[1]) {
    const less = units.findLast((unit) => unit[1] < edge)
    return less && less[1] > anchor[1] ? { anchor, edge: less[1] } : whole(anchor)
  }
  if (forward) {
    const less = units.findLast((unit) => unit[1] < edge && unit[0] >= anchor[0])
    if (less) return whole([anchor[0], less[1]])
  }
  const more = units.findLast((unit) => unit[0] < Math.min(edge, anchor[0]))
  return more ? { anchor, edge: more[0] } : now
}
