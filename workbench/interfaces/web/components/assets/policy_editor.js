// The editor of a policy. Its text is its own while one document is edited; Python gets it a moment
// after the last key, and says which lines hold mistakes.

const PAUSE = 350

const number = (root) => {
  const area = root.querySelector("textarea")
  const gutter = root.querySelector(".gutter")
  const lines = area.value.split("\n").length
  if (gutter.childElementCount !== lines) {
    const made = Array.from({ length: lines }, (_, at) => {
      const line = document.createElement("span")
      line.textContent = String(at + 1)
      return line
    })
    gutter.replaceChildren(...made)
  }
  for (const [at, line] of [...gutter.children].entries()) {
    line.className = root.wrong && root.wrong.has(at + 1) ? "wrong" : ""
  }
  gutter.scrollTop = area.scrollTop
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component
  const root = parentElement.querySelector(".editor")
  const area = root.querySelector("textarea")
  const state = parentElement.querySelector(".state")
  if (root.dataset.document !== data.document) {
    clearTimeout(root.timer)
    root.dataset.document = data.document
    area.value = data.text
  }
  root.wrong = new Set(data.problems.map(([line]) => line))
  // while something is on its way, what Python says is about an earlier text
  if (!root.waiting || area.value === data.text) {
    root.waiting = false
    const many = data.problems.length
    state.textContent = many ? `${many} ${many === 1 ? "mistake" : "mistakes"}` : "No mistakes"
    state.className = many ? "state wrong" : "state"
  }
  const send = () => {
    clearTimeout(root.timer)
    setTriggerValue("text", area.value)
  }
  area.oninput = () => {
    root.waiting = true
    state.textContent = "…"
    number(root)
    clearTimeout(root.timer)
    root.timer = setTimeout(send, PAUSE)
  }
  area.onblur = () => {
    if (root.waiting) send()
  }
  area.onscroll = () => {
    root.querySelector(".gutter").scrollTop = area.scrollTop
  }
  area.onkeydown = (event) => {
    // Tab leaves the field, as everywhere; blanks go in with the space bar
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") send()
    if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) event.stopPropagation()
  }
  number(root)
}
