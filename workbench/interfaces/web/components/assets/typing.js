// Streamlit tells a text area's text when the field is left; this tells it when typing pauses.

const PAUSE_MS = 350

export default function (component) {
  const { data, parentElement, setTriggerValue } = component
  const mark = parentElement.querySelector(".typing")
  if (!mark) return undefined
  let waiting = 0
  let last = null
  const onInput = (event) => {
    const field = event.target
    if (!(field instanceof HTMLTextAreaElement) || !field.closest(`.st-key-${data.place}`)) return
    clearTimeout(waiting)
    waiting = setTimeout(() => {
      // who has left the field has told its text by that
      if (document.activeElement !== field || field.value === last) return
      last = field.value
      setTriggerValue("typed", last)
    }, PAUSE_MS)
  }
  if (mark.forget) mark.forget()
  document.addEventListener("input", onInput, true)
  mark.forget = () => {
    clearTimeout(waiting)
    document.removeEventListener("input", onInput, true)
  }
  return mark.forget
}
