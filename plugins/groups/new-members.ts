import type { BinaryNode } from '@whiskeysockets/baileys'
import type { LiveSession } from 'wamux/plugin'

/**
 * The nodes of people to be added to a group, each with the privacy token that the person has given: some may be added only by
 * contacts (whatsmeow group.go).
 */
export async function newMembers(
  { socket }: LiveSession,
  people: readonly string[],
  use: 'newGroup' | 'newMember',
): Promise<BinaryNode[]> {
  const tokens = await socket.givenTokens(people, use)
  return people.map((jid) => {
    const content = tokens.get(jid)
    const proof = content ? { content: [{ tag: 'privacy', attrs: {}, content }] } : {}
    return { tag: 'participant', attrs: { jid }, ...proof }
  })
}
