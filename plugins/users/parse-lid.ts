import { gatewayError, type Socket } from 'wamux/plugin'

export interface ParsedLid {
  success: true
  jid: string
  jidClear: string
  lid: string
}

/** The phone number of a LID, from the local mapping. Rejects ITEM_UNKNOWN. */
export async function parseLid(socket: Socket, given: string): Promise<ParsedLid> {
  const user = /^(\d+)(:\d+)?(@lid)?$/.exec(given.trim())?.[1]
  if (!user) throw gatewayError('FIELD_INVALID', ['LID', `"${given}" is not a LID`])
  const lid = `${user}@lid`
  const jid = await socket.altJid(lid)
  if (!jid) throw gatewayError('ITEM_UNKNOWN', ['LID'])
  return { success: true, jid, jidClear: jid.split('@', 1)[0] ?? '', lid }
}
