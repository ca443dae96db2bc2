// Jumps between text and card where they stand one below the other.

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
}
