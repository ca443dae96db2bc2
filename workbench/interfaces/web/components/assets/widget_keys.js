// Keys that Streamlit has none for: a letter puts the cursor into a field, or presses a button that
// opens something. Escape leaves the field again, so that the other keys work.

const typing = (target) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName))

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
    const name = data.places[event.key.toLowerCase()]
    if (!name || typing(inside) || document.querySelector("[role=dialog][aria-modal=true]")) return
    const field = document.querySelector(`.st-key-${name} input`)
    const button = document.querySelector(`.st-key-${name} button`)
    if (!field && !button) return
    event.preventDefault()
    event.stopPropagation()
    if (!field) {
      button.click()
      return
    }
    field.scrollIntoView({ block: "nearest" })
    field.focus()
    field.click()
  }
  if (place.forget) place.forget()
  document.addEventListener("keydown", onKey, true)
  place.forget = () => document.removeEventListener("keydown", onKey, true)
  return place.forget
}
