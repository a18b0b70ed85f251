/** Proofs of single endpoints, counted at the end of the run: each needs an effect and a refusal. */

type Endpoint = `${'GET' | 'POST'} /${string}`
type Body = (this: Mocha.Context) => Promise<void>

const shown = new Set<string>()
const refused = new Set<string>()

/** A test in which the other side, a phone, a second companion or the network's state, shows the effect. */
export function shows(endpoint: Endpoint, what: string, body: Body): void {
  prove(shown, endpoint, `${endpoint} ${what}`, body)
}

/** A test in which the network, or the gateway on its behalf, refuses and nothing has changed. */
export function refuses(endpoint: Endpoint, what: string, body: Body): void {
  prove(refused, endpoint, `${endpoint} refuses ${what}`, body)
}

function prove(proved: Set<string>, endpoint: string, title: string, body: Body): void {
  it(title, async function () {
    await body.call(this)
    proved.add(endpoint)
  })
}

export function proofs(): { shown: ReadonlySet<string>; refused: ReadonlySet<string> } {
  return { shown, refused }
}
