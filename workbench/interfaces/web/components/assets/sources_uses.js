// The citations that lean on a source, each with its claim, verdict and way to the Review page.

const make = (tag, name, text) => {
  const made = document.createElement(tag)
  if (name) made.className = name
  if (text !== undefined) made.textContent = text
  return made
}

const verdict = (data, mark, words) => {
  const style = data.styles[mark]
  const made = make("span", "verdict")
  made.style.setProperty("--verdict", style.colour)
  const glyph = make("span", "glyph", style.glyph)
  glyph.setAttribute("aria-hidden", "true")
  made.append(glyph, make("span", "", words ?? style.word))
  return made
}

const itemNode = (data, item, review, pick) => {
  const made = make("li", item.quotes.includes(data.selected) ? "item chosen" : "item")
  const line = make("div", "line")
  if (item.before) {
    line.append(verdict(data, item.before, item.before_words), make("span", "quiet", "became"))
  }
  line.append(verdict(data, item.mark))
  if (item.why) line.append(make("span", "quiet", item.why))
  const claim = make("p", "claim", item.claim)
  claim.dir = "auto"
  const foot = make("div", "line")
  const link = make("a", "review", `${item.raw} in Review`)
  link.href = item.href
  link.setAttribute("aria-label", `Open ${item.raw} of ${item.run} in Review`)
  link.onclick = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return
    event.preventDefault()
    review(item.id)
  }
  foot.append(link)
  if (item.quotes.length) {
    const at = item.quotes.indexOf(data.selected)
    const words = item.quotes.length > 1 ? `Next of ${item.quotes.length} quotes` : "Show the quote"
    const button = make("button", "", words)
    button.type = "button"
    button.onclick = () => pick(item.quotes[(at + 1) % item.quotes.length])
    foot.append(button)
  }
  if (item.several) {
    const run = make("span", "quiet run", item.run)
    run.dir = "auto"
    foot.append(run)
  }
  made.append(line, claim, foot)
  return made
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component
  const list = parentElement.querySelector("ul")
  if (!list) return
  list.setAttribute("aria-label", data.said)
  const focused = list.getRootNode().activeElement
  const at = [...list.querySelectorAll("button, a")].indexOf(focused)
  list.replaceChildren(...data.items.map((item) => itemNode(
    data, item,
    (id) => setTriggerValue("reviewed", id),
    (id) => setTriggerValue("picked", id),
  )))
  if (at >= 0) list.querySelectorAll("button, a")[at]?.focus({ preventScroll: true })
  const chosen = list.querySelector(".chosen")
  if (chosen && list.dataset.selected !== data.selected) {
    list.scrollTop += chosen.getBoundingClientRect().top - list.getBoundingClientRect().top - 8
  }
  list.dataset.selected = data.selected ?? ""
}
