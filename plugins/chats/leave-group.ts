import { isGatewayError, type LiveSession } from 'wamux/plugin'

/** Leaves a group before its chat is deleted; does nothing if the account has left it already. */
export async function leave(session: LiveSession, group: string): Promise<void> {
  const leaving = { tag: 'leave', attrs: {}, content: [{ tag: 'group', attrs: { id: group } }] }
  const iq = { tag: 'iq', attrs: { to: '@g.us', type: 'set', xmlns: 'w:g2' }, content: [leaving] }
  await session.socket.query(iq, 'leave the group').catch((error: unknown) => {
    if (!isGatewayError(error) || error.code !== 'NETWORK_FORBIDDEN') throw error
  })
}
