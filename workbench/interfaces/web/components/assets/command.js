// The command search: opens on Ctrl+K or Cmd+K, searches a list in the browser, sends one choice.
// Everything that others wrote is set as a text node.

const MOST = 60
const MAC = /mac|iphone|ipad/i.test(navigator.platform)
const ORDER = ["Pages", "Actions", "Citations of this run", "Queues", "Runs"]
const AT_FIRST = { Pages: 20, Actions: 9, Queues: 4, Runs: 5, "Citations of this run": 0 }

const make = (tag, name, text) => {
  const made = document.createElement(tag)
  if (name) made.className = name
  if (text !== undefined) made.textContent = text
  return made
}

const plain = (text) => text.normalize("NFKD").replace(/\p{M}+/gu, "").toLowerCase()

const entry = ([id, group, words, more, tasks]) => ({ id, group, words, more, plain: plain(`${words} ${more} ${tasks}`) })

// how well an entry fits: lower is better, null is not at all
const rank = (one, asked) => {
  let sum = 0
  for (const word of asked) {
    const at = one.plain.indexOf(word)
    if (at < 0) return null
    sum += at === 0 ? 0 : one.plain[at - 1] === " " || one.plain.includes(` ${word}`) ? 1 : 3
  }
  // who types a whole name means that one, not a longer one that begins alike
  if (plain(one.words) === asked.join(" ")) return -1
  return sum + (one.group === "Pages" || one.group === "Actions" ? 0 : 0.5)
}

const found = (entries, query) => {
  const asked = plain(query).split(/\s+/).filter(Boolean)
  if (!asked.length) {
    const left = { ...AT_FIRST }
    return entries.filter((one) => left[one.group]-- > 0)
  }
  return entries
    .map((one, place) => ({ one, place, rank: rank(one, asked) }))
    .filter((row) => row.rank !== null)
    .sort((a, b) => a.rank - b.rank || a.place - b.place)
    .slice(0, MOST)
    .map((row) => row.one)
}

const inText = (event) => {
  const at = event.composedPath()[0]
  return at instanceof HTMLElement && (at.isContentEditable || at.matches("input, textarea, select"))
}

const wanted = (event) => {
  if (event.ctrlKey === event.metaKey || event.altKey || event.shiftKey) return false
  if (event.repeat || event.isComposing) return false
  // in a text field of a Mac, Ctrl+K cuts to the end of the line
  if (MAC && event.ctrlKey && inText(event)) return false
  // keyboards without Latin letters have the key at the same place
  return /^[a-z]$/i.test(event.key) ? event.key.toLowerCase() === "k" : event.code === "KeyK"
}

const build = (root) => {
  const button = root.querySelector(".go")
  const dialog = root.querySelector(".command")
  const input = make("input")
  const list = make("div", "list")
  const said = make("p", "said")
  const box = { send: () => {}, fixed: [], stored: [], rows: [], at: 0 }

  button.append(make("span", "", "Go to…"), make("kbd", "", MAC ? "⌘ K" : "Ctrl K"))
  button.setAttribute("aria-label", `Go to… ${MAC ? "⌘ K" : "Ctrl K"}`)
  button.setAttribute("aria-keyshortcuts", "Control+K Meta+K")
  dialog.setAttribute("aria-label", "Go to a page, run, queue, citation or action")
  Object.assign(input, { type: "text", autocomplete: "off", spellcheck: false })
  input.placeholder = "Page, run, queue, citation or action"
  for (const [name, value] of [
    ["role", "combobox"], ["aria-expanded", "true"], ["aria-controls", "found"],
    ["aria-autocomplete", "list"], ["aria-label", input.placeholder], ["dir", "auto"],
  ]) input.setAttribute(name, value)
  list.id = "found"
  list.setAttribute("role", "listbox")
  list.setAttribute("aria-label", "Results")
  said.setAttribute("role", "status")
  dialog.append(input, list, said)

  const choose = (row) => {
    if (!row) return
    box.close()
    box.send("went", row.id)
  }

  const mark = (to) => {
    box.at = Math.min(Math.max(to, 0), box.rows.length - 1)
    list.querySelectorAll("[role=option]").forEach((node, number) => {
      node.setAttribute("aria-selected", String(number === box.at))
      if (number === box.at) {
        input.setAttribute("aria-activedescendant", node.id)
        node.scrollIntoView({ block: "nearest" })
      }
    })
  }

  const option = (row, number) => {
    const node = make("div", "row")
    node.id = `row-${number}`
    node.setAttribute("role", "option")
    const words = make("span", "words", row.words)
    words.dir = "auto"
    node.append(words, make("span", "more", row.more))
    node.onclick = () => choose(row)
    node.onpointermove = () => { if (box.at !== number) mark(number) }
    return node
  }

  box.draw = () => {
    const query = input.value.trim()
    const entries = [...box.fixed, ...box.stored]
    const rows = found(entries, query)
    // the best first; of its group all that fit, then the next group
    const groups = query ? [...new Set(rows.map((row) => row.group))] : ORDER
    box.rows = groups.flatMap((group) => rows.filter((row) => row.group === group))
    const all = { id: `search:${query}`, words: `Search all texts for “${query}”`, more: "" }
    list.replaceChildren()
    let group = ""
    box.rows.forEach((row, number) => {
      if (row.group !== group) {
        group = row.group
        const head = make("div", "group", group)
        head.setAttribute("role", "presentation")
        list.append(head)
      }
      list.append(option(row, number))
    })
    if (query) {
      box.rows.push(all)
      list.append(option(all, box.rows.length - 1))
    }
    said.textContent = query ? `${rows.length === MOST ? `${MOST} or more` : rows.length} found` : "Type to search; ↑ ↓ and Enter to go; Escape to leave"
    mark(0)
  }

  box.open = () => {
    input.value = ""
    box.draw()
    dialog.showModal()
    input.focus()
    box.waits = true
    box.goes = false
    box.send("asked", Date.now())
  }
  box.close = () => dialog.open && dialog.close()
  // over another dialog it would get no focus, and in a window that nobody sees no keys
  box.mayOpen = () =>
    root.isConnected !== false && button.isConnected && !document.hidden &&
    !document.querySelector('[aria-modal="true"], [data-testid="stDialog"]')

  box.take = () => choose(box.rows[box.at])
  input.oninput = () => {
    box.goes = false
    box.draw()
  }
  button.onclick = box.open
  dialog.onclick = (event) => { if (event.target === dialog) box.close() }

  const inside = (event) => {
    // no key that is typed here is for the page below
    event.stopImmediatePropagation()
    if (event.isComposing) return
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }
    if (event.key in moves) {
      const next = box.at + moves[event.key]
      const last = box.rows.length - 1
      const round = Math.abs(moves[event.key]) === 1
      mark(round && next < 0 ? last : round && next > last ? 0 : next)
    } else if (event.key === "Enter") {
      // the names may still be on their way; who types fast means one of them, not the search
      const early = box.waits && box.rows.length === 1 && !box.goes
      if (early) box.goes = true
      else choose(box.rows[box.at])
    }
    else if (event.key === "Escape" || wanted(event)) box.close()
    else if (event.key !== "Tab") return
    event.preventDefault()
  }
  box.onKey = (event) => {
    if (!button.isConnected) return window.removeEventListener("keydown", box.onKey, true)
    if (dialog.open) inside(event)
    else if (wanted(event) && box.mayOpen()) {
      event.preventDefault()
      event.stopImmediatePropagation()
      box.open()
    }
  }
  return box
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component
  const box = parentElement.box ?? (parentElement.box = build(parentElement))
  box.send = setTriggerValue
  box.fixed = data.fixed.map(entry)
  if (data.stored) {
    box.stored = data.stored.map(entry)
    box.waits = false
  }
  window.addEventListener("keydown", box.onKey, true)
  if (parentElement.querySelector(".command").open) {
    box.draw()
    if (box.goes && !box.waits) box.take()
  }
  return () => window.removeEventListener("keydown", box.onKey, true)
}
