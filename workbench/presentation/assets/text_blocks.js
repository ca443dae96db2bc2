// The blocks of a text as elements, and whether its raw text is shown; read before document.js and
// source.js, as one file. Pieces are appended in their order, each to its block.

const HEADINGS = { h1: "h2", h2: "h3", h3: "h4", h4: "h5", h5: "h6", h6: "h6" }

const blockElements = (root, blocks) => {
  const made = []
  const element = (at) => {
    if (at === undefined || at === null) return root
    if (!made[at]) {
      const [tag, parent] = blocks[at]
      const plain = tag === "pre" || tag === "rule"
      made[at] = document.createElement(plain ? "div" : HEADINGS[tag] ?? tag)
      made[at].className = plain ? `block ${tag}` : "block"
      element(parent).append(made[at])
    }
    return made[at]
  }
  return element
}

const stylePiece = (node, { hidden, styles, address }) => {
  if (hidden) node.classList.add("syntax")
  for (const style of styles ?? []) node.classList.add(`is-${style}`)
  if (address) node.title = address
}

const RAW = "wb-raw-text"
const memory = { raw: false }
const rawText = {
  read: () => {
    try {
      return sessionStorage.getItem(RAW) === "1"
    } catch {
      return memory.raw
    }
  },
  write: (raw) => {
    memory.raw = raw
    try {
      sessionStorage.setItem(RAW, raw ? "1" : "0")
    } catch {
      // a browser without storage keeps it while the page is open
    }
  },
}
