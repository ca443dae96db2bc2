// Headings, list items and tables of a text: its pieces put into elements that look like them. Every
// letter stays, in order, in a text node: bars and line ends of a table are there and not seen.
// Blocks are [start, end, kind, level] in code points; read before the script that shows them.

const isRow = (block) => block[2] === "row" || block[2] === "rule"

// what a block begins with in the text and is drawn otherwise, or not at all
const MARKS = { item: /^\s*[-*•]\s/u, heading: /^#{1,6}\s/u }

// where pieces have to be cut
const blockEdges = (letters, blocks) => {
  const edges = []
  for (const block of blocks) {
    edges.push(block[0], block[1])
    if (isRow(block)) edges.push(Math.min(block[1] + 1, letters.length))
    const mark = MARKS[block[2]]?.exec(letters.slice(block[0], block[1]).join(""))
    if (mark) edges.push(block[0] + mark[0].length)
  }
  return edges
}

const blockElement = (tag, name, role) => {
  const made = document.createElement(tag)
  made.className = name
  if (role) made.setAttribute("role", role)
  return made
}

const rowElement = (cells) => {
  const row = blockElement("div", "row", "row")
  row.cells = cells.map((cell) => {
    const made = blockElement("div", "cell", "cell")
    made.from = cell[0]
    made.to = cell[1]
    return made
  })
  row.append(...row.cells)
  return row
}

// the pieces, each a node with `start` in code points, as the children of the text
const arrangeBlocks = (nodes, blocks) => {
  const tops = blocks.filter((block) => block[2] !== "cell")
  const cells = blocks.filter((block) => block[2] === "cell")
  const children = []
  let at = 0
  let open = null
  let table = null
  let row = null
  const end = (block) => block[1] + (isRow(block) ? 1 : 0)
  for (const node of nodes) {
    while (at < tops.length && end(tops[at]) <= node.start) at += 1
    const block = tops[at]?.[0] <= node.start ? tops[at] : null
    if (!block || (block[2] === "rule" && !row)) {
      open = table = row = null
      children.push(node)
    } else if (isRow(block)) {
      if (block[2] === "rule") row.classList.add("heads")
      else if (open !== block) {
        if (!table) children.push((table = blockElement("div", "table", "table")))
        row = rowElement(cells.filter((cell) => cell[0] >= block[0] && cell[1] <= block[1]))
        table.append(row)
      }
      open = block
      const into = row.cells.findLast((cell) => cell.from <= node.start) ?? row.cells[0]
      if (block[2] === "rule" || node.start >= into.to || node.start < into.from) node.classList.add("sep")
      into.append(node)
    } else {
      table = row = null
      if (open !== block) {
        const heading = block[2] === "heading"
        children.push(blockElement("span", heading ? `heading h${block[3]}` : "item", heading ? "heading" : ""))
        if (heading) {
          children.at(-1).setAttribute("aria-level", String(block[3]))
          if (/^#{1,6}\s$/u.test(node.textContent)) node.classList.add("sep")
        } else if (/^\s*[-*•]\s$/u.test(node.textContent)) node.classList.add("bullet")
      }
      open = block
      children.at(-1).append(node)
    }
  }
  return children
}
