// Jumps between text and card where they stand one below the other, and puts the cursor in the note
// when the key for it is pressed; Escape leaves the note again, so that the keys work.

export default function (component) {
  const { data, parentElement } = component
  const bar = parentElement.querySelector(".jumps")
  if (!bar) return
  const at = bar.querySelector(".at")
  bar.querySelector("[data-to=reading]").textContent = data.beside ?? "Text"
  at.textContent = `${data.glyph} ${data.said}`
  at.style.setProperty("--verdict", data.colour)
  for (const button of bar.querySelectorAll("button")) {
    button.onclick = () => {
      const target = document.querySelector(`.st-key-${button.dataset.to}`)
      target?.scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" })
    }
  }
  const asked = String(data.focus)
  if (bar.dataset.focus !== undefined && bar.dataset.focus !== asked) {
    const note = document.querySelector(".st-key-deciding input")
    if (note) {
      note.focus()
      note.setSelectionRange(note.value.length, note.value.length)
      note.onkeydown = (event) => {
        if (event.key === "Escape") note.blur()
      }
    }
  }
  bar.dataset.focus = asked
}
