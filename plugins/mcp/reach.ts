/**
 * `fetch` to the gateway. If nothing answers, rejects with a sentence for the user of the assistant; the message of `fetch`
 * would be "fetch failed".
 */
export async function reach(url: URL, init: RequestInit = {}): Promise<Response> {
  return fetch(url, init).catch((error: Error) => {
    const why = codeOf(error)
    throw new Error(`wamux at ${url.origin} does not answer (${why}); start it, or correct the address`)
  })
}

/** For example `ECONNREFUSED`. */
function codeOf({ message, cause }: Error): string {
  return (cause as { code?: string } | undefined)?.code ?? message
}
