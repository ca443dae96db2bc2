// How far the queue is: its name, the figures, a thin bar. Text nodes only.

const make = (tag, name, text) => {
  const made = document.createElement(tag)
  if (name) made.className = name
  if (text !== undefined) made.textContent = text
  return made
}

export default function (component) {
  const { data, parentElement } = component
  const strip = parentElement.querySelector(".strip")
  if (!strip) return
  const name = make("b", "", data.name)
  name.dir = "auto"
  const made = [name]
  if (data.role === "adjudication") made.push(make("span", "tag", "Adjudication"))
  if (data.blind) made.push(make("span", "tag", "Blind"))
  for (const part of data.parts) made.push(make("span", "quiet part", part))
  const bar = make("div", "bar")
  const fill = make("span")
  fill.style.width = `${Math.round(data.share * 1000) / 10}%`
  bar.append(fill)
  bar.setAttribute("role", "progressbar")
  bar.setAttribute("aria-label", "Reviews given")
  bar.setAttribute("aria-valuemin", "0")
  bar.setAttribute("aria-valuemax", "100")
  bar.setAttribute("aria-valuenow", String(Math.round(data.share * 100)))
  strip.replaceChildren(...made, bar)
}
