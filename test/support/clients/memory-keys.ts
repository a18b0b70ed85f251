import type { AuthenticationState, SignalDataSet } from '@whiskeysockets/baileys'

/** Keys of a Baileys client, kept in memory alone. */
export function memoryKeys(): AuthenticationState['keys'] {
  const values = new Map<string, unknown>()
  return {
    get: async (type: string, ids: string[]) =>
      Object.fromEntries(
        ids.flatMap((id) => (values.has(`${type} ${id}`) ? [[id, values.get(`${type} ${id}`)]] : [])),
      ),
    set: async (data: SignalDataSet) => {
      for (const [type, entries] of Object.entries(data)) {
        for (const [id, value] of Object.entries(entries ?? {})) {
          if (value === null || value === undefined) values.delete(`${type} ${id}`)
          else values.set(`${type} ${id}`, value)
        }
      }
    },
  } as AuthenticationState['keys']
}
