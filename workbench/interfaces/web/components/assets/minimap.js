// The minimap: one tick a citation at its place in the text. Height and colour both tell the verdict,
// so that the grave ones stand out without colour. Click or arrow keys choose a citation.

const SVG = "http://www.w3.org/2000/svg"
const HEIGHTS = [45, 62, 82, 100, 30, 30, 18]

const rect = (x, width, height, fill) => {
  const made = document.createElementNS(SVG, "rect")
  made.setAttribute("x", x)
  made.setAttribute("width", width)
  made.setAttribute("height", `${height}%`)
  made.setAttribute("y", `${100 - height}%`)
  if (fill) made.setAttribute("fill", fill)
  return made
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component
  const map = parentElement.querySelector(".map")
  if (!map) return
  const svg = map.querySelector("svg")
  const wide = data.ticks.length > 400 ? 1.5 : 3
  const drawn = []
  let here = null
  if (data.window) {
    const [from, to] = data.window
    const part = rect(`${from * 100}%`, `${(to - from) * 100}%`, 100)
    part.setAttribute("class", "part")
    drawn.push(part)
  }
  for (const [id, place, mark, shown] of data.ticks) {
    const tick = rect(`${place * 99.7}%`, wide, HEIGHTS[mark], data.styles[mark].colour)
    if (!shown) tick.setAttribute("opacity", "0.18")
    if (id === data.selected) here = place
    drawn.push(tick)
  }
  if (here !== null) {
    // last, so that it stands over the ticks of a crowded text
    const halo = rect(`${here * 99.7}%`, wide + 6, 100)
    halo.setAttribute("class", "here")
    halo.setAttribute("transform", "translate(-3 0)")
    drawn.push(halo)
  }
  svg.replaceChildren(...drawn)
  map.setAttribute("aria-valuetext", data.said || "No citation chosen")
  map.setAttribute("aria-valuemin", "1")
  map.setAttribute("aria-valuemax", String(Math.max(data.ticks.length, 1)))
  const at = data.ticks.findIndex((tick) => tick[0] === data.selected)
  map.setAttribute("aria-valuenow", String(Math.max(at, 0) + 1))

  const pick = (index) => {
    const tick = data.ticks[index]
    if (tick) setTriggerValue("picked", tick[0])
  }
  map.onclick = (event) => {
    const box = map.getBoundingClientRect()
    const x = (event.clientX - box.left) / box.width
    let best = -1
    for (let i = 0; i < data.ticks.length; i += 1) {
      const near = Math.abs(data.ticks[i][1] - x)
      if (data.ticks[i][3] && (best < 0 || near < Math.abs(data.ticks[best][1] - x))) best = i
    }
    pick(best)
  }
  map.onkeydown = (event) => {
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key]
    if (!by) return
    event.preventDefault()
    pick(at + by)
  }
}
