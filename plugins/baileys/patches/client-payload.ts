import type { proto } from '@whiskeysockets/baileys'

type Payload = proto.IClientPayload
type PayloadClass = Pick<typeof proto.ClientPayload, 'fromObject'>

/**
 * A country code that completes the payload into which Baileys writes it: it is the only part of a socket's configuration
 * that gets there unchanged (Utils/validate-connection.js getUserAgent). As a string it is the country.
 */
export class PayloadCountry extends String {
  readonly complete: (payload: Payload) => Payload
  constructor(country: string, complete: (payload: Payload) => Payload) {
    super(country)
    this.complete = complete
  }
}

/** Completes the payloads of logins and registrations: Baileys lacks some fields and hard-codes others. */
export function patchClientPayload({ ClientPayload }: { ClientPayload: PayloadClass }): void {
  const { fromObject } = ClientPayload
  ClientPayload.fromObject = (object) => fromObject.call(ClientPayload, completed(object))
}

function completed(object: Payload): Payload {
  const country: unknown = object.userAgent?.localeCountryIso31661Alpha2
  return country instanceof PayloadCountry ? country.complete(object) : object
}

export function verifyClientPayload({ ClientPayload }: { ClientPayload: PayloadClass }): boolean {
  const country: unknown = new PayloadCountry('US', () => ({ lc: 7 }))
  return ClientPayload.fromObject({ userAgent: { localeCountryIso31661Alpha2: country } }).lc === 7
}
