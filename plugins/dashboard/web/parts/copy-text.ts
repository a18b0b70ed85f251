/** Copies a text; if that is not allowed, for example on pages without TLS, selects it in its element and returns false. */
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
