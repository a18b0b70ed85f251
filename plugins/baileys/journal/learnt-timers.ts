import type { BinaryNode, Chat, WAMessage } from '@whiskeysockets/baileys'
import { Jid } from 'wamux/messaging'
import type { Row, Write } from 'wamux/plugin'
import { getAllBinaryNodeChildren, getBinaryNodeChild, isJidGroup, proto } from '../baileys.ts'
import { type ChatTimer, isPerson, timerIn, toSeconds } from '../protocol/chat-timer.ts'
import type { TimerSignal } from '../sdk.ts'
import type { HistoryPart } from '../socket/history.ts'
import { type ChatTimers, COMPLETE, DEFAULT } from '../store/chat-timers.ts'

export interface Learnt {
  readonly writes: Write[]
  /** Set if the chat's timer has changed. */
  readonly change?: TimerSignal
}

/**
 * Learns the timers of chats from every source; the newest setting wins. Commit the returned writes together with the
 * source, and queue them in the same tick.
 */
export interface LearntTimers {
  /** Await it before `ofMessage`. */
  loadFor(message: WAMessage): Promise<void>
  ofMessage(message: WAMessage): Learnt
  /** The timers of a group or of new chats in a notification; undefined for other notifications. */
  ofNotification(stanza: BinaryNode): Promise<Learnt> | undefined
  /** The timers in a part of the history. */
  ofHistory(part: HistoryPart): Promise<Write[]>
  /** The timers of groups in a reply of the network. */
  ofGroups(reply: BinaryNode): Promise<Write[]>
}

const { CHAT_SETTING, ACCOUNT_SETTING } = proto.DisappearingMode.Trigger
const { INITIAL_BOOTSTRAP } = proto.HistorySync.HistorySyncType
const CHANGES = new Set(['ephemeral', 'not_ephemeral', 'create'])
const now = (): number => Math.floor(Date.now() / 1000)

export function createLearntTimers(
  timers: ChatTimers,
  altOf: (jid: string) => Promise<string>,
): LearntTimers {
  const formsIn = ({ key }: WAMessage): string[] =>
    [key.remoteJid ?? '', key.remoteJidAlt ?? ''].filter(Boolean)

  function learn(
    jids: readonly string[],
    timer: ChatTimer,
    by: Pick<TimerSignal, 'fromMe' | 'sender'>,
  ): Learnt {
    const before = timers.of(jids)?.seconds ?? 0
    const rows = timers.learn(jids, timer)
    if (rows.length === 0) return { writes: [] }
    const writes = [timers.write(rows)]
    if (before === timer.seconds) return { writes }
    const [chat = '', chatAlt = ''] = jids
    const time = new Date(timer.setAt * 1000).toISOString()
    return { writes, change: { chat, chatAlt, seconds: timer.seconds, time, ...by } }
  }

  /** A group's metadata contain the current timer, but not when it was set. */
  function learnGroup(group: BinaryNode, since = now()): Row[] {
    const id = group.attrs['id'] ?? ''
    const jid = id.includes('@') ? id : Jid.ofGroup(id)
    const timer = groupTimer(getBinaryNodeChild(group, 'ephemeral'), since)
    const known = timers.of([jid])
    const isSame = (known?.seconds ?? 0) === timer.seconds && (!known || known.trigger === timer.trigger)
    if (isSame && (known || timer.seconds === 0)) return []
    return timers.learn([jid], { ...timer, setAt: Math.max(since, known?.setAt ?? 0) })
  }

  async function formsOf({ id, lidJid, pnJid }: Chat): Promise<string[]> {
    const jid = id ?? ''
    if (!isPerson(jid)) return [jid]
    return [jid, lidJid || pnJid || (await altOf(jid))].filter(Boolean)
  }

  return {
    async loadFor(message) {
      if (isPerson(message.key.remoteJid ?? '')) await timers.load(formsIn(message))
    },
    ofMessage(message) {
      const { fromMe = false, remoteJid } = message.key
      if (!isPerson(remoteJid ?? '')) return { writes: [] }
      const jids = formsIn(message)
      const timer = timerIn(message)
      if (timer)
        return learn(jids, timer, { fromMe: fromMe === true, sender: fromMe ? '' : (remoteJid ?? '') })
      const rows = timers.note(jids)
      return { writes: rows.length > 0 ? [timers.write(rows)] : [] }
    },
    ofNotification(stanza) {
      const { from = '', type, t, participant = '' } = stanza.attrs
      const children = getAllBinaryNodeChildren(stanza)
      if (type === 'account_sync') {
        const mode = children.find(({ tag }) => tag === 'disappearing_mode')
        return mode && accountDefault(mode)
      }
      const change = type === 'w:gp2' ? children.find(({ tag }) => CHANGES.has(tag)) : undefined
      if (!change) return undefined
      const since = Number(t) || now()
      return timers.load([from]).then(() => {
        const group = change.tag === 'create' ? getBinaryNodeChild(change, 'group') : undefined
        if (change.tag !== 'create')
          return learn([from], groupTimer(change, since), { fromMe: false, sender: participant })
        const rows = group ? learnGroup(group, since) : []
        return { writes: rows.length > 0 ? [timers.write(rows)] : [] }
      })
    },
    async ofHistory({ chats, syncType }) {
      const told = await Promise.all(
        chats
          .filter(({ id }) => id && (isPerson(id) || isJidGroup(id)))
          .map(async (chat) => ({ jids: await formsOf(chat), timer: historyTimer(chat) })),
      )
      await timers.load(told.flatMap(({ jids }) => jids))
      const rows = told.flatMap(({ jids, timer }) => {
        if (timer) return timers.learn(jids, timer)
        return isPerson(jids[0] ?? '') ? timers.note(jids) : []
      })
      if (syncType === INITIAL_BOOTSTRAP) rows.push(...timers.note([COMPLETE]))
      return rows.length > 0 ? [timers.write(rows)] : []
    },
    async ofGroups(reply) {
      const [top] = getAllBinaryNodeChildren(reply)
      const groups = top?.tag === 'groups' ? getAllBinaryNodeChildren(top) : top ? [top] : []
      await timers.load(groups.map(({ attrs }) => Jid.ofGroup((attrs['id'] ?? '').replace(/@g\.us$/, ''))))
      const rows = groups.flatMap((group) => learnGroup(group))
      return rows.length > 0 ? [timers.write(rows)] : []
    },
  }

  async function accountDefault({ attrs }: BinaryNode): Promise<Learnt> {
    await timers.load([DEFAULT])
    const timer = { seconds: Number(attrs['duration']) || 0, setAt: Number(attrs['t']) || now() }
    const rows = timers.learn([DEFAULT], { ...timer, trigger: ACCOUNT_SETTING })
    return { writes: rows.length > 0 ? [timers.write(rows)] : [] }
  }
}

function groupTimer(node: BinaryNode | undefined, setAt: number): ChatTimer {
  const { expiration, trigger } = node?.attrs ?? {}
  return { seconds: Number(expiration) || 0, setAt, trigger: Number(trigger) || 0 }
}

/** Undefined for a chat whose timer was never set. */
function historyTimer(chat: Chat): ChatTimer | undefined {
  const seconds = chat.ephemeralExpiration ?? 0
  const setAt = toSeconds(chat.ephemeralSettingTimestamp)
  if (seconds === 0 && setAt === 0) return undefined
  const fallback = isJidGroup(chat.id ?? '') ? 0 : CHAT_SETTING
  return { seconds, setAt, trigger: chat.disappearingMode?.trigger || fallback }
}
