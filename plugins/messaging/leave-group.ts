import { gatewayError, type LiveSession } from 'wamux/plugin'
import { networkCodeOf } from './failures.ts'
import { child, node } from './stanza.ts'

/** Leaves a group, or a community with all of its groups. Rejects ITEM_UNKNOWN for one that does not exist. */
export async function leaveGroup({ socket }: LiveSession, group: string): Promise<void> {
  const ask = (type: 'get' | 'set', to: string, request: ReturnType<typeof node>) =>
    socket.query(node('iq', { to, type, xmlns: 'w:g2' }, [request]), 'leave the group')
  try {
    const info = await ask('get', group, node('query', { request: 'interactive' }))
    const isCommunity = child(child(info, 'group'), 'parent') !== undefined
    const left = node(isCommunity ? 'community' : 'group', { id: group })
    await ask('set', '@g.us', node('leave', {}, [left]))
  } catch (error) {
    if (networkCodeOf(error) === 404) throw gatewayError('ITEM_UNKNOWN', [group], { cause: error })
    throw error
  }
}
