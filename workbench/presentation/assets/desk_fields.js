// The fields that a queue asks beside the label: all in sight under the labels, answered with the mouse
// at any time, and by keyboard one after the other. A label opens those without an answer, of a decided
// item only those that need one, and is sent with them; "6" opens all. While one is open every key belongs to it, so that none is lost.
// Answers stay in this browser until they are kept with a label.

const FIELDS_KEY = "6"
const OPTION_KEYS = "123456789abcdefghijk"

// `at`: the open field, null while none is; `label`: what is sent when the last one is answered
const asking = { item: null, answers: {}, at: null, order: [], label: null, said: "" }

const fieldsOf = () => state.data?.fields ?? []
const answered = (field) => asking.answers[field.name] !== undefined
const openField = () => (asking.at === null ? null : fieldsOf()[asking.order[asking.at]])
const missing = () =>
  fieldsOf().flatMap((field, at) => (field.required && !answered(field) ? [at] : []))

// a score is pressed as its digit, or as its place where it begins below 0; others are typed
const valuesOf = (field) => {
  if (field.kind !== "score") return field.options ?? []
  const size = field.high - field.low + 1
  const pressed = (field.low >= 0 && field.high <= 9) || (field.low < 0 && size <= OPTION_KEYS.length)
  return pressed ? Array.from({ length: size }, (_, at) => field.low + at) : []
}
const keyOf = (field, at) =>
  field.kind === "score" && field.low >= 0 ? String(field.low + at) : OPTION_KEYS[at]

const loadAnswers = (data) => {
  if (asking.item === data.draft && (asking.at !== null || asking.stored === JSON.stringify(data.answers)))
    return
  let drafted = null
  try {
    drafted = JSON.parse(drafts.read(`answers:${data.draft}`) ?? "null")
  } catch {
    // an old or broken draft is none
  }
  Object.assign(asking, {
    item: data.draft, answers: { ...(drafted ?? data.answers) }, at: null, label: null, said: "",
    stored: JSON.stringify(data.answers),
  })
}

const dropAnswers = (item) => drafts.drop(`answers:${item}`)

const setAnswer = (field, value) => {
  if (value === undefined) delete asking.answers[field.name]
  else asking.answers[field.name] = value
  drafts.write(`answers:${asking.item}`, JSON.stringify(asking.answers))
}

const closeFields = () => {
  asking.at = asking.label = null
  asking.said = ""
  state.root.querySelector(".labels .pressed")?.classList.remove("pressed")
  drawFields()
}

const openFields = (order, label = null) => {
  Object.assign(asking, { order, at: 0, label, said: "" })
  drawFields()
}

// with all answers the label goes out; else they are asked first, and Enter passes an optional one
const labelWithFields = (value) => {
  const open = fieldsOf().flatMap((field, at) => (answered(field) ? [] : [at]))
  const left = state.data.decided ? missing() : open
  if (left.length) openFields(left, value)
  else act("label", { label: value })
}

const finish = () => {
  const left = missing()
  if (asking.label !== null && left.length) {
    openFields(left, asking.label)
    return
  }
  const { label: pending } = asking
  asking.at = asking.label = null
  drawFields()
  if (pending !== null) act("label", { label: pending })
  else if (state.data.decided && !left.length) act("note")
}

const go = (by) => {
  asking.said = ""
  if (asking.at + by < 0) return
  asking.at += by
  if (asking.at < asking.order.length) drawFields()
  else finish()
}

const choose = (field, value) => {
  if (field.kind === "choices") {
    const chosen = asking.answers[field.name] ?? []
    const rest = chosen.filter((one) => one !== value)
    setAnswer(field, rest.length < chosen.length ? rest : [...chosen, value])
  } else setAnswer(field, asking.answers[field.name] === value && asking.at === null ? undefined : value)
  if (field === openField() && field.kind !== "choices") go(1)
  else drawFields()
}

// what stands in a typed field, as its answer; false where it is none
const takeTyped = (field, typed) => {
  const text = typed.trim()
  if (!text) setAnswer(field, undefined)
  else if (field.kind === "text") setAnswer(field, typed)
  else if (/^[-+]?\d{1,7}$/.test(text) && Number(text) >= field.low && Number(text) <= field.high)
    setAnswer(field, Number(text))
  else return false
  return true
}

const enter = (field, target) => {
  if (target.matches?.("input, textarea") && !takeTyped(field, target.value)) {
    asking.said = `A whole number from ${field.low} to ${field.high}, please`
    drawFields()
    return
  }
  // no option chosen is an answer too, once it is confirmed
  if (field.kind === "choices" && !answered(field)) setAnswer(field, [])
  if (field.required && !answered(field)) {
    asking.said = "This one needs an answer"
    drawFields()
  } else go(1)
}

const onFieldKey = (event) => {
  const field = state.root?.isConnected && state.data ? openField() : null
  if (!field || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
  if (state.scope.querySelector("[role=dialog]")) return
  const target = event.composedPath()[0]
  const typed = target.matches?.("input, textarea, select, [contenteditable], [role=textbox]")
  if (typed && !target.closest(".fields")) return
  const key = event.key
  const moves = { Escape: closeFields, ArrowUp: () => go(-1), ArrowDown: () => !field.required && go(1) }
  if (typed && (key === "Backspace" || key.length === 1 || (key === "Enter" && event.shiftKey))) return
  if (!typed) moves.Backspace = () => go(-1)
  const at = typed ? -1 : valuesOf(field).findIndex((_, place) => keyOf(field, place) === key.toLowerCase())
  if (key === "Enter" && target.matches?.(".fields button")) return
  if (at < 0 && key !== "Enter" && !moves[key] && key.length > 1) return
  event.preventDefault()
  event.stopImmediatePropagation()
  if (event.repeat) return
  if (at >= 0) choose(field, valuesOf(field)[at])
  else if (key === "Enter") enter(field, target)
  else moves[key]?.()
}

const optionButtons = (field, open) => {
  const row = make("div", "options")
  row.setAttribute("role", "group")
  row.setAttribute("aria-label", field.question)
  valuesOf(field).forEach((value, at) => {
    const made = button(String(value), keyOf(field, at), () => choose(field, value), { act: "field" })
    made.dataset.value = `${field.name}=${value}`
    const given = asking.answers[field.name]
    made.setAttribute("aria-pressed", String(Array.isArray(given) ? given.includes(value) : given === value))
    made.querySelector("kbd").classList.toggle("idle", !open)
    row.append(made)
  })
  return row
}

const typedField = (field) => {
  const made = make(field.kind === "text" ? "textarea" : "input")
  if (field.kind === "text") {
    made.rows = 1
    made.dir = "auto"
    made.maxLength = 10000
    made.placeholder = "Enter goes on"
  } else {
    made.inputMode = "numeric"
    made.placeholder = `${field.low} to ${field.high}, Enter goes on`
  }
  made.setAttribute("aria-label", field.question)
  made.value = asking.answers[field.name] ?? ""
  made.oninput = () => takeTyped(field, made.value)
  return made
}

const fieldRow = (field) => {
  const open = field === openField()
  const row = make("div", open ? "field open" : "field")
  row.dataset.field = field.name
  const question = make("p", "question")
  const words = make("bdi", "", field.question)
  question.append(words)
  if (field.required) question.append(make("span", "must", answered(field) ? "" : "required"))
  else if (open) question.append(make("span", "must", field.kind === "choices" ? "optional," : "optional, Enter goes on"))
  if (field.kind === "choices") question.append(make("span", "must", open ? "several, Enter goes on" : ""))
  row.append(question, valuesOf(field).length ? optionButtons(field, open) : typedField(field))
  if (open && asking.said) {
    const said = make("p", "must", asking.said)
    said.setAttribute("role", "alert")
    row.append(said)
  }
  return row
}

const fieldsBox = (data) => {
  const box = make("div", "fields")
  if (!data.fields?.length) return box
  loadAnswers(data)
  box.setAttribute("role", "group")
  box.setAttribute("aria-label", "Further questions")
  fillFields(box)
  return box
}

const fillFields = (box) => {
  const head = make("div", "fields-head")
  head.append(
    button("Answer the questions", FIELDS_KEY, () => openFields(fieldsOf().map((_, at) => at)), { act: "fields" }),
  )
  const waits = asking.label !== null ? state.data.labels.find((one) => one.value === asking.label) : null
  const words = waits ? `${waits.word}: goes on with the last answer. Esc goes back` : ""
  const status = make("span", "must", words)
  status.setAttribute("role", "status")
  head.append(status)
  box.replaceChildren(head, ...fieldsOf().map(fieldRow))
}

const drawFields = () => {
  const box = state.root.querySelector(".fields")
  if (!box || !fieldsOf().length) return
  const focused = state.root.activeElement
  const kept = box.contains(focused) ? focused?.dataset?.value : undefined
  fillFields(box)
  focusField(box)
  if (kept && asking.at === null) box.querySelector(`[data-value="${CSS.escape(kept)}"]`)?.focus({ preventScroll: true })
}

// a typed field takes the keyboard, the others are pressed from anywhere
const focusField = (box) => {
  const open = box.querySelector(".field.open")
  if (!open) {
    const stuck = state.root.activeElement
    if (stuck?.matches?.(".fields input, .fields textarea")) stuck.blur()
    return
  }
  const typed = open.querySelector("input, textarea")
  if (typed) {
    typed.focus({ preventScroll: true })
    typed.setSelectionRange(typed.value.length, typed.value.length)
  }
  open.scrollIntoView({ block: "nearest" })
}
