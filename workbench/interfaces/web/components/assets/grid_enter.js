// Enter on a button of a table presses it. The table is drawn on a canvas and takes buttons by the
// mouse alone; its cell with the keyboard's focus stands beside it as an element, and says where it is.

const ROW = 35
const seat = { data: null, root: null }

const onEnter = (event) => {
  if (!seat.data || !seat.root?.isConnected || event.key !== "Enter" || event.repeat) return
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
  const place = document.querySelector(`.st-key-${seat.data.place}`)
  if (!place?.contains(document.activeElement)) return
  const cell = place.querySelector("td[id^='glide-cell-'][aria-selected=true]")
  const [, column, row] = cell?.id.match(/^glide-cell-(\d+)-(\d+)$/) ?? []
  if (Number(column) !== seat.data.column) return
  const canvas = place.querySelector("canvas")
  const box = canvas.getBoundingClientRect()
  const scrolled = place.querySelector(".dvn-scroller")?.scrollTop ?? 0
  event.preventDefault()
  event.stopImmediatePropagation()
  const at = {
    clientX: box.left + 60,
    clientY: box.top + ROW * (Number(row) + 1.5) - scrolled,
    bubbles: true, cancelable: true, button: 0, buttons: 1, view: window,
  }
  const pointer = { ...at, pointerType: "mouse", isPrimary: true }
  canvas.dispatchEvent(new MouseEvent("mousemove", at))
  canvas.dispatchEvent(new PointerEvent("pointerdown", pointer))
  canvas.dispatchEvent(new MouseEvent("mousedown", at))
  canvas.dispatchEvent(new PointerEvent("pointerup", pointer))
  canvas.dispatchEvent(new MouseEvent("mouseup", at))
  canvas.dispatchEvent(new MouseEvent("click", at))
}

export default function (component) {
  seat.data = component.data
  seat.root = component.parentElement
  if (!seat.listening) {
    seat.listening = true
    window.addEventListener("keydown", onEnter, true)
  }
}
