interface State {
  senderMessageKeys?: unknown[]
}

/**
 * A sender key record of this very device without the message keys that it stores: they are for decrypting, and a
 * device never decrypts its own chain. Stock libsignal keeps up to 2,000 of them, and a group send then reads
 * and writes 450 KB in place of one.
 *
 * @param id `<group>::<user>::<device>` (Baileys Signal/Group/sender-key-name.js).
 * @param me own LID and phone JID, with device.
 */
export function pruned(id: string, value: unknown, me: readonly string[]): unknown {
  if (!(value instanceof Uint8Array) || !me.some((jid) => isOwn(id, jid))) return value
  const states = JSON.parse(Buffer.from(value).toString('utf8')) as State[]
  return Buffer.from(JSON.stringify(states.map((state) => ({ ...state, senderMessageKeys: [] }))))
}

function isOwn(id: string, jid: string): boolean {
  const [, user = '', device = '0'] = /^(\d+)(?::(\d+))?@/.exec(jid) ?? []
  const [, owner = '', ownerDevice = ''] = id.split('::')
  return user !== '' && owner.split('_')[0] === user && ownerDevice === device
}
