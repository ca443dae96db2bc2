// The reviewer's keys: labels, moves and a note, as buttons that say their key. Keys work anywhere on
// the page but in a text field. One press is one act: while it is under way moves wait in line and
// labels are dropped, so that no item is labelled before it was seen. What is typed in the note stays
// in this browser until it is kept with a label.

const make = (tag, name, text) => {
  const made = document.createElement(tag)
  if (name) made.className = name
  if (text !== undefined) made.textContent = text
  return made
}

const STORED = "wb-note:"
const memory = new Map()
const drafts = {
  read: (name) => {
    try {
      return localStorage.getItem(STORED + name)
    } catch {
      return memory.get(name) ?? null
    }
  },
  write: (name, text) => {
    memory.set(name, text)
    try {
      localStorage.setItem(STORED + name, text)
    } catch {
      // a browser without storage keeps it while the page is open
    }
  },
  drop: (name) => {
    memory.delete(name)
    try {
      localStorage.removeItem(STORED + name)
    } catch {
      // as above
    }
  },
}

const button = (words, key, does, options = {}) => {
  const made = make("button", options.name ?? "")
  made.type = "button"
  if (options.glyph) {
    const glyph = make("span", "sign", options.glyph)
    glyph.setAttribute("aria-hidden", "true")
    made.append(glyph)
  }
  made.append(make("span", "word", words))
  if (key) {
    const cap = make("kbd", "", key)
    cap.setAttribute("aria-hidden", "true")
    made.append(cap)
    made.setAttribute("aria-keyshortcuts", key)
  }
  if (options.title) made.title = options.title
  if (options.does) made.setAttribute("aria-label", options.does)
  made.dataset.act = options.act ?? ""
  made.disabled = Boolean(options.off)
  made.onclick = () => does()
  return made
}

// one set of keys on the page; the state outlives each drawing
const state = { data: null, send: null, busy: null, line: [], root: null, typed: "", active: 0 }

const note = () => state.root?.querySelector("textarea")

const act = (verb, more = {}) => {
  const { data } = state
  if (!data) return
  if (state.busy) {
    if (["next", "previous"].includes(verb) && state.line.length < 12) state.line.push(verb)
    return
  }
  const id = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 9)}`
  state.busy = { id, draft: data.draft, keeps: ["label", "note"].includes(verb), since: Date.now() }
  state.root.querySelector(".desk-keys").classList.add("busy")
  state.send({ id, verb, at: data.at, note: note()?.value ?? "", ...more })
}

const label = (value) => {
  if (state.busy) return
  const chosen = state.root.querySelector(`[data-label="${value}"]`)
  chosen?.classList.add("pressed")
  act("label", { label: value })
}

const askWhy = (open) => {
  const why = state.root.querySelector(".why")
  why.hidden = !open
  if (open) {
    why.querySelector("input").value = ""
    why.querySelector("input").focus()
  }
}

const toNote = () => {
  const field = note()
  field.focus()
  field.setSelectionRange(field.value.length, field.value.length)
  field.scrollIntoView({ block: "nearest" })
}

const KEYS = {
  j: () => act("next"),
  k: () => act("previous"),
  l: () => act("last"),
  e: () => state.data.quotes > 1 && act("quote"),
  o: () => state.data.source && act("source"),
  n: toNote,
  u: () => act("undo"),
  s: () => askWhy(true),
  b: () => state.data.blind && act("reveal"),
  a: () => state.data.agree && label(state.data.agree),
}

const typing = (event) => {
  const target = event.composedPath()[0]
  return (
    target instanceof Element &&
    (target.matches("input, textarea, select, [contenteditable], [role=textbox]") ||
      target.isContentEditable)
  )
}

const onKey = (event) => {
  if (!state.root?.isConnected || !state.data) return
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return
  if (typing(event) || document.querySelector("[role=dialog]")) return
  const key = event.key.toLowerCase()
  const given = state.data.labels.find((one) => one.key === key)
  const does = given ? () => label(given.value) : KEYS[key]
  if (!does) return
  event.preventDefault()
  does()
}

const labels = (data) => {
  const group = make("div", "labels")
  group.setAttribute("role", "group")
  group.setAttribute("aria-label", "Your label")
  for (const one of data.labels) {
    const made = button(one.short, one.key, () => label(one.value), {
      glyph: one.glyph,
      title: one.meaning,
      does: one.word,
      act: "label",
    })
    made.dataset.label = one.value
    made.style.setProperty("--verdict", one.colour)
    made.setAttribute("aria-pressed", String(one.mine))
    group.append(made)
  }
  return group
}

const acts = (data) => {
  const row = make("div", "acts")
  const references = data.kind === "references"
  const finding = references ? "What the check found" : "The judge's verdict"
  if (data.agree) {
    const title = references ? "Take what the check found" : "Take the judge's verdict"
    row.append(button("Agree", "A", KEYS.a, { act: "agree", title }))
  }
  if (data.blind) {
    const title = data.hidden
      ? `Goes to your last item: ${finding.toLowerCase()} is shown there`
      : `${finding} is shown`
    row.append(button(references ? "Show finding" : "Show judge", "B", KEYS.b, { act: "reveal", title, off: !data.hidden }))
    const stay = button("Pause after each label", "", () => act("stay"), {
      act: "stay",
      title: `Stay on each item after your label, to read it: ${finding.toLowerCase()}`,
    })
    stay.setAttribute("aria-pressed", String(data.stay))
    row.append(stay)
  }
  if (!references) {
    row.append(
      button(data.hidden ? "Next passage" : "Next quote", "E", KEYS.e, { act: "quote", off: data.quotes < 2 }),
      button("Source", "O", KEYS.o, { act: "source", does: "Open source", off: !data.source }),
    )
  }
  row.append(
    button("Undo", "U", KEYS.u, { act: "undo", title: "Undo your last label or skip" }),
    button("Skip", "S", KEYS.s, { act: "skip", title: "Skip this item (with a reason)" }),
    button("Last", "L", KEYS.l, { act: "last", title: "Back to your last item" }),
    button("Previous", "K", KEYS.k, { act: "previous" }),
    button("Next", "J", KEYS.j, { act: "next" }),
  )
  if (data.skipped) {
    row.append(button(`Skipped ${data.skipped}`, "", () => act("skipped"), { act: "skipped" }))
  }
  return row
}

const why = (data) => {
  const form = make("form", "why")
  form.hidden = true
  const field = make("input")
  field.type = "text"
  field.maxLength = 300
  field.setAttribute("list", "wb-reasons")
  field.setAttribute("aria-label", "Why do you skip it?")
  field.placeholder = "Why? Enter skips, Escape stays"
  const reasons = make("datalist")
  reasons.id = "wb-reasons"
  for (const reason of data.reasons) {
    const option = make("option")
    option.value = reason
    reasons.append(option)
  }
  const go = button("Skip it", "", () => {}, {})
  go.type = "submit"
  form.append(field, reasons, go)
  form.onsubmit = (event) => {
    event.preventDefault()
    const reason = field.value
    field.blur()
    askWhy(false)
    act("skip", { reason })
  }
  return form
}

const noteField = (data) => {
  const box = make("label", "note")
  const head = make("span", "word", "Note")
  const cap = make("kbd", "", "N")
  cap.setAttribute("aria-hidden", "true")
  const field = make("textarea")
  field.rows = 1
  field.dir = "auto"
  field.maxLength = 10000
  field.setAttribute("aria-keyshortcuts", "N")
  field.placeholder = data.decided ? "Enter saves it with your label" : "Saved with your label"
  field.value = drafts.read(data.draft) ?? data.note
  field.oninput = () => {
    if (field.value === state.data.note) drafts.drop(state.data.draft)
    else drafts.write(state.data.draft, field.value)
  }
  box.append(head, cap, field)
  return box
}

const holdKeys = (root) => {
  // what is typed here is nobody else's shortcut
  const fields = "input, textarea"
  root.addEventListener("keydown", (event) => {
    if (!event.composedPath()[0].matches?.(fields)) return
    event.stopPropagation()
    if (event.key === "Escape") {
      event.composedPath()[0].blur()
      askWhy(false)
    } else if (event.key === "Enter" && !event.shiftKey && event.composedPath()[0].matches("textarea")) {
      event.preventDefault()
      event.composedPath()[0].blur()
      if (state.data.decided) act("note")
    }
  })
}

const settle = (data) => {
  const { busy } = state
  if (busy && busy.id === data.ack) {
    if (busy.keeps && !data.bad) drafts.drop(busy.draft)
    state.busy = null
    return true
  }
  // an answer that never came must not lock the keys
  if (busy && Date.now() - busy.since > 15000) state.busy = null
  return !busy
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component
  const fresh = state.root !== parentElement
  if (fresh) {
    state.root = parentElement
    state.busy = null
    state.line = []
    holdKeys(parentElement)
  }
  state.send = (sent) => setTriggerValue("act", sent)
  const answered = settle(data)
  state.data = data
  const box = parentElement.querySelector(".desk-keys")
  const drawn = JSON.stringify(data)
  if (box.drawn !== drawn || fresh) {
    const focused = box.contains(parentElement.activeElement) ? parentElement.activeElement : null
    const same = box.item === data.draft && focused?.matches("textarea")
    if (!same) {
      const said = make("p", data.bad ? "said bad" : "said", data.said)
      said.setAttribute("role", data.bad ? "alert" : "status")
      box.replaceChildren(labels(data), acts(data), why(data), noteField(data), said)
      // who pressed a button with the keyboard stays on it
      if (focused?.dataset?.act) {
        const one = focused.dataset.label
          ? `[data-label="${focused.dataset.label}"]`
          : `[data-act="${focused.dataset.act}"]`
        box.querySelector(one)?.focus({ preventScroll: true })
      }
    }
    box.drawn = drawn
    box.item = data.draft
  }
  box.dataset.at = String(data.at)
  if (!state.busy) box.classList.remove("busy")
  if (answered && state.line.length) act(state.line.shift())
  if (!state.listening) {
    state.listening = true
    document.addEventListener("keydown", onKey)
    const alive = () => {
      state.active = Date.now()
    }
    for (const name of ["keydown", "pointermove", "scroll"]) {
      document.addEventListener(name, alive, { passive: true, capture: true })
    }
    // who reads on keeps the item; an empty chair does not
    setInterval(() => {
      const here = state.root?.isConnected && Date.now() - state.active < 300000
      if (here && !state.busy && document.visibilityState === "visible") act("here")
    }, 300000)
  }
}
