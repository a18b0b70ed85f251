import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { child } from 'wamux/messaging'
import { startTimer, type Timer } from 'wamux/plugin'
import { getBinaryNodeChildren } from '../baileys.ts'
import type { StoredProps } from './stored-props.ts'

/**
 * A server-side setting of WhatsApp (AB prop) by its code, converted to the type of its default: a boolean is true for `1`
 * or `true`, and a non-number counts as absent where a number is expected. Values of the last link apply until the network
 * has answered.
 */
export type AbProp = <T extends string | number | boolean>(code: number, otherwise: T) => Widened<T>

type Widened<T> = T extends string ? string : T extends number ? number : boolean

export interface AbProps {
  readonly abProp: AbProp
  /** Reads the answers that the network sends on this socket, and queries it from then on. */
  connect(wa: PropsSocket): void
  /** Sends no more queries. */
  close(): void
}

type PropsSocket = Pick<WASocket, 'ws' | 'query' | 'serverProps'>

export interface AbPropsParts {
  /** From an earlier link. */
  stored: StoredProps | undefined
  save(props: StoredProps): Promise<void>
  onFailure(error: unknown): void
}

/** Used if the answer has no `refresh`; WhatsApp's usual value. */
const REFRESH_S = 24 * 3600

/**
 * Keeps the AB props of a session. Baileys queries them once when a link opens (Socket/chats.js fetchProps); its reply is
 * read here, too. This module repeats the query whenever `refresh` is over. Baileys sends the hash that it has, and takes
 * an answer without changes for one without values: the props that it uses are set from the stored ones.
 */
export function createAbProps({ stored, save, onFailure }: AbPropsParts): AbProps {
  let current: StoredProps = stored ?? { hash: '', values: {} }
  let timer: Timer | undefined
  let isClosed = false

  const abProp: AbProp = (code, otherwise) => read(current.values[code], otherwise) as never

  function tellBaileys({ serverProps }: PropsSocket): void {
    serverProps.profilePicPrivacyToken = abProp(9666, true)
  }

  function answered(wa: PropsSocket, props: BinaryNode): void {
    const { hash = '', refresh, delta_update: delta } = props.attrs
    const seconds = Number(refresh) > 0 ? Number(refresh) : REFRESH_S
    const changes = getBinaryNodeChildren(props, 'prop').flatMap(({ attrs }) => {
      const { config_code: code, config_value: value } = attrs
      return code && value !== undefined ? [[code, value] as const] : []
    })
    const isDelta = delta === 'true' || (changes.length === 0 && hash === current.hash)
    // A delta to values that are missing here, although Baileys knew the hash.
    if (isDelta && hash !== current.hash && changes.length === 0) return ask(wa, {})
    const isChanged = hash !== current.hash || changes.length > 0
    if (isChanged) {
      current = { hash, values: { ...(isDelta ? current.values : {}), ...Object.fromEntries(changes) } }
      save(current).catch(onFailure)
    }
    tellBaileys(wa)
    askLater(wa, seconds)
  }

  function askLater(wa: PropsSocket, seconds: number): void {
    timer?.stop()
    if (isClosed) return
    const again = (): void => ask(wa, current.hash ? { hash: current.hash } : {})
    timer = startTimer(seconds * 1000, again, { isRepeated: true, isUnref: true })
  }

  /** The answer is read in the same place as the one to Baileys. */
  function ask(wa: PropsSocket, attrs: Record<string, string>): void {
    const iq: BinaryNode = {
      tag: 'iq',
      attrs: { to: 's.whatsapp.net', xmlns: 'abt', type: 'get' },
      content: [{ tag: 'props', attrs: { protocol: '1', ...attrs } }],
    }
    wa.query(iq).catch(() => askLater(wa, REFRESH_S))
  }

  return {
    abProp,
    connect(wa) {
      // Baileys drops tokens that are valid for longer than four weeks and attaches none to resent messages: the gateway
      // attaches them itself (send/tokens/privacy-tokens.ts).
      Object.defineProperty(wa.serverProps, 'privacyTokenOn1to1', { get: () => false, set: () => undefined })
      tellBaileys(wa)
      wa.ws.on('CB:iq,,props', (iq: BinaryNode) => {
        const props = child(iq, 'props')
        if (props && !isClosed) answered(wa, props)
      })
    },
    close() {
      isClosed = true
      timer?.stop()
    },
  }
}

function read(value: string | undefined, otherwise: string | number | boolean): string | number | boolean {
  if (value === undefined) return otherwise
  if (typeof otherwise === 'boolean') return value === '1' || value === 'true'
  if (typeof otherwise === 'string') return value
  return value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : otherwise
}
