// The notebook's widget: the parts of a review, each in a shadow root of its own, as on the pages.
// COMPONENTS, written before this, holds their HTML, styles and scripts. What is picked or pressed goes
// to the kernel; what it answers is drawn. Keys work while the widget has the focus and go no further.

const PARTS = { document: ".reading", card: ".card-place", buttons: ".keys-place" }
const TRAITS = ["bar", "text", "marks", "card", "buttons"]
const PATIENCE_MS = 6000
const FIELDS = "input, textarea, select"

const fragment = (css, html) => {
  const made = document.createElement("template")
  // our own markup: what others wrote arrives as data and becomes text nodes
  made.innerHTML = `<style>${css}</style>${html}`
  return made.content
}

const inField = (event) => event.composedPath()[0].matches?.(FIELDS)

// keys that the notebook would take as commands: a plain "d" or "x" there deletes a cell
const isOurs = (event) =>
  inField(event) ||
  !(event.ctrlKey || event.metaKey || event.altKey || event.key === "Escape" || event.key === "Tab")

const render = ({ model, el }) => {
  const ended = new AbortController()
  const { signal } = ended
  const root = document.createElement("div")
  root.className = "workbench-review"
  root.tabIndex = 0
  root.setAttribute("role", "group")
  root.setAttribute("aria-label", "Review of citations")
  const shadow = root.attachShadow({ mode: "open" })
  shadow.append(fragment(COMPONENTS.frame.css, COMPONENTS.frame.html))
  el.append(root)

  const focused = () => root.getRootNode().activeElement === root
  const whole = (trait) => model.get(trait) ?? {}
  const dataOf = { document: () => ({ ...whole("text"), ...whole("marks") }), card: () => whole("card"), buttons: () => whole("buttons") }

  let waiting = 0
  const tell = (words) => {
    const line = parts.buttons.shadow.querySelector(".said")
    if (line) line.textContent = words
  }
  // one message at a time: notebooks may carry the first to a kernel that is busy by another channel than the
  // rest, which would overtake it
  const line = []
  let underWay = false
  const sendNext = () => {
    if (underWay || !line.length) return
    underWay = true
    model.send(line.shift())
  }
  const handled = () => {
    underWay = false
    sendNext()
  }
  model.on("msg:custom", handled)
  const send = (name, value) => {
    line.push({ [name]: value })
    sendNext()
    clearTimeout(waiting)
    waiting = setTimeout(() => {
      if (!asksName()) tell("The kernel has not answered yet: it is busy, or it has stopped.")
    }, PATIENCE_MS)
  }

  const parts = {}
  for (const [name, place] of Object.entries(PARTS)) {
    const host = shadow.querySelector(place)
    const inner = host.attachShadow({ mode: "open" })
    inner.append(fragment(COMPONENTS[name].css, COMPONENTS[name].html))
    parts[name] = { shadow: inner, draw: COMPONENTS[name].start() }
  }

  const form = shadow.querySelector(".name")
  const field = form.querySelector("input")
  const asksName = () => !form.hidden
  const askName = (open) => {
    if (form.hidden !== open) return
    form.hidden = !open
    if (open) field.focus()
    else root.focus({ preventScroll: true })
  }
  form.onsubmit = (event) => {
    event.preventDefault()
    send("name", field.value)
  }
  form.querySelector("[data-act=cancel]").onclick = () => send("name", null)
  field.onkeydown = (event) => {
    if (event.key === "Escape") send("name", null)
  }
  shadow.querySelector(".who").onclick = () => send("ask", true)

  const drawBar = () => {
    const { title, counts, progress, who, asks, problem } = whole("bar")
    shadow.querySelector(".title").textContent = title
    shadow.querySelector(".counts").textContent = counts
    shadow.querySelector(".progress").textContent = progress
    shadow.querySelector(".who").textContent = who ? `Reviewer: ${who}` : "Your name"
    form.querySelector(".bad").textContent = problem
    askName(asks)
  }

  const draw = () => {
    clearTimeout(waiting)
    const held = focused()
    drawBar()
    for (const [name, part] of Object.entries(parts)) {
      part.draw({ data: dataOf[name](), parentElement: part.shadow, setTriggerValue: send, scope: root, signal })
    }
    // a button or a mark that was drawn anew took the focus with it
    if (held && !focused()) root.focus({ preventScroll: true })
  }

  let due = false
  const drawSoon = () => {
    // an answer changes several traits at once
    if (due) return
    due = true
    queueMicrotask(() => {
      due = false
      if (!signal.aborted) draw()
    })
  }
  for (const trait of TRAITS) model.on(`change:${trait}`, drawSoon)

  draw()
  // after the parts have taken their keys
  for (const name of ["keydown", "keypress", "keyup"]) {
    root.addEventListener(name, (event) => {
      if (isOurs(event)) event.stopPropagation()
    })
  }
  // Escape leaves a field, not the widget
  const stay = () => {
    const held = focused()
    setTimeout(() => {
      if (held && !root.getRootNode().querySelector(":focus")) root.focus({ preventScroll: true })
    })
  }
  root.addEventListener("keydown", stay, { capture: true })
  // notebooks that look at keys before the page does read this mark
  const mark = (event) => {
    root.toggleAttribute("data-lm-suppress-shortcuts", event.composedPath().includes(root) && isOurs(event))
  }
  window.addEventListener("keydown", mark, { capture: true, signal })

  return () => {
    for (const trait of TRAITS) model.off(`change:${trait}`, drawSoon)
    model.off("msg:custom", handled)
    clearTimeout(waiting)
    ended.abort()
  }
}

export default { render }
