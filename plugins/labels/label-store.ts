import type { PluginDb, Row, Vault, Write } from 'wamux/plugin'

export interface Label {
  readonly ID: string
  readonly Name: string
  readonly Color: number
}

/** What a label is on: a chat, or a message of it. */
export interface Labelled {
  readonly label: string
  readonly chat: string
  /** '' for the chat itself. */
  readonly message: string
}

interface Counted extends Label {
  readonly Chats: number
  readonly Messages: number
}

interface Query {
  label?: string | undefined
  /** All forms of the chat. */
  chats?: readonly string[] | undefined
  /** `next` of the previous page, '' for the first. */
  after: string
  limit: number
}

/** The labels of an account and what they are on, as its devices share them; sealed rows, looked up by index. */
export interface LabelStore {
  save(session: string, label: Label): Write
  /** Removes a label from the list, and with `isNow` what it was on: apps do so when it is deleted. */
  remove(session: string, id: string, isNow: boolean): Write[]
  /** @param alt the other form of the chat, under which it may have been labelled before. */
  put(session: string, item: Labelled, alt: string): Write[]
  takeOff(session: string, item: Labelled, alt: string): Write[]
  /** Without those of a former account. */
  forget(session: string): Write[]
  /** By id. */
  labels(session: string): Promise<Counted[]>
  /** What labels are on that are not deleted. */
  find(session: string, query: Query): Promise<{ items: Labelled[]; next: string }>
}

const ITEM = ['session', 'item'] as const

export function createLabelStore({ db, vault }: { db: PluginDb; vault: Vault }): LabelStore {
  const labelOf = (session: string, id: string): string => vault.index(session, 'labels/label', id)
  const chatOf = (session: string, jid: string): string => vault.index(session, 'labels/chat', jid)
  const itemOf = (session: string, { label, chat, message }: Labelled): string =>
    vault.index(session, 'labels/item', JSON.stringify([label, chat, message]))
  const open = <V>(place: string, { session, content }: Row): V =>
    JSON.parse(vault.open(String(session), place, content as Buffer).toString())
  const rowsOf = (table: string, session: string) => db.read<Row>(db.table(table)).where({ session })

  const takeOff: LabelStore['takeOff'] = (session, item, alt) => {
    const forms = [item.chat, ...(alt ? [alt] : [])]
    const rows = forms.map((chat) => ({ session, item: itemOf(session, { ...item, chat }) }))
    return [db.remove('items', ITEM, rows)]
  }

  return {
    save(session, label) {
      const row = labelOf(session, label.ID)
      const content = vault.seal(session, `labels_labels/${row}`, JSON.stringify(label))
      return db.put('labels', ['session', 'label'], [{ session, label: row, content }])
    },
    remove(session, id, isNow) {
      const key = ['session', 'label']
      const rows = [{ session, label: labelOf(session, id) }]
      return [db.remove('labels', key, rows), ...(isNow ? [db.remove('items', key, rows)] : [])]
    },
    put(session, labelled, alt) {
      const item = itemOf(session, labelled)
      const row = {
        session,
        item,
        label: labelOf(session, labelled.label),
        chat: chatOf(session, labelled.chat),
        kind: labelled.message ? 'message' : 'chat',
        content: vault.seal(session, `labels_items/${item}`, JSON.stringify(labelled)),
      }
      const former = alt ? takeOff(session, { ...labelled, chat: alt }, '') : []
      return [...former, db.put('items', ITEM, [row])]
    },
    takeOff,
    forget: (session) => ['items', 'labels'].map((table) => db.remove(table, ['session'], [{ session }])),
    async labels(session) {
      const [rows, counts] = await Promise.all([
        rowsOf('labels', session),
        rowsOf('items', session).groupBy('label', 'kind').select('label', 'kind').count({ count: '*' }),
      ])
      const count = (label: unknown, kind: string): number =>
        Number(
          (counts as Row[]).find((one) => one['label'] === label && one['kind'] === kind)?.['count'] ?? 0,
        )
      return rows
        .map((row) => ({
          ...open<Label>(`labels_labels/${row['label']}`, row),
          Chats: count(row['label'], 'chat'),
          Messages: count(row['label'], 'message'),
        }))
        .sort((a, b) => a.ID.localeCompare(b.ID, 'en', { numeric: true }))
    },
    async find(session, { label, chats, after, limit }) {
      const wanted = label === undefined ? {} : { label: labelOf(session, label) }
      const rows = await rowsOf('items', session)
        .where(wanted)
        .whereIn('label', db.read(db.table('labels')).where({ session }).select('label'))
        .where('item', '>', after)
        .modify((query) => {
          if (chats)
            query.whereIn(
              'chat',
              chats.map((jid) => chatOf(session, jid)),
            )
        })
        .orderBy('item')
        .limit(limit)
      const items = rows.map((row: Row) => open<Labelled>(`labels_items/${row['item']}`, row))
      return { items, next: rows.length < limit ? '' : String(rows.at(-1)?.['item'] ?? '') }
    },
  }
}
