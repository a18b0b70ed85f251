/**
 * Where the element with the focus is removed, such as the button of a row that it deletes, the focus goes to the screen: the
 * next Tab would else begin at the top of the document.
 */
export function keepFocus(): void {
  let last: EventTarget | null = null
  document.addEventListener('focusin', ({ target }) => {
    last = target
  })
  new MutationObserver(() => {
    const isLost = last instanceof Element && !last.isConnected && document.activeElement === document.body
    if (!isLost) return
    last = null
    document.getElementById('content')?.focus({ preventScroll: true })
  }).observe(document.body, { childList: true, subtree: true })
}
