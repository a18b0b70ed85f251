/** Copies a text; where that is not allowed, as on pages without TLS, selects it in the element that shows it, and returns false. */
export async function copyText(text: string, shownIn: HTMLElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    if (shownIn instanceof HTMLTextAreaElement) shownIn.select()
    else if (shownIn) getSelection()?.selectAllChildren(shownIn)
    return false
  }
}
