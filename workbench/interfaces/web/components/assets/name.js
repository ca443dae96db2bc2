// The reviewer's name stays in this browser: it is written when it was typed, and told once to a
// session that has none. Storage may be switched off; then the name lasts as long as the session.

const STORED = "wb-reviewer"

const read = () => {
  try {
    return localStorage.getItem(STORED) ?? ""
  } catch {
    return ""
  }
}

const write = (name) => {
  try {
    if (name) localStorage.setItem(STORED, name)
    else localStorage.removeItem(STORED)
  } catch {
    // without storage there is nothing to keep it in
  }
}

// A dialog takes the focus as it opens, later than this runs: the field is waited for.
const TRIES = 60
const PAUSE_MS = 50

const focusOn = (key, mark, left = TRIES) => {
  const field = document.querySelector(`[role="dialog"] .st-key-${key} input`)
  if (field && document.activeElement === field) return
  if (field && document.activeElement?.contains(field)) field.focus()
  else if (left) mark.waiting = setTimeout(() => focusOn(key, mark, left - 1), PAUSE_MS)
}

// A server that was started anew knows nothing of what is on the page, and would take no key of it:
// once it answers again, the whole page is asked for.
const askAnew = (mark) => {
  const app = document.querySelector("[data-testid=stApp]")
  if (!app || mark.watch) return
  let was = app.dataset.testConnectionState
  mark.watch = new MutationObserver(() => {
    const now = app.dataset.testConnectionState
    if (now === "CONNECTED" && was !== now) mark.send("kept", read())
    was = now
  })
  mark.watch.observe(app, { attributeFilter: ["data-test-connection-state"] })
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component
  const mark = parentElement.querySelector(".name")
  if (!mark) return undefined
  clearTimeout(mark.waiting)
  mark.send = setTriggerValue
  askAnew(mark)
  if (data.field) focusOn(data.field, mark)
  // a server that was started again asks anew
  if (!data.ask) mark.told = false
  if (data.keep !== null) {
    write(data.keep)
  } else if (data.ask && !mark.told) {
    const name = read()
    if (name) {
      mark.told = true
      setTriggerValue("kept", name)
    }
  }
  mark.dataset.ready = "true"
  return () => clearTimeout(mark.waiting)
}
