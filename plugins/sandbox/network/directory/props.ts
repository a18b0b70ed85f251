import { createHash } from 'node:crypto'
import { child, el } from '../../stanza.ts'
import type { QueryHandler } from '../iq/query.ts'
import type { NetworkState } from '../state.ts'
import type { AccountState } from './accounts.ts'

/** Values of AB props by code. */
export type Props = Readonly<Record<string, string>>

/** Server-side settings that clients obey, and how long they may use them. */
export interface ServedProps {
  readonly props: Props
  readonly refreshSeconds: number
}

const DAY_SECONDS = 24 * 3600

/** The values for an ordinary account. A code without a value has the default built into WhatsApp Web. */
const DEFAULTS: Props = {
  // Privacy tokens: seconds of a bucket, and for how many buckets a token is valid; received, then issued.
  865: '604800',
  909: '26',
  996: '604800',
  997: '26',
  // Seconds within which a message can be edited.
  2983: '1200',
  // Days after which clients stop requesting a missing message.
  3639: '14',
  // Privacy tokens: with profile pictures, with messages, in new groups, with added members, issued to LIDs, with about
  // texts, for first contacts.
  9666: '1',
  10518: '1',
  11261: '1',
  11262: '1',
  14303: '0',
  20798: '1',
  24941: '1',
}

/** Whether the account's chats are addressed by LID (lid_one_on_one_migration_enabled). */
const LID_MIGRATED = 9435

/** Settings of an account override those of the network, which override the defaults. */
export function servedProps({ faults }: Pick<NetworkState, 'faults'>, account: AccountState): ServedProps {
  const layers = [faults.networkWide.props, faults.of(account).props]
  return {
    props: Object.assign(
      {},
      DEFAULTS,
      { [LID_MIGRATED]: account.lidMigrated ? '1' : '0' },
      ...layers.map((layer) => layer?.props),
    ),
    refreshSeconds: layers.reduce((last, layer) => layer?.refreshSeconds ?? last, DAY_SECONDS),
  }
}

/** AB props, queried at login and again after `refresh` seconds. A client that sends its current hash gets no values. */
export const properties: QueryHandler = (state, { account }, iq) => {
  const { protocol = '1', hash: known } = child(iq, 'props')?.attrs ?? {}
  const { props, refreshSeconds } = servedProps(state, account)
  const hash = hashOf(props)
  const isKnown = known === hash
  state.counters[isKnown ? 'propsUnchanged' : 'props'] += 1
  const changed = isKnown ? [] : Object.entries(props)
  const nodes = changed.map(([code, value]) => el('prop', { config_code: code, config_value: value }))
  return [el('props', { protocol, hash, refresh: refreshSeconds, delta_update: String(isKnown) }, nodes)]
}

function hashOf(props: Props): string {
  return createHash('sha256').update(JSON.stringify(props)).digest('hex').slice(0, 16)
}
