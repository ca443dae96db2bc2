// The reviewer's keys: labels, moves and a note, as buttons that say their key. Keys work anywhere in
// their scope (the page, or the notebook's widget) but in a text field. One press is one act: while it is under way others wait in line. In a
// queue labels are dropped instead, so that no item is labelled before it was seen; on a run's page,
// where all its items can be seen, each press counts. What is typed in the note stays in this browser
// until it is kept with a label.

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

// one set of keys in a scope; the state outlives each drawing
const state = { data: null, send: null, busy: null, line: [], root: null, scope: document, pendingField: null, active: 0, more: false }

const LONGEST_LINE = 200

// what waits is decided when its turn comes: "agree" takes the verdict of the item shown then
const wait = (does) => {
  const fits = state.line.length < LONGEST_LINE
  if (fits) state.line.push(does)
  return fits
}

const takeTurns = () => {
  while (state.line.length && !state.busy) state.line.shift()()
}

const GONE_MS = 50

// a window that was closed by key takes the focus back with it: what is typed until then waits
const takeTurnsAfter = (dialog) => {
  if (dialog.isConnected && dialog.dataset.closing) setTimeout(() => takeTurnsAfter(dialog), GONE_MS)
  else takeTurns()
}

const LATE_MS = 15000

// an answer that never came (the server was away) must not lock the keys, and what waited for it
// was meant for the items after it
const giveUp = () => {
  if (!state.busy || Date.now() - state.busy.since < LATE_MS) return
  const said = state.busy.keeps && state.root?.querySelector(".said")
  if (said) said.textContent = "Your last key got no answer. Reload the page, and see whether its label is there."
  state.busy = null
  state.line = []
}

// the page of a run, not a queue
const onRun = () => state.data?.desk === "run"

const note = () => state.root?.querySelector("textarea")

const act = (verb, more = {}) => {
  const { data } = state
  if (!data) return
  if (state.busy) {
    const waits = onRun() ? verb !== "here" : ["next", "previous"].includes(verb)
    if (waits) wait(() => act(verb, more))
    return
  }
  const id = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 9)}`
  state.busy = { id, draft: data.draft, keeps: ["label", "note"].includes(verb), since: Date.now() }
  state.root.querySelector(".desk-keys").classList.add("busy")
  const answers = data.fields ? { answers: asking.answers } : {}
  state.send({ id, verb, at: data.at, note: note()?.value ?? "", ...answers, ...more })
}

const label = (value) => {
  if (state.busy && !onRun()) return
  const chosen = state.root.querySelector(`[data-label="${value}"]`)
  chosen?.classList.add("pressed")
  if (fieldsOf().length) labelWithFields(value)
  else act("label", { label: value })
}

const askWhy = (open) => {
  const why = state.root.querySelector(".why")
  why.hidden = !open
  if (open) {
    why.querySelector("input").value = ""
    why.querySelector("input").focus()
  }
}

const toNote = (pending = null) => {
  if (state.pendingField === pending) state.pendingField = null
  const field = note()
  field.focus()
  field.setSelectionRange(field.value.length, field.value.length)
  field.scrollIntoView({ block: "nearest" })
  if (pending?.text) {
    field.setRangeText(pending.text, field.value.length, field.value.length, "end")
    field.dispatchEvent(new Event("input"))
  }
}

// a field waits for its item: what is typed until then belongs into it, up to Escape or Enter
const waitForField = (field) => {
  const pending = { text: "", field }
  if (wait(() => field.open(pending))) state.pendingField = pending
}

const leaveNote = () => note()?.blur()

const keepNote = () => {
  leaveNote()
  if (state.data.decided) act("note")
}

const typeAhead = (event) => {
  const pending = state.pendingField
  if (event.key === "Escape" || (event.key === "Enter" && !event.shiftKey)) {
    state.pendingField = null
    wait(event.key === "Enter" ? pending.field.keep : pending.field.leave)
  } else if (event.key === "Enter") pending.text += "\n"
  else if (event.key === "Backspace") pending.text = [...pending.text].slice(0, -1).join("")
  else if (event.key.length === 1) pending.text += event.key
  else return
  event.preventDefault()
  event.stopImmediatePropagation()
}

const commentForm = () => state.root.querySelector(".comment")

// what is typed belongs to the item that is on the screen now: while one is under way the field waits
const toComment = (pending = null) => {
  if (state.pendingField === pending) state.pendingField = null
  const form = commentForm()
  form.hidden = false
  form.querySelector("input").focus({ preventScroll: true })
  form.scrollIntoView({ block: "nearest" })
  if (pending?.text) form.querySelector("input").value += pending.text
}

const leaveComment = () => {
  const form = commentForm()
  form.querySelector("input").blur()
  form.hidden = true
}

const NOTE = { open: toNote, keep: keepNote, leave: leaveNote }
const COMMENT = { open: toComment, keep: () => commentForm().requestSubmit(), leave: leaveComment }

const comment = () => {
  const form = make("form", "comment")
  form.hidden = true
  const field = make("input")
  field.type = "text"
  field.dir = "auto"
  field.maxLength = 10000
  field.setAttribute("aria-label", "Comment for the other reviewers")
  field.placeholder = "A comment for the other reviewers: Enter adds it, Escape leaves"
  form.append(field)
  form.onsubmit = (event) => {
    event.preventDefault()
    const body = field.value.trim()
    field.value = ""
    leaveComment()
    if (body) act("comment", { comment: body })
  }
  return form
}

const KEYS = {
  8: () => toComment(),
  j: () => act("next"),
  k: () => act("previous"),
  l: () => !onRun() && act("last"),
  e: () => state.data.quotes > 1 && act("quote"),
  o: () => state.data.source && act("source"),
  n: () => toNote(),
  u: () => act("undo"),
  s: () => !onRun() && askWhy(true),
  b: () => state.data.blind && act("reveal"),
  a: () => state.data.agree && label(state.data.agree),
  [FIELDS_KEY]: () => fieldsOf().length && openFields(fieldsOf().map((_, at) => at)),
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
  const dialog = state.scope.querySelector(`[role=dialog]:not(:has(${SUMMARY}))`)
  if (typing(event) || (dialog && !dialog.dataset.closing)) return
  if (state.pendingField) {
    typeAhead(event)
    return
  }
  const key = event.key.toLowerCase()
  const given = state.data.labels.find((one) => one.key === key)
  const does = given ? () => !given.off && label(given.value) : KEYS[key]
  // what a sentence is there for has no note and no comments
  if (!does || (state.data.kind === "sentences" && "n8".includes(key))) return
  event.preventDefault()
  giveUp()
  if (dialog && !state.busy && !state.line.length) setTimeout(() => takeTurnsAfter(dialog), GONE_MS)
  if (!dialog && (!state.busy || !(onRun() || key === "8"))) does()
  else if (key === "n") waitForField(NOTE)
  else if (key === "8") waitForField(COMMENT)
  else wait(does)
}

// the summary of a run opens by itself, under the reviewer's hands: the keys go on, though its window keeps
// them from the page
const SUMMARY = ".st-key-end-summary"
const onSummaryKey = (event) => {
  if (!state.scope.querySelector(`[role=dialog]:has(${SUMMARY})`)?.contains(event.target)) return
  onKey(event)
  if (event.defaultPrevented) event.stopImmediatePropagation()
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
      off: one.off,
    })
    made.dataset.label = one.value
    made.style.setProperty("--verdict", one.colour)
    made.setAttribute("aria-pressed", String(one.mine))
    group.append(made)
  }
  return group
}

// what is pressed for each item stands in a row; the rest has its keys, and opens beside it: above keys that
// never move, below them elsewhere
const acts = (data) => {
  const row = make("div", "acts")
  const rest = make("div", "acts rest")
  const references = data.kind === "references"
  const sentences = data.kind === "sentences"
  const run = data.desk === "run"
  const finding = references ? "What the check found" : "The judge's verdict"
  // also without a verdict to take: a button that comes and goes would move the others
  const taken = references
    ? "Take what the check found"
    : sentences
      ? "Take what the source states, or the kind that it has"
      : "Take the judge's verdict"
  row.append(button("Agree", "A", KEYS.a, { act: "agree", title: taken, off: !data.agree }))
  if (data.blind) {
    const title = data.hidden
      ? `Goes to your last item: ${finding.toLowerCase()} is shown there`
      : `${finding} is shown`
    row.append(button(references ? "Show finding" : "Show judge", "B", KEYS.b, { act: "reveal", title, off: !data.hidden }))
  }
  if (data.blind || run) {
    const title = run
      ? "Stay on each citation after your label, instead of going on to the next"
      : `Stay on each item after your label, to read it: ${finding.toLowerCase()}`
    const stay = button("Pause after each label", "", () => act("stay"), { act: "stay", title })
    stay.setAttribute("aria-pressed", String(data.stay))
    rest.append(stay)
  }
  if (!references && !sentences) {
    rest.append(button(data.hidden ? "Next passage" : "Next quote", "E", KEYS.e, { act: "quote", off: data.quotes < 2 }))
    // a desk that opens no source has no button for it
    if (data.source !== null) {
      rest.append(button("Source", "O", KEYS.o, { act: "source", does: "Open source", off: !data.source }))
    }
  }
  const undone = run ? "Undo your last label or change in this run" : "Undo your last label or skip"
  row.append(button("Undo", "U", KEYS.u, { act: "undo", title: undone }))
  if (!run) {
    row.append(button("Skip", "S", KEYS.s, { act: "skip", title: "Skip this item (with a reason)" }))
    rest.append(button("Last", "L", KEYS.l, { act: "last", title: "Back to your last item" }))
  }
  if (!references && !sentences) {
    rest.append(button("Comment", "8", toComment, { act: "comment", title: "Tell the other reviewers something" }))
  }
  row.append(button("Previous", "K", KEYS.k, { act: "previous" }), button("Next", "J", KEYS.j, { act: "next" }))
  if (data.skipped) {
    rest.append(button(`Skipped ${data.skipped}`, "", () => act("skipped"), { act: "skipped" }))
  }
  if (rest.childElementCount) {
    const more = button("More", "", () => showRest(more, rest, !state.more), { act: "more" })
    showRest(more, rest, state.more)
    row.append(more)
  }
  return [row, rest]
}

const showRest = (more, rest, open) => {
  state.more = open
  rest.hidden = !open
  more.setAttribute("aria-expanded", String(open))
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
  for (const reason of data.reasons ?? []) {
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
      const form = root.querySelector(".comment")
      if (form) form.hidden = true
    } else if (event.key === "Enter" && !event.shiftKey && event.composedPath()[0].matches("textarea")) {
      event.preventDefault()
      keepNote()
    }
  })
}

const settle = (data) => {
  const { busy } = state
  if (busy && busy.id === data.ack) {
    if (busy.keeps && !data.bad) {
      drafts.drop(busy.draft)
      dropAnswers(busy.draft)
    }
    state.busy = null
    return true
  }
  giveUp()
  return !busy
}

export default function (component) {
  const { data, parentElement, setTriggerValue, scope = document, signal } = component
  const fresh = state.root !== parentElement
  if (fresh) {
    state.root = parentElement
    state.scope = scope
    state.busy = null
    state.line = []
    state.pendingField = null
    holdKeys(parentElement)
  }
  state.send = (sent) => setTriggerValue("act", sent)
  const answered = settle(data)
  state.data = data
  const box = parentElement.querySelector(".desk-keys")
  const drawn = JSON.stringify(data)
  if (box.drawn !== drawn || fresh) {
    const focused = box.contains(parentElement.activeElement) ? parentElement.activeElement : null
    const same = box.item === data.draft && focused?.matches("textarea, .fields input, .comment input")
    if (!same) {
      const said = make("p", data.bad ? "said bad" : "said", data.said)
      said.setAttribute("role", data.bad ? "alert" : "status")
      const [row, rest] = acts(data)
      box.replaceChildren(labels(data), row, why(data), comment(), ...(data.fields ? [fieldsBox(data)] : []), ...(data.kind === "sentences" ? [] : [noteField(data)]), said, rest)
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
  if (answered) takeTurns()
  if (!state.listening) {
    state.listening = true
    scope.addEventListener("keydown", onKey, { signal })
    // before any other listener: the open field comes first
    const outermost = scope === document ? window : scope
    outermost.addEventListener("keydown", onFieldKey, { capture: true, signal })
    outermost.addEventListener("keydown", onSummaryKey, { capture: true, signal })
    const alive = () => {
      state.active = Date.now()
    }
    for (const name of ["keydown", "pointermove", "scroll"]) {
      scope.addEventListener(name, alive, { passive: true, capture: true, signal })
    }
    // who reads on keeps the item; an empty chair does not
    const reading = setInterval(() => {
      const here = state.root?.isConnected && Date.now() - state.active < 300000
      if (here && !onRun() && !state.busy && document.visibilityState === "visible") act("here")
    }, 300000)
    signal?.addEventListener("abort", () => clearInterval(reading))
  }
}
