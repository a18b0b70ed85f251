/**
 * `fetch` at the gateway. Rejects with a sentence for the person at the assistant when nothing answers there; what `fetch`
 * itself says is "fetch failed".
 */
export async function reach(url: URL, init: RequestInit = {}): Promise<Response> {
  return fetch(url, init).catch((error: Error) => {
    const why = codeOf(error)
    throw new Error(`wamux at ${url.origin} does not answer (${why}); start it, or correct the address`)
  })
}

/** Such as `ECONNREFUSED`. */
function codeOf({ message, cause }: Error): string {
  return (cause as { code?: string } | undefined)?.code ?? message
}
