/** Loaded into a gateway's process from source before its own code: runs Baileys without what prevents a loss, to prove that the crash loop notices one. */
import type { BinaryNode } from '@whiskeysockets/baileys'
import { construction } from '../../plugins/baileys/construction.ts'
import { omitted } from '../../plugins/baileys/patches/omitted.ts'
import type { JournalBeforeAckParts, StanzaKind } from '../../plugins/baileys/socket/journal-before-ack.ts'
import { stagesOf } from '../../plugins/baileys/socket/pipeline.ts'
import type { Receive, Stage } from '../../plugins/baileys/socket/stage.ts'
import { stockRepositoryOf } from './stock-repository.ts'

const KINDS: Readonly<Record<string, StanzaKind>> = {
  'CB:message': 'message',
  'CB:receipt': 'receipt',
  'CB:notification': 'notification',
  'CB:call': 'call',
}

construction.repository = stockRepositoryOf
construction.stages = (parts) => {
  const { inbound, events } = stagesOf(parts)
  const stock = inbound.filter(([name]) => name !== 'receipts' && name !== 'journal-before-ack')
  // No barrier holds a frame.
  return { inbound: [...stock, ['journal-before-ack', journalBesideAck(parts)]], events, outbound: [] }
}
omitted.isTolerated = true

/** Journals what comes, and lets Baileys acknowledge it at once. */
function journalBesideAck({ onStanza, resumed }: JournalBeforeAckParts): Stage<Receive> {
  let isResumed = false
  const caughtUp = resumed.then(() => {
    isResumed = true
  })
  return (next) => {
    const admit = (event: string, args: unknown[]): boolean => {
      const kind = KINDS[event]
      if (kind && onStanza(kind, args[0] as BinaryNode) === 'handled') return true
      return next(event, ...args)
    }
    return (event, ...args) => {
      if (!(event in KINDS) && event !== 'CB:ib,,offline') return next(event, ...args)
      if (isResumed) return admit(event, args)
      // In the order of their arrival.
      void caughtUp.then(() => admit(event, args))
      return true
    }
  }
}
