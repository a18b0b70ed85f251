import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { QUIET_MS } from '../../plugins/sandbox/testing/eventually.ts'

/** The same phone, which waits for a message as long as others come. */
export function patient(phone: Phone): Phone {
  const newest = (): number => phone.messages().at(-1)?.seq ?? 0
  const wait: Phone['wait'] = async (matches, ms = QUIET_MS) => {
    for (;;) {
      const before = newest()
      try {
        return await phone.wait(matches, ms)
      } catch (error) {
        if (newest() === before) throw error
      }
    }
  }
  return Object.assign(Object.create(phone) as Phone, { wait })
}
