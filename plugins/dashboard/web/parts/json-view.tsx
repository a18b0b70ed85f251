/** JSON with its structure in colours, built only from text nodes. */
export function JsonView({ value }: { value: unknown }) {
  const text = JSON.stringify(value, null, 2) ?? ''
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
    <pre class="json" tabIndex={0}>
      <code>{partsOf(text)}</code>
    </pre>
  )
}

const TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

function partsOf(text: string) {
  const parts = []
  let end = 0
  for (const found of text.matchAll(TOKEN)) {
    const [whole, quoted, colon, word] = found
    if (found.index > end) parts.push(text.slice(end, found.index))
    const kind = quoted ? (colon ? 'name' : 'text') : word ? 'word' : 'number'
    parts.push(
      <span key={found.index} class={`json-${kind}`}>
        {whole}
      </span>,
    )
    end = found.index + whole.length
  }
  return [...parts, text.slice(end)]
}
