// Keys that Streamlit has none for: a letter puts the cursor into a field, or presses a button that
// opens something. Escape leaves the field again, so that the other keys work.

const typing = (target) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName))

const fieldOf = (name) =>
  document.querySelector(`.st-key-${name} input`) ?? document.querySelector(`.st-key-${name} button`)

const enter = (field) => {
  field.scrollIntoView({ block: "nearest" })
  field.focus()
  field.click()
}

// the fields of an expander are drawn once it is open
const openUntil = (place, name, end) => {
  const field = fieldOf(name)
  if (field) enter(field)
  place.opening = !field && place.isConnected && Date.now() < end
  if (place.opening) setTimeout(() => openUntil(place, name, end), 50)
}

export default function (component) {
  const { data, parentElement } = component
  const place = parentElement.querySelector(".keys")
  if (!place) return undefined
  const onKey = (event) => {
    const inside = event.composedPath()[0]
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    if (event.key === "Escape" && typing(inside)) {
      const ours = Object.values(data.places).some((name) => inside.closest(`.st-key-${name}`))
      if (!ours) return
      // the field would take Escape as "choose nothing"
      event.preventDefault()
      event.stopPropagation()
      inside.blur()
      return
    }
    if (place.opening) {
      // what is typed is for the field that is on its way: no key may label or move
      event.preventDefault()
      event.stopPropagation()
      return
    }
    const name = data.places[event.key.toLowerCase()]
    if (!name || typing(inside) || document.querySelector("[role=dialog][aria-modal=true]")) return
    const field = fieldOf(name) ?? document.querySelector(`.st-key-${data.closed || "none"} summary`)
    if (!field) return
    event.preventDefault()
    event.stopPropagation()
    if (field.matches("input")) enter(field)
    else field.click()
    if (field.matches("summary")) openUntil(place, name, Date.now() + 5000)
  }
  if (place.forget) place.forget()
  document.addEventListener("keydown", onKey, true)
  place.forget = () => document.removeEventListener("keydown", onKey, true)
  return place.forget
}
