import { Jid } from 'wamux/messaging'
import { systemViewer } from 'wamux/plugin'
import { isJidGroup, jidNormalizedUser } from '../baileys.ts'
import { sealAddition } from '../protocol/additions.ts'
import type { Me } from '../protocol/signals.ts'
import type { AdditionTarget } from '../sdk.ts'
import type { Kept, Secrets } from '../store/secrets.ts'
import type { StoredMessages } from '../store/stored-messages.ts'

interface Parts {
  session: string
  secrets: Pick<Secrets, 'find'>
  messages: Pick<StoredMessages, 'find'>
  me(): Me
  /** The other form of a person's JID; '' if unknown. */
  altOf(jid: string): Promise<string>
}

/** Finds messages of one chat whose secret is known, to seal additions to them: votes, answers to events, edits of events. */
export function additionTargetOf({ session, secrets, messages, me, altOf }: Parts) {
  const own = (): string[] => [me().lid, me().id].map((jid) => jidNormalizedUser(jid)).filter(Boolean)

  async function keyOf(kept: Kept, chat: string): Promise<AdditionTarget['key']> {
    const id = kept.message
    if (kept.authors.some((author) => own().includes(author))) return { remoteJid: chat, id, fromMe: true }
    if (!isJidGroup(chat)) return { remoteJid: chat, id, fromMe: false }
    const stored = await messages.find({ chat, id }, systemViewer(session))
    const author = kept.authors.find(Jid.isLid) ?? kept.authors[0] ?? ''
    return { remoteJid: chat, id, fromMe: false, participant: stored?.key.participant ?? author }
  }

  return async ({ chat, id }: { chat: string; id: string }): Promise<AdditionTarget | undefined> => {
    const forms = [jidNormalizedUser(chat), await altOf(jidNormalizedUser(chat))]
    const kept = (await secrets.find(id)).find((one) => forms.includes(jidNormalizedUser(one.chat)))
    if (!kept) return undefined
    return {
      key: await keyOf(kept, chat),
      poll: kept.poll,
      seal: (use, plain) => sealAddition({ ...kept, id }, own(), use, plain),
    }
  }
}
