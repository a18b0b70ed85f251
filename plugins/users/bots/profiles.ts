import type { BinaryNode } from '@whiskeysockets/baileys'
import { askUsers, child, children, node, textOf } from 'wamux/messaging'
import type { Socket } from 'wamux/plugin'

/** A bot as named by the network. */
export interface BotName {
  jid: string
  persona: string
}

interface BotProfile {
  JID: string
  Name: string
  Attributes: string
  Description: string
  Category: string
  IsDefault: boolean
  Prompts: string[]
  PersonaID: string
  Commands: { Name: string; Description: string }[]
  CommandsDescription: string
}

/**
 * The profiles of bots. Parsed here, because Baileys' own parser looks for the profile one level too deep and throws
 * whenever there is one (WAUSync/Protocols/UsyncBotProfileProtocol.js).
 */
export async function profilesOf(socket: Socket, bots: readonly BotName[]): Promise<BotProfile[]> {
  if (bots.length === 0) return []
  const users = bots.map(({ jid, persona }) =>
    node('user', { jid }, [node('bot', {}, [node('profile', { persona_id: persona })])]),
  )
  const protocol = node('bot', {}, [node('profile', { v: '1' })])
  const found = await askUsers(socket, [protocol], users, "read the bots' profiles")
  return found.flatMap((user) => {
    const profile = child(child(user, 'bot'), 'profile')
    return profile ? [toProfile(user.attrs['jid'] ?? '', profile)] : []
  })
}

function toProfile(jid: string, profile: BinaryNode): BotProfile {
  const commands = child(profile, 'commands')
  return {
    JID: jid,
    Name: textOf(child(profile, 'name')),
    Attributes: textOf(child(profile, 'attributes')),
    Description: textOf(child(profile, 'description')),
    Category: textOf(child(profile, 'category')),
    IsDefault: child(profile, 'default') !== undefined,
    Prompts: children(child(profile, 'prompts'), 'prompt').map((prompt) =>
      `${textOf(child(prompt, 'emoji'))} ${textOf(child(prompt, 'text'))}`.trim(),
    ),
    PersonaID: profile.attrs['persona_id'] ?? '',
    Commands: children(commands, 'command').map((command) => ({
      Name: textOf(child(command, 'name')),
      Description: textOf(child(command, 'description')),
    })),
    CommandsDescription: textOf(child(commands, 'description')),
  }
}
